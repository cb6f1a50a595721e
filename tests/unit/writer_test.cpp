// Writing: an unlowered program comes out as it was, a changed one is derived from the graph, and both are read again.
#include "export/writer.h"

#include <doctest/doctest.h>

#include "export/load.h"
#include "export/save.h"
#include "ir/print.h"
#include "pass/lower.h"
#include "pt2_files.h"

using namespace rung;

namespace {

constexpr const char* kNames[] = {"branches", "loops", "constants", "sizes", "counted",
                                  "effects",  "state", "results",   "calls", "custom"};

std::string original_json(const std::string& path) { return Pt2File(path).at("models/model.json"); }

// Forgets what the reader kept for the writer; what a custom operator's arguments are called is known from there only.
void forget_file(Graph& graph) {
  graph.file_facts = nullptr;
  for (Node* node : graph) {
    bool needed = node->callee == Callee::kCustom || node->meta.kind == ValueMeta::Kind::kNone;
    if (!needed) node->file_facts = nullptr;
    if (node->kind == NodeKind::kGetAttr)
      for (Graph* inner : subgraphs(*node)) forget_file(*inner);
  }
}

// From "graph" up to "signature": all that stands for nodes and values.
std::string graph_part(const std::string& json) { return json.substr(0, json.find("\"signature\"")); }

}  // namespace

TEST_CASE("writer: an unlowered program is written as it was") {
  TemporaryFolder folder;
  std::vector<std::string> paths = {example_path("net-2.13.pt2"), example_path("net-2.14.pt2"),
                                    example_path("llama.pt2")};
  for (std::string name : kNames) paths.push_back(file_path(cat(name, ".pt2")));
  for (const std::string& path : paths) {
    CAPTURE(path);
    std::string out = folder.file(path.substr(path.rfind('/') + 1));
    save(load(path), out);
    Pt2File before(path), after(out);
    REQUIRE(before.entries.size() == after.entries.size());
    for (size_t i = 0; i < before.entries.size(); ++i) {
      if (before.entries[i].first.ends_with("serialization_id")) continue;
      CHECK(before.entries[i].first == after.entries[i].first);
      CHECK(before.entries[i].second == after.entries[i].second);
    }
  }
}

TEST_CASE("writer: the same text comes from the graph alone") {
  for (std::string name : kNames) {
    CAPTURE(name);
    std::string path = file_path(cat(name, ".pt2"));
    ExportedProgram program = load(path);
    forget_file(*program.graph);
    CHECK(graph_part(program_json(program)) == graph_part(original_json(path)));
  }
}

TEST_CASE("writer: fields that rung does not know are kept") {
  TemporaryFolder folder;
  Pt2File file(example_path("net-2.13.pt2"));
  file.replace("model.json", "\"is_hop_single_tensor_return\": null",
               "\"is_hop_single_tensor_return\": null, \"node_news\": [1, {\"a\": 2.5}]");
  file.replace("model.json", "\"sym_int_values\": {}", "\"sym_int_values\": {}, \"graph_news\": \"x\"");
  file.replace("model.json", "\"requires_grad\": false", "\"requires_grad\": false, \"value_news\": null");
  file.replace("model.json", "\"guards_code\": []", "\"guards_code\": [\"True\"], \"program_news\": true");
  file.replace("model_weights_config.json", "\"is_param\": true", "\"is_param\": true, \"tensor_news\": 7");
  std::string changed = folder.file("changed.pt2"), again = folder.file("again.pt2");
  file.write(changed);
  save(load(changed), again);
  std::string json = original_json(again);
  for (const char* news : {"node_news\": [1, {\"a\": 2.5}]", "graph_news\": \"x\"", "value_news\": null",
                           "program_news\": true", "[\"True\"]"})
    CHECK(json.find(news) != std::string::npos);
  CHECK(Pt2File(again).at("model_weights_config.json").find("tensor_news\": 7") != std::string::npos);
}

TEST_CASE("writer: older files become files of 2.13") {
  TemporaryFolder folder;
  std::string out = folder.file("new.pt2");
  ExportedProgram older = load(example_path("net-2.2.pt2"));
  save(older, out);
  ExportedProgram again = load(out);
  CHECK(graph_text(*again.graph) == graph_text(*older.graph));
  CHECK(again.verifier == "ATEN");
  CHECK(again.torch_version == "2.13.0");
  CHECK(again.build == Build::k2_13);
  CHECK(again.state.size() == 2);
  CHECK(again.state[0].is_parameter);
  CHECK(again.state[0].file_name == "weight_0");
  std::string json = original_json(out);
  CHECK(json.find("\"as_tensors\": null") == std::string::npos);
  CHECK(json.find("\"dialect\"") == std::string::npos);
  CHECK(json.find("\"forward_arg_names\": null") != std::string::npos);
}

TEST_CASE("writer: a lowered program is read again as it is") {
  TemporaryFolder folder;
  std::string out = folder.file("core.pt2");
  for (std::string name : {"net-2.13.pt2", "llama.pt2"}) {
    CAPTURE(name);
    ExportedProgram program = load(example_path(name));
    ExportedProgram core = lower(program, core_aten_decompositions());
    save(core, out);
    ExportedProgram again = load(out);
    verify(*again.graph);
    CHECK(graph_text(*again.graph).size() >= graph_text(*core.graph).size());
    CHECK(signature_text(again) == signature_text(core));
    CHECK(again.verifier == "ATEN");
    std::string json = original_json(out);
    CHECK(json.find("\"verifiers\": [\"ATEN\"]") != std::string::npos);
    CHECK(json.find("\"guards_code\": []") != std::string::npos);
    CHECK(Pt2File(out).at("weight_0") == Pt2File(example_path(name)).at("weight_0"));
  }
}

TEST_CASE("writer: onto the file that is being read") {
  TemporaryFolder folder;
  std::string path = folder.file("net-2.13.pt2");
  write_text(path, read_text(example_path("net-2.13.pt2")));
  ExportedProgram program = load(path);
  save(program, path);
  CHECK(Pt2File(path).at("model.json") == original_json(example_path("net-2.13.pt2")));
  CHECK(program.payloads[0].bytes.size() == 48);
}

TEST_CASE("writer: a full disk and other bad places") {
  ExportedProgram program = load(example_path("llama.pt2"));
  CHECK(message_of([&] { save(program, "/dev/full"); }) == "/dev/full: cannot write: No space left on device");
  CHECK(message_of([&] { save(program, "/no/such/folder/x.pt2"); }) ==
        "/no/such/folder/x.pt2: cannot create: No such file or directory");
}
