// The "from_node" metadata of lowered programs. What torch makes of it is asked by tests/oracle/check_from_node.py.
#include <doctest/doctest.h>

#include <sstream>

#include "export/load.h"
#include "export/save.h"
#include "export/writer.h"
#include "pass/lower.h"
#include "pt2_files.h"

using namespace rung;

namespace {

// "name target pass" of each entry, from the newest to the oldest; the numbers of graphs if they are asked for.
std::string steps_of(const std::string& model_json, std::string_view node_name, bool with_graphs = false) {
  const auto document = json::Document::parse(model_json);
  std::string text;
  document->root().at("graph_module").at("graph").at("nodes").for_each_item([&](json::Value node) {
    if (node.at("name").as_string() != node_name) return;
    const auto history = json::Document::parse(node.at("metadata").at("from_node").as_string());
    for (json::Value list = history->root(); list.size() > 0;) {
      REQUIRE(list.size() == 1);
      list.for_each_item([&](json::Value entry) {
        CHECK(entry.at("action").as_string() == "create");
        text += cat(entry.at("name").as_string(), ' ', entry.at("target").as_string(), ' ',
                    entry.at("pass_name").as_string());
        if (with_graphs) text += cat(' ', entry.at("graph_id").as_int());
        text += '\n';
        list = entry.at("from_node");
      });
    }
  });
  return text;
}

ExportedProgram written_and_read(const ExportedProgram& program) {
  TemporaryFolder folder;
  const std::string path = folder.file("program.pt2");
  save(program, path);
  return load(path);
}

constexpr std::string_view kFirst =
    "linear aten.linear.default Interpreter_PropagateUnbackedSymInts\n"
    "linear aten.transpose.int rung: decomposition of aten.transpose.int\n"
    "linear aten.t.default rung: decomposition of aten.t\n"
    "linear aten.linear.default rung: composite of aten.linear\n"
    "linear aten.linear.default ExportedProgram.module()\n";

}  // namespace

TEST_CASE("from_node: torch's two entries, and the bodies between them") {
  const ExportedProgram core = lower(load(example_path("net-2.13.pt2")), core_aten_decompositions());
  const std::string json = program_json(core);
  CHECK(steps_of(json, "permute") == kFirst);
  CHECK(steps_of(json, "sigmoid") ==
        "silu aten.silu.default Interpreter_PropagateUnbackedSymInts\n"
        "silu aten.silu.default rung: decomposition of aten.silu\n"
        "silu aten.silu.default ExportedProgram.module()\n");
  CHECK(json == program_json(core));
}

TEST_CASE("from_node: a second lowering goes on where the first ended, through a file or in memory") {
  const std::string expected =
      cat("permute aten.permute.default Interpreter_PropagateUnbackedSymInts\n"
          "permute aten.permute.default rung: decomposition of aten.permute\n"
          "permute aten.permute.default ExportedProgram.module()\n",
          kFirst);
  const ExportedProgram core = lower(load(example_path("net-2.13.pt2")), core_aten_decompositions());
  const ExportedProgram read = written_and_read(core);
  for (const ExportedProgram* middle : {&core, &read}) {
    const std::string json = program_json(lower(*middle, prims_decompositions()));
    CHECK(steps_of(json, "transpose") == expected);
    const std::string first = steps_of(program_json(core), "permute", true);
    CHECK(steps_of(json, "transpose", true).ends_with(first));
  }
}

TEST_CASE("from_node: graphs that a lowering left as they were have numbers of their own") {
  const ExportedProgram core = lower(load(example_path("net-2.13.pt2")), core_aten_decompositions());
  const ExportedProgram same = lower(core, core_aten_decompositions()), again = lower(same, core_aten_decompositions()),
                        through_file = lower(written_and_read(same), core_aten_decompositions());
  for (const ExportedProgram* program : {&again, &through_file}) {
    std::istringstream steps(steps_of(program_json(*program), "addmm", true));
    std::vector<std::string> numbers;
    for (std::string line; std::getline(steps, line);)
      if (line.find("ExportedProgram.module()") != line.npos) numbers.push_back(line.substr(line.rfind(' ')));
    REQUIRE(numbers.size() == 3);
    CHECK(numbers[0] != numbers[1]);
    CHECK(numbers[1] != numbers[2]);
    CHECK(numbers[0] != numbers[2]);
  }
}

TEST_CASE("from_node: callees that are no operators of aten are called as torch calls them") {
  const ExportedProgram custom = lower(load(file_path("custom.pt2")), core_aten_decompositions());
  CHECK(steps_of(program_json(custom), "two") ==
        "two mine.two.default Interpreter_PropagateUnbackedSymInts\n"
        "two mine.two.default ExportedProgram.module()\n");
  const ExportedProgram branches = lower(load(file_path("branches.pt2")), core_aten_decompositions());
  CHECK(steps_of(program_json(branches), "cond").starts_with("cond cond Interpreter_PropagateUnbackedSymInts\n"));
}

TEST_CASE("from_node: what a file says of its nodes need not be right") {
  TemporaryFolder folder;
  const std::string path = folder.file("odd.pt2");
  auto lowered_with = [&](std::string_view from_node) {
    Pt2File file(example_path("net-2.13.pt2"));
    std::string metadata = "\"metadata\": {\"from_node\": ";
    json::append_string(metadata, from_node);
    file.replace("models/model.json", "\"metadata\": {\"stack_trace\"", metadata + ", \"stack_trace\"");
    file.write(path);
    return program_json(lower(load(path), core_aten_decompositions()));
  };
  CHECK(steps_of(lowered_with("null"), "permute") == kFirst);
  CHECK(steps_of(lowered_with("[]"), "permute") == kFirst);
  CHECK(steps_of(lowered_with(R"([{"name": "a", "target": "b", "graph_id": 1, "pass_name": "c", "action": "create",
                                   "from_node": []}])"),
                 "permute") == cat(kFirst, "a b c\n"));
  CHECK(message_of([&] { lowered_with("[{"); }).starts_with("linear: from_node: not JSON: "));
  CHECK(message_of([&] { lowered_with("{}"); }) == "linear: from_node: expected a list, found an object");
  CHECK(message_of([&] { lowered_with("[], \"x\": ["); }).starts_with("linear: from_node: not JSON: "));
}
