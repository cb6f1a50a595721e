// Writes docs/coverage.md: what rung has of torch's core table, op by op, and how much of the golden corpus
// holds. Usage: rung_coverage PROJECT [--check]      --check fails if the file is not what would be written
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "coverage/generated.h"
#include "golden/suite.h"
#include "ir/op_def.h"
#include "trace/functional.h"

using namespace rung;
using namespace rung::golden;
using namespace rung::coverage;

namespace {

constexpr Build kShown[] = {Build::k2_2, Build::k2_13};

bool has_body(OpId op, Build build) {
  const OpDef* def = op_def(op);
  return def != nullptr && (def->body != nullptr || (build == Build::k2_2 && def->body_2_2 != nullptr));
}

bool has_meta(OpId op) { return op_def(op) != nullptr && op_def(op)->meta != nullptr; }

// add_ and add.out are lowered as add, whose result is then written: one rule for all of them.
bool has_twin(OpId op) {
  const OpId twin = schema_of(op).is_mutable() ? functional_variant(op) : kNoOp;
  return twin != kNoOp && op_def(twin) != nullptr;
}

std::string_view tick(bool value) { return value ? "yes" : ""; }

std::string counts_of_builds() {
  std::string text =
      "| torch | core table | of aten and prims | opened by a body | written out by the rule for writes | neither |\n"
      "|---|--:|--:|--:|--:|--:|\n";
  for (Build build : kShown) {
    size_t in_table = 0, bodies = 0, twins = 0;
    for (OpId op = 0; op < all_ops().size(); ++op) {
      if (!schema_of(op).has(kInCoreTable, build)) continue;
      ++in_table;
      bodies += has_body(op, build);
      twins += !has_body(op, build) && has_twin(op);
    }
    const size_t all = in_table + foreign_core_table(build).size();
    text += cat("| ", build_name(build), " | ", all, " | ", in_table, " | ", bodies, " | ", twins, " | ",
                all - bodies - twins, " |\n");
  }
  return text;
}

std::string counts_of_rows() {
  size_t rows = 0, bodies = 0, metas = 0, leaves = 0, core = 0, core_metas = 0;
  for (OpId op = 0; op < all_ops().size(); ++op) {
    const bool is_core = schema_of(op).has(kCore);
    core += is_core;
    core_metas += is_core && (has_meta(op) || has_body(op, Build::k2_13));
    if (op_def(op) == nullptr) continue;
    ++rows;
    bodies += has_body(op, Build::k2_13);
    metas += has_meta(op);
    leaves += has_meta(op) && !has_body(op, Build::k2_13);
  }
  return cat("rung has rows for ", rows, " of ", all_ops().size(), " overloads: ", bodies, " with a body, ", metas,
             " with a meta, ", leaves, " of them leaves (a meta, no body). Of the ", core,
             " ops that torch 2.13 tags core, ", core_metas, " have a meta.\n");
}

using Results = std::vector<std::pair<std::string_view, std::vector<Result>>>;  // by suite

std::string counts_of_cases(const Results& results) {
  std::string text =
      "| cases | what is compared | the same | names differ | differs | refused "
      "|\n|---|---|--:|--:|--:|--:|\n";
  for (const auto& [suite, of_suite] : results)
    for (const auto& [key, counts] : tally_of(of_suite)) {
      text += cat("| ", suite, " | ", key, " |");
      for (Verdict verdict : {Verdict::kSame, Verdict::kNamesDiffer, Verdict::kDiffers, Verdict::kRefused})
        text += cat(" ", counts.contains(verdict) ? counts.at(verdict) : 0, " |");
      text += '\n';
    }
  return text;
}

// What is left of all cases that were lowered for `key`.
std::string census_of(const Results& results, std::string_view key) {
  std::map<std::string_view, std::map<std::string_view, size_t>> calls;  // by op and suite
  std::string head = "| operator |", line = "|---|";
  for (const auto& [suite, of_suite] : results) {
    head += cat(" ", suite, " |");
    line += "--:|";
    for (const Result& result : of_suite)
      for (OpId op : result.outcome.calls) calls[schema_of(op).name][suite] += result.key == key;
  }
  std::string text = cat(head, "\n", line, "\n");
  for (auto& [op, by_suite] : calls) {
    size_t sum = 0;
    std::string row = cat("| ", op, " |");
    for (const auto& [suite, of_suite] : results) {
      sum += by_suite[suite];
      row += by_suite[suite] > 0 ? cat(" ", by_suite[suite], " |") : " |";
    }
    if (sum > 0) text += row + '\n';
  }
  return text;
}

std::string ledger_text(const std::string& golden) {
  const std::vector<LedgerEntry> ledger = read_ledger(golden);
  if (ledger.empty()) return "Nothing.\n";
  std::string text = "| case | what | how | why |\n|---|---|---|---|\n";
  for (const LedgerEntry& entry : ledger)
    text += cat("| ", entry.name, " | ", entry.key, " | ", verdict_name(entry.verdict), " | ", entry.reason, " |\n");
  return text;
}

// How many recorded programs call an op, and of how many of these everything that is compared holds.
struct Cases {
  size_t all = 0, passed = 0;
};
using CasesByOp = std::map<OpId, Cases>;

CasesByOp cases_by_op(const Results& results) {
  struct Program {
    std::set<OpId> ops;
    bool holds = true;
  };
  std::map<std::string, Program> programs;
  for (const auto& [suite, of_suite] : results)
    for (const Result& result : of_suite) {
      Program& program = programs[cat(suite, '/', result.name)];
      program.holds &= result.outcome.verdict <= Verdict::kNamesDiffer;
      if (result.key == "saved") program.ops.insert(result.outcome.calls.begin(), result.outcome.calls.end());
    }
  CasesByOp cases;
  for (const auto& entry : programs)
    for (OpId op : entry.second.ops) {
      ++cases[op].all;
      cases[op].passed += entry.second.holds;
    }
  return cases;
}

std::string passed_text(const CasesByOp& cases, OpId op) {
  const auto found = cases.find(op);
  return found == cases.end() ? "" : cat(found->second.passed, " of ", found->second.all);
}

// The file of src/ops in which an op has its row, without what the files of one family add to its name.
std::map<OpId, std::string> families(const std::string& project) {
  std::map<OpId, std::string> by_op;
  for (const auto& file : std::filesystem::directory_iterator(cat(project, "/src/ops"))) {
    if (file.path().extension() != ".cpp") continue;
    const std::string text = read_file(file.path().string());
    constexpr std::string_view kRow = "{.op = \"";
    for (size_t at = text.find(kRow); at != text.npos; at = text.find(kRow, at + 1)) {
      const size_t start = at + kRow.size();
      by_op[find_op(text.substr(start, text.find('"', start) - start))] = file.path().stem().string();
    }
  }
  return by_op;
}

std::string family_rows(const std::string& project, const CasesByOp& cases) {
  struct Totals {
    size_t rows = 0, metas = 0, bodies = 0, references = 0, kernels = 0, called = 0, all = 0, passed = 0;
  };
  std::map<std::string, Totals> totals;
  for (const auto& [op, family] : families(project)) {
    if (op == kNoOp) continue;
    Totals& sum = totals[family];
    ++sum.rows;
    sum.metas += has_meta(op);
    sum.bodies += has_body(op, Build::k2_13);
    sum.references += op_def(op) != nullptr && op_def(op)->reference != nullptr;
    sum.kernels += kernel_of(op) != nullptr;
    const auto found = cases.find(op);
    if (found == cases.end()) continue;
    ++sum.called;
    sum.all += found->second.all;
    sum.passed += found->second.passed;
  }
  std::string text =
      "| family | ops | metas | bodies | references | kernels | called in cases | calls of ops in cases that hold | of "
      "|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const auto& [family, sum] : totals)
    text += cat("| ", family, " | ", sum.rows, " | ", sum.metas, " | ", sum.bodies, " | ", sum.references, " | ",
                sum.kernels, " | ", sum.called, " | ", sum.passed, " | ", sum.all, " |\n");
  return text;
}

std::string op_rows(const CasesByOp& cases) {
  std::string text =
      "| op | in 2.2 | in 2.13 | core | meta | body | cases that hold |\n|---|---|---|---|---|---|---|\n";
  for (OpId op = 0; op < all_ops().size(); ++op) {
    const OpSchema& schema = schema_of(op);
    const bool old = schema.has(kInCoreTable, Build::k2_2), now = schema.has(kInCoreTable, Build::k2_13);
    if (!old && !now) continue;
    text += cat("| ", schema.name, " | ", tick(old), " | ", tick(now), " | ", tick(schema.has(kCore)), " | ",
                has_meta(op)                 ? "own"
                : has_body(op, Build::k2_13) ? "by its body"
                                             : "",
                " | ",
                has_body(op, Build::k2_13)  ? "yes"
                : has_body(op, Build::k2_2) ? "as 2.2 has it"
                : has_twin(op)              ? "rule for writes"
                                            : "",
                " | ", passed_text(cases, op), " |\n");
  }
  return text;
}

std::string foreign_rows() {
  std::string text;
  for (Build build : kShown) {
    text += cat("- ", build_name(build), ":");
    for (std::string_view name : foreign_core_table(build)) text += cat(" ", name);
    text += '\n';
  }
  return text;
}

std::string coverage_document(const std::string& project) {
  const std::string golden = cat(project, "/tests/golden");
  Results results;
  for (const Suite& suite : suites()) results.emplace_back(suite.folder, run(suite, golden));
  const CasesByOp cases = cases_by_op(results);
  return cat(
      "# Coverage\n\nWritten by `tests/coverage/coverage.cpp` (`make coverage`); do not edit. The test "
      "`coverage` fails if it is not "
      "current.\n\n## Torch's core table\n\n",
      counts_of_builds(),
      "\nThe rule for writes: `add_` and `add.out` are lowered as `add`, whose result then stands for what was "
      "written. "
      "It is counted where the op without the write has a row in rung.\n\n",
      counts_of_rows(),
      "\n## Golden cases\n\nAgainst what torch printed (`tests/golden/`, see `docs/testing.md`): `loaded`, "
      "`aten` and `core` are "
      "`str(graph)` after loading, after `run_decompositions({})` and after `run_decompositions()`; "
      "`core_typed` is "
      "`print_readable()`; `core_error` is torch's refusal; `closed`: lowered by default, nothing is left "
      "that the table opens; "
      "`saved`: that written, read and printed again.\n\n",
      counts_of_cases(results),
      "\n## The prims rung\n\nHow often each operator is called in all cases lowered by `--to prims`: prims, the "
      "floor (`rung ops --rung prims` has the reasons), and statements about sizes.\n\n",
      census_of(results, "prims_closed"),
      "\n## Outside of core\n\nTorch's core table leaves some 150 operators that are not tagged core. `--to core` "
      "opens "
      "them further, but for these, of which no rule leads there (factorizations, special functions, orders and counts "
      "of "
      "elements, complex numbers, random numbers); `rung lower` tells them on stderr. How often each is called in all "
      "cases:\n\n",
      census_of(results, "closed"), "\n## What does not hold\n\n", ledger_text(golden),
      "\n## By family\n\nA family is a file of `src/ops`. An op is called in a case where the recorded program calls "
      "it "
      "by name, not where a body does; a case holds where everything that is compared of it is the same.\n\n",
      family_rows(project, cases),
      "\n## Op by op\n\nEvery overload of aten and prims in torch's core table of 2.2 or 2.13. All have a "
      "schema.\n\n",
      op_rows(cases), "\nOutside aten and prims, and without a schema in rung:\n\n", foreign_rows());
}

int run_tool(int argc, char** argv) {
  if (argc < 2) fail_input("usage: rung_coverage PROJECT [--check]");
  const bool check = argc > 2 && std::strcmp(argv[2], "--check") == 0;
  return write_or_check(argv[1], "docs/coverage.md", coverage_document(argv[1]), check);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_tool(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rung_coverage: %s\n", error.what());
    return 2;
  }
}
