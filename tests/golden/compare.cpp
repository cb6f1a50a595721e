// Each key is a text that torch printed and a text that rung prints.
#include "golden/compare.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "export/load.h"
#include "export/save.h"
#include "golden/same_graph.h"
#include "golden/values.h"
#include "ir/print.h"
#include "opset/core.h"
#include "pass/dce.h"
#include "pass/lower.h"
#include "trace/tracer.h"

namespace rung::golden {
namespace {

ExportedProgram lowered(const ExportedProgram& program, const DecompositionTable& table, bool like_torch,
                        SymbolValues sizes = {}) {
  ExportedProgram result = lower(program, table, {.like_torch = like_torch, .sizes = std::move(sizes)});
  verify(*result.graph);
  return result;
}

// "# File: model.py:12 in forward, code: ..." says where in the source a node is from.
bool is_place(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(' '), line.size())).starts_with("# File: ");
}

std::string readable_without_places(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(' ') != line.npos && !is_place(line)) out += cat(line, "\n");
  }
  return out;
}

DecompositionTable table_of(std::string_view key, Build build) {
  if (key.ends_with("aten")) return aten_decompositions(build);
  return key.starts_with("prims") ? torch_prims_decompositions(build) : core_aten_decompositions(build);
}

std::string text_of(std::string_view key, const ExportedProgram& program, Build build) {
  if (key == "loaded") return graph_text(*program.graph);
  if (key == "loaded_signature") return signature_text(program);
  const bool is_bound = key.starts_with("bound_");
  ExportedProgram result =
      lowered(program, table_of(key, build), true, is_bound ? SymbolValues(program.hints) : SymbolValues());
  if (key == "core_typed") return readable_text(*result.graph);
  if (key == "signature") return signature_text(result);
  if (key == "range_constraints") return range_constraints_text(result);
  return graph_text(*result.graph);
}

Outcome compare_text(std::string_view key, std::string_view expected, const ExportedProgram& program, Build build) {
  std::string got = text_of(key, program, build), wanted(expected);
  if (key == "core_typed") {
    wanted = readable_without_places(wanted);
    got = readable_without_places(got);
  }
  const std::string named = first_difference(wanted, got);
  if (named.empty()) return {};
  const bool is_graph = key.ends_with("aten") || key.ends_with("core") || key == "prims_program";
  if (!is_graph) return {Verdict::kDiffers, named};
  const std::string difference = first_difference(canonical(wanted), canonical(got));
  return difference.empty() ? Outcome{Verdict::kNamesDiffer, named} : Outcome{Verdict::kDiffers, difference};
}

