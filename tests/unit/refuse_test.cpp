// Bad input: each of these files is made from a good one and must be refused, with the place and what is wrong.
#include <doctest/doctest.h>

#include <functional>

#include "export/load.h"
#include "export/writer.h"
#include "pt2_files.h"

using namespace rung;

namespace {

constexpr std::string_view kModel = "models/model.json";

// What load() says of the file; "path: " is taken off.
std::string refusal(const std::string& path) {
  std::string message = message_of([&] { load(path); });
  if (message.empty()) return "LOADED";
  if (!message.starts_with(path + ": ")) return "NO PATH: " + message;
  return message.substr(path.size() + 2);
}

std::string refusal_of(const Pt2File& file) {
  TemporaryFolder folder;
  std::string path = folder.file("bad.pt2");
  file.write(path);
  return refusal(path);
}

std::string refusal_of_bytes(std::string_view bytes) {
  TemporaryFolder folder;
  std::string path = folder.file("bad.pt2");
  write_text(path, bytes);
  return refusal(path);
}

Pt2File net() { return Pt2File(example_path("net-2.13.pt2")); }

// The net with one text of its JSON replaced.
std::string with(std::string_view from, std::string_view to) {
  Pt2File file = net();
  file.replace(kModel, from, to);
  return refusal_of(file);
}

std::string with_config(std::string_view from, std::string_view to) {
  Pt2File file = net();
  file.replace("model_weights_config.json", from, to);
  return refusal_of(file);
}

constexpr std::string_view kX = R"({"name": "input", "arg": {"as_tensor": {"name": "x"}}, "kind": 1})";
constexpr std::string_view kSelf = R"({"name": "self", "arg": {"as_tensor": {"name": "linear"}}, "kind": 1})";

}  // namespace

TEST_CASE("refuse: what is no .pt2 is called by its name") {
  CHECK(refusal_of_bytes("hello, this is some text") ==
        "is not a ZIP archive, and so no .pt2 file; rung reads what torch.export.save wrote");
  CHECK(refusal_of_bytes("\x1f\x8b\x08 and so on").starts_with("is a gzip file; unpack it first"));
  CHECK(refusal_of_bytes("{\"a\": 1}").starts_with("is JSON text"));
  CHECK(refusal_of_bytes(std::string("\x08\0\0\0\0\0\0\0{\"a\": 1}", 16))
            .starts_with("is a safetensors file: weights without a graph"));
  CHECK(refusal_of_bytes("\x08\x07\x12\x07pytorch").starts_with("is an ONNX file"));
  CHECK(refusal_of_bytes("\x80\x02}q\x01.").starts_with("is a pickle of an old torch.save"));
  CHECK(refusal_of_bytes("GGUF....").starts_with("is a GGUF file"));
  CHECK(refusal_of_bytes("version https://git-lfs.github.com/spec/v1").starts_with("is a git-lfs pointer"));
  CHECK(message_of([] { load(test_folder()); }) == test_folder() + ": is a directory, expected a file");
  CHECK(message_of([] { load("/no/such/file.pt2"); }) == "/no/such/file.pt2: cannot open: No such file or directory");

  auto archive = [](std::vector<std::pair<std::string, std::string>> entries) {
    Pt2File file = net();
    file.entries = std::move(entries);
    return refusal_of(file);
  };
  CHECK(archive({}).starts_with("is an empty archive"));
  CHECK(archive({{"net/data.pkl", ""}, {"net/constants.pkl", ""}, {"net/code/a.py", ""}})
            .starts_with("is a TorchScript archive (torch.jit.save)"));
  CHECK(archive({{"archive/data.pkl", ""}, {"archive/data/0", ""}})
            .starts_with("is a pickle of torch.save: weights or Python objects without a graph"));
  CHECK(archive({{"m/data/aotinductor/model/x.so", ""}})
            .starts_with("is an AOTInductor package: compiled code without a graph"));
  CHECK(archive({{"m/models/other.json", "{}"}}) == "holds no program called 'model', only 'other'");
  CHECK(archive({{"in0.npy", ""}}).starts_with("is a NumPy .npz file"));
  CHECK(archive({{"readme.txt", ""}}).starts_with("is a ZIP archive without an exported program"));
}

