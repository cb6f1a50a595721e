// The golden cases of a folder, run against torch's texts and the ledger.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "golden/compare.h"

namespace rung::golden {

/// A folder of tests/golden: files NAME.pt2 that hold torch's texts as extra files (scripts/pack_corpus.py); or
/// FOLDER.zip, which holds them together.
struct Suite {
  std::string_view folder;
  std::string_view what;
  Build build = Build::k2_13;
  bool has_names = true;  // else only the graphs are compared: with dynamic sizes torch's own names are not stable
};

std::span<const Suite> suites();

/// A key of a case that does not hold, and why: a line "models/bart core names differ: reason" of ledger.txt.
struct LedgerEntry {
  std::string name, key;  // "models/bart", "core"
  Verdict verdict = Verdict::kSame;
  std::string reason;
};

/// Throws kInput for a line that is none.
std::vector<LedgerEntry> read_ledger(const std::string& root);

struct Result {
  std::string name, key;
  Outcome outcome;
};

/// Calls `use` for the file of each case of the suite, by case name.
void for_each_case(const Suite& suite, const std::string& root,
                   const std::function<void(const std::filesystem::path&)>& use);

/// Every key of every case, by case name.
std::vector<Result> run(const Suite& suite, const std::string& root);

/// How often each verdict was given, by key.
using Tally = std::map<std::string, std::map<Verdict, int>>;
Tally tally_of(const std::vector<Result>& results);

}  // namespace rung::golden
