// Compares a folder of golden cases with rung: NAME.pt2 and NAME.json with torch's texts. For development:
// the cases under test are packed into one file each (golden_test.cpp). The key "metas" needs no golden text:
// it infers each recorded node's metadata from that of its operands. Usage: rung_corpus DIR [--match TEXT]
// [--skip TEXT] [--keys loaded,aten,core,core_typed,signature,metas,closed,saved]
//                        [--build 2.2] [--brief]
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "base/error.h"
#include "base/json.h"
#include "export/load.h"
#include "golden/check_metas.h"
#include "golden/compare.h"

using namespace rung;
using golden::Verdict;

namespace {

struct Options {
  std::string folder, match, skip, keys = "loaded,aten,core";
  Build build = Build::k2_13;
  bool brief = false;
};

struct Tally {
  std::map<std::string, std::map<Verdict, int>> counts;  // by key
  std::map<std::string, int> reasons;                    // of refusals
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void compare(const std::string& name, const std::string& key, std::string_view expected, const ExportedProgram& program,
             const Options& options, Tally& tally) {
  golden::Outcome outcome = golden::compare(key, expected, program, options.build);
  ++tally.counts[key][outcome.verdict];
  if (outcome.verdict == Verdict::kSame) return;
  if (outcome.verdict == Verdict::kRefused) {
    std::string reason = outcome.detail;
    if (size_t colon = reason.find("): "); colon != reason.npos) reason = reason.substr(colon + 3);
    ++tally.reasons[reason];
  }
  if (!options.brief)
    std::printf("%s %s: %s: %s\n", name.c_str(), key.c_str(), std::string(verdict_name(outcome.verdict)).c_str(),
                outcome.detail.c_str());
  else if (outcome.verdict == Verdict::kDiffers)
    std::printf("%s %s: differs\n", name.c_str(), key.c_str());
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto value = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (word == "--match")
      options.match = value();
    else if (word == "--skip")
      options.skip = value();
    else if (word == "--keys")
      options.keys = value();
    else if (word == "--build")
      options.build = build_from_name(value()).value();
    else if (word == "--brief")
      options.brief = true;
    else
      options.folder = word;
  }
  return options;
}

void run_case(const std::filesystem::path& file, const Options& options, Tally& tally, golden::MetaCounts& metas) {
  const std::string name = file.stem();
  ExportedProgram program = load(file.string());
  verify(*program.graph);
  const std::string text = read_file(std::filesystem::path(file).replace_extension(".json"));
  const auto golden = json::Document::parse(text.empty() ? "{}" : text);
  std::istringstream keys(options.keys);
  for (std::string key; std::getline(keys, key, ',');) {
    if (key == "metas") {
      golden::check_metas(name, program, options.brief, metas);
    } else if (key.ends_with("closed") || key == "saved") {
      compare(name, key, "", program, options, tally);
    } else if (key.starts_with("values")) {
      compare(name, key, read_file(std::filesystem::path(file).replace_extension(".npz")), program, options, tally);
    } else if (json::Value value = golden->root().find(key)) {
      compare(name, key, value.as_string(), program, options, tally);
    }
  }
}

// Prints the totals; true if every graph is the same up to names.
bool report(const Tally& tally) {
  std::vector<std::pair<int, std::string>> ranked;
  for (const auto& [reason, count] : tally.reasons) ranked.push_back({count, reason});
  std::sort(ranked.rbegin(), ranked.rend());
  for (const auto& [count, reason] : ranked) std::printf("%5d  %s\n", count, reason.c_str());
  bool good = true;
  for (const auto& [key, counts] : tally.counts) {
    auto of = [&](Verdict verdict) { return counts.contains(verdict) ? counts.at(verdict) : 0; };
    std::printf("%s: %d the same, %d up to names, %d differ, %d refused\n", key.c_str(), of(Verdict::kSame),
                of(Verdict::kNamesDiffer), of(Verdict::kDiffers), of(Verdict::kRefused));
    good = good && of(Verdict::kDiffers) + of(Verdict::kRefused) == 0;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse(argc, argv);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.folder))
    if (entry.path().extension() == ".pt2") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  Tally tally;
  golden::MetaCounts metas;
  for (const auto& file : files) {
    const std::string name = file.stem();
    if (name.find(options.match) == name.npos || (!options.skip.empty() && name.find(options.skip) != name.npos))
      continue;
    try {
      run_case(file, options, tally, metas);
    } catch (const std::exception& error) {
      ++tally.counts["load"][Verdict::kRefused];
      std::printf("%s: %s\n", name.c_str(), error.what());
    }
  }
  const bool same_metas = metas.empty() || golden::report_metas(options.folder, metas);
  return report(tally) && same_metas ? 0 : 1;
}