TEST_CASE("refuse: every prefix of a file") {
  for (const char* name : {"net-2.13.pt2", "net-2.2.pt2"}) {
    std::string bytes = read_text(example_path(name));
    TemporaryFolder folder;
    std::string path = folder.file("cut.pt2");
    write_text(path, bytes);
    for (size_t length = bytes.size(); length-- > 0;) {
      REQUIRE(::truncate(path.c_str(), static_cast<off_t>(length)) == 0);
      std::string message = message_of([&] { load(path); });
      CAPTURE(length);
      REQUIRE(message.starts_with(path));
    }
  }
  std::string bytes = read_text(example_path("net-2.13.pt2"));
  CHECK(refusal_of_bytes(bytes.substr(0, 5000)) ==
        "truncated: the archive's directory, which should end the file, is missing (the file has 5000 bytes)");
  // Here the directory of the inner archive of sample inputs is the last one.
  CHECK(refusal_of_bytes(bytes.substr(0, 6600)) ==
        "truncated: the archive's directory, which should end the file, is missing (the file has 6600 bytes)");
}

TEST_CASE("refuse: bytes behind the archive") {
  CHECK(refusal_of_bytes(read_text(example_path("net-2.13.pt2")) + "x").starts_with("truncated: "));
}

TEST_CASE("refuse: records that are missing or wrong") {
  auto without = [](std::string_view record) {
    Pt2File file = net();
    file.drop(record);
    return refusal_of(file);
  };
  CHECK(without("archive_format") == "the archive has no entry 'archive_format'");
  CHECK(without("archive_version") == "the archive has no entry 'archive_version'");
  CHECK(without("model_weights_config.json") == "the archive has no entry 'data/weights/model.pt'");
  CHECK(without("model_constants_config.json") ==
        "the archive has no entry 'data/constants/model_constants_config.json'");
  CHECK(without("weight_1") ==
        "data/weights/model_weights_config.json: tensor 'fc.bias': the archive has no entry 'data/weights/weight_1'");
  Pt2File file = net();
  file.at("archive_version") = "1";
  CHECK(refusal_of(file) == "the archive's version is '1', expected '0'");
  CHECK(with("\"major\": 8", "\"major\": 9") ==
        "models/model.json: schema version 9.x is unknown, rung reads up to 8.x");
  file = net();
  file.at(kModel).resize(2000);
  CHECK(refusal_of(file).starts_with("models/model.json: not JSON: "));
  file.at(kModel) = "[]";
  CHECK(refusal_of(file) == "models/model.json: expected an object, found a list");
  file.at(kModel) = std::string(1000000, '[');
  CHECK(refusal_of(file) == "models/model.json: not JSON: lists and objects are nested too deeply at byte 1024");
  std::string bytes = read_text(example_path("net-2.13.pt2"));
  bytes[bytes.find("torch.ops.aten.silu")] = 'T';
  CHECK(refusal_of_bytes(bytes) == "the entry 'net-2.13/models/model.json' is damaged: its checksum differs");
}

