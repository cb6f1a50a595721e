// Writes docs/opsets.md: which models reach which op sets, by rung and by torch's own tables.
// Usage: rung_opsets PROJECT [--check]      --check fails if the file is not what would be written
//        rung_opsets PROJECT --left FILE.pt2 SET...    prints what is left outside: "SET torch aten.add.Tensor ..."
//        rung_opsets PROJECT --ops SET                 prints what a set accepts
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "coverage/generated.h"
#include "coverage/reached.h"
#include "export/load.h"
#include "schema/nearest.h"

using namespace rung;
using namespace rung::coverage;

namespace {

constexpr size_t kColumns = 7;  // sets side by side in a matrix
constexpr size_t kShown = 5;    // operators that torch leaves, of the most frequent ones

/// Programs, and what lowering each of them to each target leaves.
struct Corpus {
  std::vector<std::string> names;
  std::vector<std::vector<Reached>> rung, torch;  // by target and program
};

std::vector<std::filesystem::path> files_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".pt2") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

Corpus measured(const std::vector<std::filesystem::path>& files, const std::vector<Target>& targets) {
  Corpus corpus = {{}, std::vector<std::vector<Reached>>(targets.size()), {}};
  corpus.torch = corpus.rung;
  for (const auto& file : files) {
    const ExportedProgram program = load(file.string());
    corpus.names.push_back(file.stem().string());
    for (size_t t = 0; t < targets.size(); ++t) {
      corpus.rung[t].push_back(by_rung(program, targets[t].set));
      corpus.torch[t].push_back(by_torch(program, targets[t].set));
    }
  }
  return corpus;
}

size_t count_reached(const std::vector<Reached>& programs) {
  return static_cast<size_t>(std::ranges::count_if(programs, &Reached::all));
}

// "ok", or how many operators are left, or that there is no result.
std::string verdict(const Reached& reached) {
  if (reached.refusal) return "refused";
  return reached.all() ? "ok" : cat(reached.left.size());
}

std::string nodes_or_left(const Reached& reached) {
  if (!reached.all()) return reached.refusal ? "refused" : cat(reached.left.size(), " left");
  return cat(reached.nodes, " nodes");
}

/// Operators that are left, those of most programs first; behind each, of how many.
std::vector<std::string> most_left(const std::vector<Reached>& programs) {
  std::map<std::string, size_t> by_operator;
  for (const Reached& reached : programs)
    for (const auto& [op, calls] : reached.left) ++by_operator[op];
  std::vector<std::pair<std::string, size_t>> order(by_operator.begin(), by_operator.end());
  std::ranges::stable_sort(order, std::greater(), &std::pair<std::string, size_t>::second);
  std::vector<std::string> texts;
  for (const auto& [op, count] : order) texts.push_back(cat('`', op, "` ", count));
  return texts;
}

std::string first_of(const std::vector<std::string>& texts, size_t most) {
  std::string text;
  for (size_t i = 0; i < std::min(most, texts.size()); ++i) text += cat(i == 0 ? "" : ", ", texts[i]);
  if (texts.size() > most) text += cat(", and ", texts.size() - most, " more");
  return text;
}

std::string summary(const std::vector<Target>& targets, const Corpus& block, const Corpus& models,
                    const Corpus& dynamic, bool delegates) {
  std::string text =
      "| set | operators | models: rung | torch | dynamic: rung | torch | block: rung | torch | left by rung |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|---|\n";
  for (size_t t = 0; t < targets.size(); ++t) {
    if (targets[t].is_delegate != delegates) continue;
    text += cat("| ", targets[t].set.name, " | ", targets[t].set.size(), " | ", count_reached(models.rung[t]), " | ",
                count_reached(models.torch[t]), " | ", count_reached(dynamic.rung[t]), " | ",
                count_reached(dynamic.torch[t]), " | ", nodes_or_left(block.rung[t][0]), " | ",
                nodes_or_left(block.torch[t][0]), " | ", first_of(most_left(models.rung[t]), 1), " |\n");
  }
  return text;
}

// "executorch<br>vulkan": narrow enough to stand beside others.
std::string heading(std::string_view name) {
  std::string text;
  for (char c : name) text += c == '_' ? "<br>" : std::string(1, c);
  return text;
}

std::string matrix(std::span<const Target> targets, size_t first, const Corpus& block, const Corpus& models) {
  std::string head = "| model |", line = "|---|";
  for (const Target& target : targets) {
    head += cat(" ", heading(target.set.name), " |");
    line += ":-:|";
  }
  std::string text = cat(head, '\n', line, '\n');
  for (const Corpus* corpus : {&block, &models})
    for (size_t m = 0; m < corpus->names.size(); ++m) {
      text += cat("| ", corpus->names[m], " |");
      for (size_t t = first; t < first + targets.size(); ++t)
        text += cat(" ", verdict(corpus->rung[t][m]), " / ", verdict(corpus->torch[t][m]), " |");
      text += '\n';
    }
  return text;
}

std::string matrices(const std::vector<Target>& targets, const Corpus& block, const Corpus& models) {
  std::string text;
  for (size_t first = 0; first < targets.size(); first += kColumns) {
    const auto part = std::span(targets).subspan(first, std::min(kColumns, targets.size() - first));
    text += cat(first == 0 ? "" : "\n", matrix(part, first, block, models));
  }
  return text;
}