// The words and numbers of a message: torch writes "Cannot view ... torch.Size([2, 3]) ... strides (3, 1)!", rung
// "cannot view ... [2, 3] ... strides [3, 1]".
std::string words_of(std::string_view message) {
  constexpr std::string_view kSize = "torch.Size";
  std::string out;
  while (!message.empty()) {
    const bool is_size = message.starts_with(kSize);
    const unsigned char c = static_cast<unsigned char>(message[0]);
    message.remove_prefix(is_size ? kSize.size() : 1);
    if (is_size) continue;
    if (std::isalnum(c) != 0)
      out += static_cast<char>(std::tolower(c));
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

// torch's message begins with the kind of the error, rung's with the place.
Outcome compare_refusal(std::string_view key, std::string_view expected, const ExportedProgram& program, Build build) {
  try {
    lowered(program, table_of(key, build), true);
  } catch (const Error& error) {
    const bool is_dynamic = !program.hints.empty();  // torch's names of such programs are not stable
    const auto comparable = [&](std::string_view text) {
      std::string words = words_of(text);
      if (is_dynamic) std::erase_if(words, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
      return words;
    };
    const std::string reason = comparable(expected.substr(std::min(expected.find(": ") + 2, expected.size())));
    const bool good =
        error.kind() == ErrorKind::kUnsupported && comparable(error.what()).find(reason) != std::string::npos;
    return good ? Outcome{} : Outcome{Verdict::kDiffers, cat("\n  - ", expected, "\n  + ", error.what())};
  }
  return {Verdict::kDiffers, cat("not refused; torch: ", expected)};
}

// The name of a node that `table` would open, in the graph or in one of its sub-graphs.
std::string first_open(const Graph& graph, const DecompositionTable& table) {
  for (const Node* node : graph) {
    if (node->is_call(Callee::kOp) && table.opens(node->op) && !reads_size(node->op))
      return cat(node->name, " calls ", schema_of(node->op).name);
    for (const Graph* inner : subgraphs(*node))
      if (std::string found = first_open(*inner, table); !found.empty()) return found;
  }
  return "";
}

void append_calls(const Graph& graph, std::vector<OpId>& calls) {
  for (const Node* node : graph) {
    if (node->is_call(Callee::kOp)) calls.push_back(node->op);
    for (const Graph* inner : subgraphs(*node)) append_calls(*inner, calls);
  }
}

// What is left outside of core, but for statements.
Outcome check_core(const ExportedProgram& program, Build build) {
  const DecompositionTable table = closed_core_decompositions(build);
  const ExportedProgram core = lowered(program, table, false);
  Outcome outcome;
  if (const std::string open = first_open(*core.graph, core_aten_decompositions(build)); !open.empty())
    outcome = {Verdict::kDiffers, open};
  for (const Violation& violation : violations(*core.graph, core_ops(build)))
    if (violation.node->is_call(Callee::kOp) && violation.node->meta.kind != ValueMeta::Kind::kNone)
      outcome.calls.push_back(violation.node->op);
  return outcome;
}

Outcome check_prims(const ExportedProgram& program, const DecompositionTable& table) {
  const ExportedProgram prims = lowered(program, table, false);
  const std::string open = first_open(*prims.graph, table);
  Outcome outcome{open.empty() ? Verdict::kSame : Verdict::kDiffers, open};
  append_calls(*prims.graph, outcome.calls);
  return outcome;
}

struct TemporaryFile {
  explicit TemporaryFile(std::string_view stem)
      : path(std::filesystem::temp_directory_path() / cat(stem, "-", getpid(), ".pt2")) {}
  ~TemporaryFile() { std::filesystem::remove(path); }
  std::filesystem::path path;
};

Outcome check_saved(const ExportedProgram& program, Build build) {
  const ExportedProgram core = lowered(program, core_aten_decompositions(build), false);
  const TemporaryFile file("rung-golden");
  save(core, file.path);
  const ExportedProgram again = load(file.path);
  verify(*again.graph);
  // as in torch, loading adds a getitem for each unused result, and lowering leaves sizes that nothing uses any more
  for (Graph* graph : {core.graph.get(), again.graph.get()}) {
    graph->count_uses();
    eliminate_dead_code(*graph);
  }
  const std::string difference = first_difference(graph_text(*core.graph), graph_text(*again.graph));
  if (!difference.empty()) return {Verdict::kDiffers, difference};
  const std::string signature = first_difference(signature_text(core), signature_text(again));
  Outcome outcome = signature.empty() ? Outcome{} : Outcome{Verdict::kDiffers, signature};
  append_calls(*program.graph, outcome.calls);
  return outcome;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  constexpr std::string_view kNames[] = {"the same", "names differ", "differs", "refused"};
  return kNames[static_cast<size_t>(verdict)];
}

Outcome compare(std::string_view key, std::string_view expected, const ExportedProgram& program, Build build) {
  try {
    if (key.ends_with("_error")) return compare_refusal(key, expected, program, build);
    if (key == "closed") return check_core(program, build);
    if (key == "prims_closed") return check_prims(program, prims_decompositions(build));
    if (key == "values") return compare_values(expected, program, program);
    if (key == "values_core")
      return compare_values(expected, program, lowered(program, closed_core_decompositions(build), false));
    if (key == "values_prims")
      return compare_values(expected, program, lowered(program, prims_decompositions(build), false));
    if (key == "saved") return check_saved(program, build);
    return compare_text(key, expected, program, build);
  } catch (const Error& error) {
    return {Verdict::kRefused, error.what()};
  }
}

}  // namespace rung::golden
