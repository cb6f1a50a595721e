// What is told of a program that an op set does not take. The whole text for three sets is in tests/golden/outside.
#include "opset/report.h"

#include <doctest/doctest.h>

#include "export/load.h"
#include "ir/recorded_at.h"
#include "opset/reach.h"
#include "opset/read_op_set.h"
#include "pass/lower.h"
#include "unit/build_graph.h"
#include "unit/chain.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

OpSet set_of(std::string_view text) {
  TemporaryFolder folder;
  const std::string path = folder.file("mine.json");
  write_text(path, text);
  return read_op_set(path);
}

std::string report_of(const ExportedProgram& program, const OpSet& set) {
  const ExportedProgram lowered = lower(program, table_for(set));
  return violations_text(violations(*lowered.graph, set), lowered, set);
}

// A node with a stack trace or a module stack.
struct WithMetadata {
  WithMetadata(std::string_view key, std::string_view text) {
    std::string json = "{";
    json::append_string(json, key);
    json += ": ";
    json::append_string(json, text);
    document = json::Document::parse(json + "}");
    node.metadata = document->root();
  }
  std::shared_ptr<const json::Document> document;
  Node node;
};

std::string line_of(std::string_view trace) {
  const WithMetadata traced("stack_trace", trace);
  const std::optional<SourceLine> line = source_line(traced.node);
  if (!line) return "none";
  return cat(line->file, '|', line->line, '|', line->function, '|', line->code);
}

std::string module_of(std::string_view stack) {
  const WithMetadata traced("nn_module_stack", stack);
  const std::vector<ModuleCall> modules = module_stack(traced.node);
  return modules.empty() ? "none" : cat(modules.back().path, '|', modules.back().type);
}

}  // namespace

TEST_CASE("report: the user's line is the innermost that is not torch's") {
  CHECK(line_of("File \"m.py\", line 7, in forward\n    y = self.fc(x)\n"
                "  File \"/x/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n"
                "    return F.linear(input, self.weight, self.bias)") == "m.py|7|forward|y = self.fc(x)");
  // strict export underlines the code
  CHECK(line_of("  File \"m.py\", line 7, in forward\n    y = f(x)\n        ^^^^\n") == "m.py|7|forward|y = f(x)");
  CHECK(line_of("File \"/x/dist-packages/torch/nn/functional.py\", line 9, in relu\n    a\n"
                "  File \"/x/dist-packages/torch/_ops.py\", line 5, in call\n    b") ==
        "/x/dist-packages/torch/_ops.py|5|call|b");
  CHECK(line_of("") == "none");
  CHECK(line_of(" \n ") == "none");
  CHECK(line_of("File \"a.py\", line x, in f") == "none");
}

TEST_CASE("report: the innermost module") {
  CHECK(module_of("L__self__,,__main__.M;L__self__fc,blocks.0.fc,torch.nn.modules.linear.Linear") ==
        "blocks.0.fc|torch.nn.modules.linear.Linear");
  CHECK(module_of("L__self__,,__main__.M") == "|__main__.M");
  CHECK(module_of("L__self__,parts[0, 1],M") == "parts[0, 1]|M");
  CHECK(module_of("") == "none");
  CHECK(module_of("nonsense") == "none");
}

TEST_CASE("report: the reason, the source, the bodies, what is near, and the rungs") {
  const ExportedProgram program = load(example_path("net-2.13.pt2"));
  const std::string text = report_of(program, set_of(R"({"ops": ["aten.linear", "aten.mul.Scalar"]})"));
  CHECK(text ==
        "aten.silu: the set 'mine' has no aten.silu\n"
        "    'silu' f32[2, 4], from 'silu' (aten.silu) in the program (Net), lesson.py:48 in forward\n"
        "        return torch.nn.functional.silu(self.fc(x))\n"
        "    bodies: aten.silu could be opened by decomposition (needs aten.mul.Tensor, aten.sigmoid)\n"
        "    nearest: aten.mul.Scalar (nearest by name)\n"
        "    rungs: aten.silu is whole on aten, composite; opened on core, prims");
}

TEST_CASE("report: other forms of an operator are nearer than names") {
  const std::string text = report_of(chain_program(2), set_of(R"({"ops": ["aten.native_layer_norm", "aten.linear"]})"));
  CHECK(text.find("nearest: aten.native_layer_norm, ") == text.npos);  // it leads there
  const std::string without =
      report_of(load(file_path("sizes.pt2")), set_of(R"({"ops": [{"op": "aten.unsqueeze_copy", "rank": [5]}]})"));
  CHECK(without.find("nearest: aten.unsqueeze_copy (another form of the operator)") != std::string::npos);
}

TEST_CASE("report: a condition that fails, where no rule leads on") {
  const ExportedProgram program = load(example_path("net-2.13.pt2"));
  const std::string text = report_of(program, set_of(R"({"extends": "core", "without": ["aten.sigmoid"], "ops": [
      {"op": "aten.silu", "rank": [4]}, {"op": "aten.silu", "dtype": ["float16"]}]})"));
  CHECK(
      text.starts_with("aten.silu: tensor operand 1 has rank 2, the set takes 4; or tensor operand 1 is of float32, "
                       "the set takes float16\n"));
  CHECK(text.find("    nearest: aten.silu itself, where its condition holds\n") != std::string::npos);
}

TEST_CASE("report: many layers are one paragraph that names every call") {
  constexpr size_t kLayers = 60;
  const std::string text = report_of(chain_program(kLayers), set_of(R"({"ops": ["aten.linear", "aten.layer_norm"]})"));
  CHECK(text.find("\n\n") == text.npos);
  CHECK(text.starts_with("aten.silu, 60 calls: the set 'mine' has no aten.silu\n"));
  for (size_t i = 1; i < kLayers; ++i)
    CHECK(text.find(cat("'silu_", i, "' f32[4, 8], from 'silu_", i, "' (aten.silu)\n")) != std::string::npos);
  CHECK(text.find("bodies: aten.silu could be opened by decomposition (needs aten.mul.Tensor, aten.sigmoid)") !=
        std::string::npos);
}

TEST_CASE("report: sizes are nobody's operators, and rules are tried with what is known of them") {
  const std::string text = report_of(load(file_path("sizes.pt2")), set_of(R"({"ops": ["aten.cat"]})"));
  CHECK(text.find("sym_size") == text.npos);
  CHECK(text.find("bodies: aten.unsqueeze could be opened by view (needs aten.view), copy for a view (needs "
                  "aten.unsqueeze_copy), reference (needs prims.broadcast_in_dim)\n") != std::string::npos);
}

TEST_CASE("report: operators of other namespaces") {
  const std::string text = report_of(load(file_path("custom.pt2")), set_of(R"({"extends": "core"})"));
  CHECK(text.find("mine.two.default: the set 'mine' has no mine::two.default\n") != std::string::npos);
  CHECK(text.find("bodies: rung has no rule for operators of other namespaces\n") != std::string::npos);
  CHECK(text.find("rungs: every rung keeps mine.two.default whole") != std::string::npos);
}

}  // namespace rung