std::string left_rows(const std::vector<Target>& targets, const Corpus& models) {
  std::string text = "| set | by rung | by torch |\n|---|---|---|\n";
  for (size_t t = 0; t < targets.size(); ++t) {
    const std::vector<std::string> rung = most_left(models.rung[t]), torch = most_left(models.torch[t]);
    if (!rung.empty() || !torch.empty())
      text +=
          cat("| ", targets[t].set.name, " | ", first_of(rung, rung.size()), " | ", first_of(torch, kShown), " |\n");
  }
  return text;
}

// Without the call that it names.
std::string reason_of(const Reached& reached) {
  return reached.refusal->substr(0, std::min(reached.refusal->find('\n'), reached.refusal->find(", but found")));
}

std::string refusals(const std::vector<Target>& targets, const Corpus& models) {
  std::map<std::string, std::pair<size_t, std::set<std::string>>> reasons;
  for (const auto* side : {&models.rung, &models.torch})
    for (size_t t = 0; t < targets.size(); ++t)
      for (size_t m = 0; m < models.names.size(); ++m) {
        const Reached& reached = (*side)[t][m];
        if (!reached.refusal) continue;
        auto& [count, names] = reasons[cat(side == &models.rung ? "rung" : "torch", " | ", reason_of(reached))];
        ++count;
        names.insert(models.names[m]);
      }
  std::string text = "| by | why | pairs | models |\n|---|---|--:|---|\n";
  for (const auto& [reason, found] : reasons) {
    text += cat("| ", reason, " | ", found.first, " |");
    for (const std::string& name : found.second) text += cat(" ", name);
    text += " |\n";
  }
  return text;
}

std::string document(const std::string& project) {
  const std::vector<Target> targets = all_targets(project);
  const Corpus block = measured({cat(project, "/tests/unit/files/block.pt2")}, targets);
  const Corpus models = measured(files_in(cat(project, "/tests/golden/models")), targets);
  const Corpus dynamic = measured(files_in(cat(project, "/tests/golden/dynamic")), targets);
  return cat(
      "# Models and op sets\n\nWritten by `tests/coverage/opsets.cpp` (`make coverage`); do not edit. The test "
      "`opsets` "
      "fails if it is not current.\n\n"
      "Every model of `tests/golden/models` and `tests/golden/dynamic` (",
      models.names.size(), " and ", dynamic.names.size(),
      "), and one attention block (`tests/unit/files/block.pt2`), lowered to core, to prims (with rung's floor), and "
      "to "
      "each op set that ships with rung. A set is *reached* where no operator is left that it does not accept. Beside "
      "it, torch's own: `run_decompositions()` with torch's default table and all of its other decompositions, minus "
      "what the set accepts; computed by rung (`--like torch`), and held against torch itself by `make oracle` (some "
      "of torch's "
      "references call each other past the table: there torch leaves more operators than are counted here). "
      "getitems, what asks for sizes or computes with them, and assertions on dtypes do not count.\n\n"
      "How rung gets there: [op-sets.md](op-sets.md).\n\n## Set by set\n\n"
      "Models that reach the set, of ",
      models.names.size(), " static and ", dynamic.names.size(),
      " dynamic ones; what becomes of the block; and the operator that rung leaves in most models.\n\n",
      summary(targets, block, models, dynamic, false),
      "\nPartial delegates: what they do not take runs elsewhere, on the portable kernels; they need not be "
      "reached.\n\n",
      summary(targets, block, models, dynamic, true),
      "\n## Model by model\n\nrung / torch: `ok`, or how many operators are left outside.\n\n",
      matrices(targets, block, models),
      "\n## What is left\n\nThe operators outside, each with the number of static models: all that rung leaves, and "
      "the ",
      kShown, " that torch leaves most often.\n\n", left_rows(targets, models),
      "\n## Refused\n\nModels without a result, for static sizes.\n\n", refusals(targets, models));
}

void print_left(std::string_view set, std::string_view by, const Reached& reached) {
  std::string line = cat(set, ' ', by);
  if (reached.refusal) line += cat(" refused: ", *reached.refusal);
  for (const auto& [op, calls] : reached.left) line += cat(' ', op);
  std::puts(line.c_str());
}

int print_all_left(const std::string& project, const std::string& file, std::span<char*> sets) {
  const ExportedProgram program = load(file);
  for (const char* name : sets) {
    const OpSet set = target_named(project, name).set;
    print_left(name, "rung", by_rung(program, set));
    print_left(name, "torch", by_torch(program, set));
  }
  return 0;
}

int print_ops(const OpSet& set) {
  for (OpId op = 0; op < all_ops().size(); ++op)
    if (set.accepts(op)) std::puts(short_name(op).c_str());
  return 0;
}

int run_tool(std::span<char*> args) {
  const std::string_view verb = args.size() < 2 ? "" : args[1];
  if (args.size() == 1) return write_or_check(args[0], "docs/opsets.md", document(args[0]), false);
  if (args.size() == 2 && verb == "--check") return write_or_check(args[0], "docs/opsets.md", document(args[0]), true);
  if (args.size() > 3 && verb == "--left") return print_all_left(args[0], args[2], args.subspan(3));
  if (args.size() == 3 && verb == "--ops") return print_ops(target_named(args[0], args[2]).set);
  fail_input("usage: rung_opsets PROJECT [--check | --left FILE.pt2 SET... | --ops SET]");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_tool(std::span(argv, static_cast<size_t>(argc)).subspan(1));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rung_opsets: %s\n", error.what());
    return 2;
  }
}