TEST_CASE("refuse: weights that do not fit") {
  std::string place = "data/weights/model_weights_config.json: ";
  CHECK(with_config("\"as_int\": 4", "\"as_int\": 5")
            .starts_with(place + "tensor 'fc.weight': the file 'weight_0' is too short: it has 48 bytes, the tensor's "
                                 "sizes and strides need 60"));
  CHECK(with_config("\"as_int\": 4", "\"as_int\": 9223372036854775807")
            .starts_with(place + "tensor 'fc.weight': the file 'weight_0' is too short: it has 48 bytes, the tensor's "
                                 "sizes and strides need more than 2^64"));
  CHECK(with_config("\"storage_offset\": {\"as_int\": 0}", "\"storage_offset\": {\"as_int\": 1}") ==
        place +
            "tensor 'fc.weight': the file 'weight_0' is too short: it has 48 bytes, the tensor's sizes and strides "
            "need 52");
  CHECK(with_config("\"storage_offset\": {\"as_int\": 0}", "\"storage_offset\": {\"as_int\": -1}") ==
        place + "tensor 'fc.weight': a storage offset is negative: -1");
  CHECK(with_config("\"as_int\": 4", "\"as_int\": -4") == place + "tensor 'fc.weight': sizes: a size is negative: -4");
  CHECK(with_config("\"dtype\": 7", "\"dtype\": 99") ==
        place + "tensor 'fc.weight': dtype: no dtype has the number 99");
  CHECK(with_config("\"fc.bias\"", "\"fc.weight\"") == place + "tensor 'fc.weight': the name is there twice");
  CHECK(with_config("\"fc.bias\"", "\"other\"") == "the parameter 'fc.bias' is not among the stored tensors");
  CHECK(with_config("\"weight_0\"", "\"../../weight_0\"") ==
        place + "tensor 'fc.weight': the file name '../../weight_0' is wrong");
  CHECK(with_config("\"dtype\": 7", "\"dtype\": 4") ==
        "the parameter 'fc.weight' is stored with another dtype or shape than the graph gives it");
}

TEST_CASE("refuse: nodes that are wrong") {
  std::string linear = "models/model.json: node 0 aten.linear.default: ",
              silu = "models/model.json: node 1 aten.silu.default: ";
  CHECK(with("aten.silu.default", "aten.sillu.default") ==
        "models/model.json: node 1 aten.sillu.default: unknown operator aten::sillu");
  CHECK(with("aten.silu.default", "aten.silu.Tensor") ==
        "models/model.json: node 1 aten.silu.Tensor: unknown overload 'Tensor' of the operator aten::silu");
  CHECK(with("aten.silu.default", "aten.silu") ==
        "models/model.json: node 1 aten.silu: the target 'torch.ops.aten.silu' names no overload of an operator");
  CHECK(with("torch.ops.aten.silu.default", "os.system") ==
        "models/model.json: node 1 os.system: unknown target 'os.system'");
  CHECK(with("\"name\": \"self\"", "\"name\": \"me\"") == silu + "aten::silu has no argument 'me'");
  CHECK(with(kSelf, "") == silu + "aten::silu: the argument 'self' is missing");
  CHECK(with(kSelf, cat(kSelf, ", ", kSelf)) == silu + "aten::silu gets the argument 'self' twice");
  CHECK(with(cat(kX, ", "), "") == linear + "the positional argument 'weight' comes after one that is missing");
  CHECK(with(kSelf, R"({"name": "self", "arg": {"as_string": "x"}, "kind": 1})") ==
        silu + "aten::silu: the argument 'self' takes a tensor, got a string");
  CHECK(with(kSelf, R"({"name": "self", "arg": {"as_ints": [1, 2]}, "kind": 1})") ==
        silu + "aten::silu: the argument 'self' takes a tensor, got a list of 2 (an integer)");
  CHECK(with(kSelf, R"({"name": "self", "arg": {"as_none": true}, "kind": 1})") ==
        silu + "aten::silu: the argument 'self' takes a tensor, got None");
  CHECK(with(kSelf, R"({"name": "self", "arg": {"as_magic": 1}, "kind": 1})") ==
        silu + "argument 'self': unknown kind of argument 'as_magic'");
  CHECK(with(kSelf, R"({"name": "self", "arg": {"as_int": 1, "as_float": 2.0}, "kind": 1})") ==
        silu + "argument 'self': a value has two kinds: 'as_int' and 'as_float'");
  CHECK(with(kSelf, R"({"name": "self", "arg": {}, "kind": 1})") == silu + "argument 'self': a value has no kind");
  CHECK(with(kSelf, R"({"name": "self", "arg": {"as_tensor": {"name": "linear"}}, "kind": 3})") ==
        silu + "argument 'self': the argument's kind is 3, expected 1 (positional) or 2 (keyword)");
  CHECK(with(R"("outputs": [{"as_tensor": {"name": "silu"}}], "metadata")", R"("outputs": [], "metadata")") ==
        silu + "aten::silu has 1 results, but the node lists 0");
  CHECK(with(R"("outputs": [{"as_tensor": {"name": "silu"}}], "metadata")",
             R"("outputs": [{"as_sym_int": {"as_name": "silu"}}], "metadata")") ==
        silu + "aten::silu: result 0 cannot be of the kind 'as_sym_int'");
}

