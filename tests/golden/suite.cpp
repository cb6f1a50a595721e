// Reads the cases and the ledger.
#include "golden/suite.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "export/load.h"
#include "golden/packed.h"

namespace rung::golden {
namespace {

constexpr Suite kSuites[] = {
    {"models", "49 models of transformers and torchvision's kinds, torch 2.13, static sizes"},
    {"dynamic", "the same models with dynamic sizes", Build::k2_13, false},
    {"opinfo", "operators of torch's database, static sizes"},
    {"dynamic_opinfo", "operators of torch's database, every size dynamic where torch lets it be", Build::k2_13, false},
    {"lesson/2.2", "small modules, written by torch 2.2", Build::k2_2},
    {"lesson/2.6", "the same, written by torch 2.6; lowered by the tables of 2.13"},
    {"lesson/2.8", "the same, written by torch 2.8; lowered by the tables of 2.13"},
    {"lesson/2.13", "the same, written by torch 2.13"},
};
constexpr std::string_view kExtra = "extra/";

LedgerEntry parse_entry(std::string_view line) {
  LedgerEntry entry;
  const size_t colon = line.find(": "), space = line.find(' ');
  const size_t second = space == line.npos ? line.npos : line.find(' ', space + 1);
  if (colon == line.npos || second == line.npos || second > colon)
    fail_input("expected 'FOLDER/NAME KEY VERDICT: REASON'");
  entry.name = line.substr(0, space);
  entry.key = line.substr(space + 1, second - space - 1);
  entry.reason = line.substr(colon + 2);
  const std::string_view verdict = line.substr(second + 1, colon - second - 1);
  for (Verdict known : {Verdict::kNamesDiffer, Verdict::kDiffers, Verdict::kRefused})
    if (verdict_name(known) == verdict) entry.verdict = known;
  if (entry.verdict == Verdict::kSame) fail_input("unknown verdict '", verdict, "'");
  return entry;
}

void run_case(const Suite& suite, const std::filesystem::path& file, std::vector<Result>& results) {
  const std::string name = cat(suite.folder, "/", file.stem().string());
  try {
    const ExportedProgram program = load(file.string());
    verify(*program.graph);
    auto add = [&](std::string_view key, std::string_view expected) {
      Outcome outcome = compare(key, expected, program, suite.build);
      if (outcome.verdict == Verdict::kNamesDiffer && !suite.has_names) outcome = {};
      results.push_back({name, std::string(key), outcome});
    };
    for (const auto& [record, payload] : program.other_files) {
      if (!record.starts_with(kExtra)) continue;
      const std::string_view key = std::string_view(record).substr(kExtra.size());
      const std::string_view content(payload.bytes.data(), payload.bytes.size());
      add(key, content);
      if (key != "values") continue;
      add("values_core", content);
      add("values_prims", content);
    }
    add("closed", "");
    add("prims_closed", "");
    add("saved", "");
  } catch (const std::exception& error) {
    results.push_back({name, "read", {Verdict::kRefused, error.what()}});
  }
}

}  // namespace

std::span<const Suite> suites() { return kSuites; }

std::vector<LedgerEntry> read_ledger(const std::string& root) {
  const std::string path = cat(root, "/ledger.txt");
  std::ifstream in(path);
  if (!in) fail_input(path, ": cannot be read");
  std::vector<LedgerEntry> entries;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    try {
      entries.push_back(parse_entry(line));
    } catch (const Error& error) {
      throw error.at(cat(path, ":", number));
    }
  }
  return entries;
}

void for_each_case(const Suite& suite, const std::string& root,
                   const std::function<void(const std::filesystem::path&)>& use) {
  if (const std::string archive = cat(root, "/", suite.folder, ".zip"); std::filesystem::exists(archive))
    return for_each_packed(archive, use);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(cat(root, "/", suite.folder)))
    if (entry.path().extension() == ".pt2") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) use(file);
}

std::vector<Result> run(const Suite& suite, const std::string& root) {
  std::vector<Result> results;
  for_each_case(suite, root, [&](const std::filesystem::path& file) { run_case(suite, file, results); });
  return results;
}

Tally tally_of(const std::vector<Result>& results) {
  Tally tally;
  for (const Result& result : results) ++tally[result.key][result.outcome.verdict];
  return tally;
}

}  // namespace rung::golden
