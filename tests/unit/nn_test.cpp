// Modules: their state, files of it, and the lesson's network.
#include <doctest/doctest.h>

#include "export/load.h"
#include "export/save.h"
#include "interp/run.h"
#include "ir/print.h"
#include "nn/export.h"
#include "nn/modules.h"
#include "nn/safetensors.h"
#include "ref/data.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

struct Net : nn::Module {
  nn::Linear fc{3, 4};

  Net() { register_module("fc", fc); }
  Tensor forward(const Tensor& x) { return aten::silu(fc(x)); }
};

struct Counter : nn::Module {
  Tensor& count = register_buffer("count", tensor(int64_t{0}));

  Tensor forward(const Tensor& x) {
    aten::add__Tensor(count, 1);
    return aten::mul_Tensor(x, count);
  }
};

template <typename M>
ExportedProgram exported(M& module, const Tensor& x, Build build) {
  auto forward = [&](Arguments args) { return module.forward(Tensor(args[0])).argument(); };
  return nn::export_module(module, forward, std::vector<Tensor>{x}, {.build = build, .names = {}});
}

// The numbers between the brackets of a line: fc.weight ['0x1.8p+0', ...].
std::vector<float> numbers_of(const std::string& line) {
  std::vector<float> numbers;
  for (size_t quote = line.find('\''); quote != line.npos; quote = line.find('\'', line.find('\'', quote + 1) + 1))
    numbers.push_back(std::strtof(line.c_str() + quote + 1, nullptr));
  return numbers;
}

}  // namespace

TEST_CASE("the lesson's network has torch's weights, and its output to two places of the last digit") {
  std::istringstream golden(read_text(test_folder() + "../golden/lesson/net-2.13-values.txt"));
  std::string weight, bias, input, output;
  for (std::string* line : {&weight, &bias, &input, &output}) std::getline(golden, *line);
  manual_seed(0);
  Net net;
  manual_seed(1);
  Tensor x = aten::randn({2, 3});
  CHECK(to_vector<float>(net.fc.weight) == numbers_of(weight));
  CHECK(to_vector<float>(net.fc.bias) == numbers_of(bias));
  CHECK(to_vector<float>(x) == numbers_of(input));
  std::vector<float> got = to_vector<float>(net.forward(x)), expected = numbers_of(output);
  REQUIRE(got.size() == expected.size());
  for (size_t i = 0; i < got.size(); ++i)
    CHECK(std::abs(got[i] - expected[i]) <= 2 * std::abs(std::nextafter(expected[i], 9.0f) - expected[i]));
}

TEST_CASE("an exported program holds the module's tensors, and comes back from its file") {
  manual_seed(0);
  Net net;
  Tensor x = aten::randn({2, 3});
  ExportedProgram program = exported(net, x, Build::k2_13);
  TemporaryFolder folder;
  std::string path = folder.file("net.pt2");
  save(program, path);
  ExportedProgram again = load(path);
  CHECK(graph_text(*again.graph) == graph_text(*program.graph));
  std::vector<float> expected = to_vector<float>(net.forward(x));
  CHECK(to_vector<float>(interp::run(again, {x}).outputs[0].tensor) == expected);

  Net other;
  CHECK(to_vector<float>(other.forward(x)) != expected);
  other.load_state_dict(interp::state_of(again));
  CHECK(to_vector<float>(other.forward(x)) == expected);
  CHECK(net.fc.weight.is_real());  // the trace gave the module its own tensors back
}

TEST_CASE("a buffer that forward writes to: in place today, as a result in 2.2") {
  Counter counter;
  Tensor x = tensor<float>({1, 2});
  CHECK(graph_text(*exported(counter, x, Build::k2_13).graph).find("aten.add_.Tensor](args = (%b_count, 1)") !=
        std::string::npos);
  ExportedProgram functional = exported(counter, x, Build::k2_2);
  REQUIRE(functional.outputs.size() == 2);
  CHECK(functional.outputs[0].kind == OutputKind::kBufferMutation);
  CHECK(functional.outputs[0].target == "count");
  CHECK(item_int(counter.count) == 0);
}

TEST_CASE("modules are found by name, in the order in which they were added") {
  nn::ModuleDict<> layers;
  layers.add<nn::Linear>("z", 3, 4);
  layers.add<nn::PReLU>("a", 4);
  CHECK(layers.contains("a"));
  CHECK(layers.state_dict()[0].first == "z.weight");
  CHECK(layers.state_dict()[2].first == "a.weight");
  CHECK(message_of([&] { layers["b"]; }) == "a ModuleDict of 2 modules has none called 'b'");
}

TEST_CASE("state goes through a file") {
  manual_seed(3);
  nn::Sequential net;
  net.add<nn::Linear>(4, 3);
  net.add<nn::BatchNorm1d>(3);
  TemporaryFolder folder;
  std::string path = folder.file("state.safetensors");
  nn::save_safetensors(net.state_dict(), path);
  nn::StateDict read = nn::load_safetensors(path);
  REQUIRE(read.size() == 7);
  CHECK(read[0].first == "0.weight");
  CHECK(read[6].first == "1.num_batches_tracked");
  CHECK(to_vector<float>(read[0].second) == to_vector<float>(net.state_dict()[0].second));
  CHECK(message_of([&] { aten::zero_(read[0].second); }) ==
        "the tensor lies in a file that is only read: clone it before writing to it");

  read[1].second = tensor<float>({1, 2});
  CHECK(message_of([&] { net.load_state_dict(read); }) ==
        "load_state_dict: '0.bias' has sizes [2], the module's has [3]");
  read.pop_back();
  read.erase(read.begin() + 1);
  CHECK(message_of([&] { net.load_state_dict(read); }) == "load_state_dict: '0.bias' is missing");
}

TEST_CASE("damaged safetensors files are refused with the place") {
  TemporaryFolder folder;
  auto refused = [&](std::string_view header) {
    std::string text(8, '\0');
    text[0] = static_cast<char>(header.size());
    std::string path = folder.file("bad.safetensors");
    write_text(path, text + std::string(header) + "1234");
    return message_of([&] { nn::load_safetensors(path); }).substr(path.size());
  };
  CHECK(refused(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})") ==
        ": tensor 'x': its offsets span 4 bytes, its shape needs 8");
  CHECK(refused(R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})") ==
        ": tensor 'x': its offsets are not within the 4 bytes of data");
  CHECK(refused(R"({"x":{"dtype":"F31","shape":[1],"data_offsets":[0,4]}})") ==
        ": tensor 'x': the dtype 'F31' is unknown");
}

}  // namespace rung