TEST_CASE("refuse: values without order") {
  std::string linear = "models/model.json: node 0 aten.linear.default: ",
              silu = "models/model.json: node 1 aten.silu.default: ";
  CHECK(with(kSelf, R"({"name": "self", "arg": {"as_tensor": {"name": "y"}}, "kind": 1})") ==
        silu + "argument 'self': uses 'y', which nothing defines");
  CHECK(with(kSelf, R"({"name": "self", "arg": {"as_tensor": {"name": "silu"}}, "kind": 1})") ==
        silu + "argument 'self': uses its own result 'silu': a cycle");
  CHECK(with(kX, R"({"name": "input", "arg": {"as_tensor": {"name": "silu"}}, "kind": 1})") ==
        linear +
            "argument 'input': uses 'silu', which needs this node's result: a cycle ('silu' needs 'linear' needs "
            "'silu')");
  Pt2File file = net();
  file.replace(kModel, kSelf, R"({"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1})");
  file.replace(kModel, kX, R"({"name": "input", "arg": {"as_tensor": {"name": "silu"}}, "kind": 1})");
  CHECK(refusal_of(file) == linear + "argument 'input': uses 'silu' before node 1 defines it");
  CHECK(with(R"("outputs": [{"as_tensor": {"name": "linear"}}])", R"("outputs": [{"as_tensor": {"name": "x"}}])") ==
        linear + "the value 'x' is defined twice");
  CHECK(with(R"("silu": {"dtype")", R"("sylu": {"dtype")") == silu + "the metadata of 'silu' is missing");
  CHECK(with(R"("outputs": [{"as_tensor": {"name": "silu"}}], "nodes")",
             R"("outputs": [{"as_tensor": {"name": "y"}}], "nodes")") ==
        "models/model.json: output 0: uses 'y', which nothing defines");
}

TEST_CASE("refuse: metadata that is wrong") {
  std::string place = "models/model.json: input 2: metadata of 'x': ";
  std::string x = R"("x": {"dtype": 7, "sizes": [{"as_int": 2}, {"as_int": 3}])";
  CHECK(with(x, R"("x": {"dtype": 7, "sizes": [{"as_int": 2}])") ==
        place + "the metadata of a tensor has 1 sizes, but 2 strides");
  CHECK(with(x, R"("x": {"dtype": 7, "sizes": [{"as_int": -2}, {"as_int": 3}])") ==
        place + "sizes: a size is negative: -2");
  CHECK(with(x, R"("x": {"dtype": 0, "sizes": [{"as_int": 2}, {"as_int": 3}])") ==
        place + "dtype: no dtype has the number 0");
  CHECK(with(x, R"("x": {"dtype": 7, "sizes": [{"as_float": 2}, {"as_int": 3}])") ==
        place + "sizes: expected an integer or an expression, found 'as_float'");
  CHECK(with(x, R"("x": {"dtype": 7, "sizes": [{"as_int": 99999999999999999999}, {"as_int": 3}])")
            .starts_with("models/model.json: not JSON: a wrong number at byte"));
  CHECK(with(x, R"~("x": {"dtype": 7, "sizes": [{"as_expr": {"expr_str": "Evil(1)", "hint": null}}, {"as_int": 3}])~")
            .starts_with(place + "sizes: symbolic expression"));
  CHECK(with(x, R"("x": {"sizes": [{"as_int": 2}, {"as_int": 3}])") ==
        place + "the metadata of a tensor lacks 'dtype'");
}

