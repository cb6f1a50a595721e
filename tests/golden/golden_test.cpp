// Holds rung against what torch printed, and both against the ledger of what is known to differ.
// A case that differs without a line in ledger.txt fails; so does a line whose case has come right, or got
// better or worse. Usage: rung_golden ROOT [FOLDER]... [--update]      --update writes the ledger anew,
// keeping its reasons
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "golden/suite.h"

using namespace rung;
using namespace rung::golden;

namespace {

const LedgerEntry* find(const std::vector<LedgerEntry>& ledger, const std::string& name, const std::string& key) {
  for (const LedgerEntry& entry : ledger)
    if (entry.name == name && entry.key == key) return &entry;
  return nullptr;
}

/// `text` with every line cut where reading it ends.
std::string cut(std::string_view text) {
  constexpr size_t kWidth = 240;
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += text.substr(0, std::min(end, kWidth));
    if (end > kWidth) out += " ...";
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// What is wrong with a result; empty if the ledger says the same.
std::string problem(const Result& result, const LedgerEntry* known) {
  const Verdict expected = known != nullptr ? known->verdict : Verdict::kSame, got = result.outcome.verdict;
  if (expected == got) return "";
  if (known == nullptr) return cat(verdict_name(got), ": ", result.outcome.detail);
  if (got == Verdict::kSame) return cat("is right now; take its line out of the ledger (", known->reason, ")");
  return cat("stands in the ledger as '", verdict_name(expected), "', but is '", verdict_name(got),
             "': ", result.outcome.detail);
}

void print_tally(const std::vector<Result>& results) {
  for (const auto& [key, counts] : tally_of(results)) {
    std::string line = cat("  ", key, ":");
    for (const auto& [verdict, count] : counts) line += cat(" ", count, " ", verdict_name(verdict), ";");
    line.back() = '\n';
    std::fputs(line.c_str(), stdout);
  }
}

/// Counts the results, and the lines of the ledger that no case answers to, which fail.
int run_suite(const Suite& suite, const std::string& root, const std::vector<LedgerEntry>& ledger) {
  const std::vector<Result> results = run(suite, root);
  int failed = 0, in_ledger = 0;
  auto fail = [&](const std::string& name, const std::string& key, const std::string& why) {
    ++failed;
    std::fputs(cat("FAILED ", name, " ", key, " ", cut(why), "\n").c_str(), stdout);
  };
  for (const Result& result : results) {
    const LedgerEntry* known = find(ledger, result.name, result.key);
    in_ledger += known != nullptr;
    if (std::string why = problem(result, known); !why.empty()) fail(result.name, result.key, why);
  }
  for (const LedgerEntry& entry : ledger) {
    if (entry.name.substr(0, entry.name.rfind('/')) != suite.folder) continue;
    bool answered = false;
    for (const Result& result : results) answered = answered || (result.name == entry.name && result.key == entry.key);
    if (!answered) fail(entry.name, entry.key, "stands in the ledger, but there is no such case");
  }
  if (results.empty()) fail(std::string(suite.folder), "", "holds no case");
  print_tally(results);
  std::fputs(cat("golden ", suite.folder, ": ", results.size(), " comparisons, ", in_ledger, " in the ledger, ", failed,
                 " failed\n")
                 .c_str(),
             stdout);
  return failed;
}

std::string first_line(const std::string& text) {
  std::string line;
  for (char c : text) line += c == '\n' ? ' ' : c;
  return line.substr(0, 200);
}

/// Of a refusal what is missing, without the place; of a difference its first line.
std::string reason_of(const Outcome& outcome) {
  std::string line = first_line(outcome.detail);
  const size_t path = line.find("no path to '"), what = path == line.npos ? path : line.find("': ", path);
  if (outcome.verdict != Verdict::kRefused || what == line.npos) return line;
  line = line.substr(what + 3);
  return cat(line.substr(0, line.find(" (needed by")), " yet");
}

void update(const std::string& root, const std::vector<LedgerEntry>& ledger) {
  std::string text =
      "# What of torch's texts rung does not give. One line a case and key: FOLDER/NAME KEY VERDICT: REASON\n"
      "# The verdicts: names differ (the same graph), differs, refused. Kept true by "
      "tests/golden/golden_test.cpp.\n";
  for (const Suite& suite : suites())
    for (const Result& result : run(suite, root)) {
      if (result.outcome.verdict == Verdict::kSame) continue;
      const LedgerEntry* known = find(ledger, result.name, result.key);
      const bool keeps = known != nullptr && known->verdict == result.outcome.verdict;
      text += cat(result.name, " ", result.key, " ", verdict_name(result.outcome.verdict), ": ",
                  keeps ? known->reason : reason_of(result.outcome), "\n");
    }
  std::ofstream(cat(root, "/ledger.txt")) << text;
}

int run_all(int argc, char** argv) {
  if (argc < 2) fail_input("usage: rung_golden ROOT [FOLDER]... [--update]");
  const std::string root = argv[1];
  const std::vector<LedgerEntry> ledger = read_ledger(root);
  if (argc > 2 && std::strcmp(argv[2], "--update") == 0) {
    update(root, ledger);
    return 0;
  }
  int failed = 0;
  for (const Suite& suite : suites()) {
    bool wanted = argc == 2;
    for (int i = 2; i < argc; ++i) wanted = wanted || suite.folder == argv[i];
    if (wanted) failed += run_suite(suite, root, ledger);
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_all(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rung_golden: %s\n", error.what());
    return 2;
  }
}