TEST_CASE("refuse: signatures that do not fit the graph") {
  CHECK(with(R"({"parameter": {"arg": {"name": "p_fc_weight"}, "parameter_name": "fc.weight"}}, )", "") ==
        "models/model.json: the signature has 2 inputs, the graph 3");
  CHECK(with(R"({"parameter": {"arg": {"name": "p_fc_weight"})", R"({"parameter": {"arg": {"name": "p_fc_bias"})") ==
        "models/model.json: input 0: the signature names 'p_fc_bias', the graph 'p_fc_weight'");
  CHECK(with(R"({"parameter": {"arg": {"name": "p_fc_weight"})", R"({"paramater": {"arg": {"name": "p_fc_weight"})") ==
        "models/model.json: input 0: unknown kind 'paramater'");
  CHECK(with(R"("output_specs": [{"user_output": {"arg": {"as_tensor": {"name": "silu"}}}}])",
             R"("output_specs": [])") == "models/model.json: the signature has 0 outputs, the graph 1");
  CHECK(with(R"("range_constraints": {})", R"("range_constraints": {"s0": {"min_val": 4, "max_val": 2}})") ==
        "models/model.json: the range of s0 is empty: 4 to 2");
  CHECK(with(R"("fqn": "", "signature")", R"("fqn": "", "signatures")") ==
        "models/model.json: the call of the root module is not described");
}

TEST_CASE("refuse: older files, whose weights are pickles") {
  Pt2File file(example_path("net-2.2.pt2"));
  file.at("serialized_state_dict.json") = "not an archive";
  CHECK(refusal_of(file).starts_with("serialized_state_dict.json: the archive's directory is missing or damaged"));
  file.drop("serialized_constants.json");
  CHECK(refusal_of(file) == "the archive has no entry 'serialized_constants.pt'");
  // A call of another function in the pickle.
  Pt2File outer(example_path("net-2.2.pt2"));
  TemporaryFolder folder;
  std::string inner_path = folder.file("inner.zip");
  write_text(inner_path, outer.at("serialized_state_dict.json"));
  Pt2File inner(inner_path);
  inner.replace("data.pkl", "collections\nOrderedDict\n", "os\nsystem\n");
  inner.write(inner_path);
  outer.at("serialized_state_dict.json") = read_text(inner_path);
  std::string message = refusal_of(outer);
  CHECK(message.find("the pickle calls 'os.system'") != std::string::npos);
  CHECK(message.starts_with("serialized_state_dict.json: byte "));
}

TEST_CASE("refuse: a thousand changes at random do no harm") {
  uint64_t state = 12345;
  auto below = [&](size_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state >> 33) % limit;
  };
  constexpr std::string_view kPieces[] = {"null",
                                          "true",
                                          "-1",
                                          "9223372036854775807",
                                          "1.5",
                                          "\"x\"",
                                          "[]",
                                          "{}",
                                          "[[1]]",
                                          "{\"as_int\": 3}",
                                          "{\"as_none\": true}",
                                          "{\"as_tensor\": {\"name\": \"x\"}}",
                                          "\"\""};
  TemporaryFolder folder;
  std::string path = folder.file("changed.pt2");
  for (const std::string& name :
       {example_path("net-2.13.pt2"), file_path("branches.pt2"), file_path("sizes.pt2"), file_path("custom.pt2")}) {
    Pt2File base(name);
    for (int round = 0; round < 250; ++round) {
      Pt2File file = base;
      std::string& json = file.at(kModel);
      // The value after some ": " up to the next comma or bracket becomes another.
      size_t start = json.find(": ", below(json.size()));
      if (start == json.npos) continue;
      size_t end = json.find_first_of(",]}", start + 2);
      json.replace(start + 2, end - start - 2, kPieces[below(std::size(kPieces))]);
      file.write(path);
      std::string message = message_of([&] { program_json(load(path)); });
      CAPTURE(message);
      CHECK(!message.starts_with("WRONG KIND"));
    }
  }
}
