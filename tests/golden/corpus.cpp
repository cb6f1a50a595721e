// Compares a folder of golden cases with rung: NAME.pt2 and NAME.json with torch's texts.
// The key "metas" needs no golden text: it infers each recorded node's metadata from that of its operands.
// Usage: rung_corpus DIR [--match TEXT] [--skip TEXT] [--keys loaded,aten,core,core_typed,signature,metas] [--build 2.2] [--brief]
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "base/error.h"
#include "export/load.h"
#include "golden/check_metas.h"
#include "golden/same_graph.h"
#include "ir/print.h"
#include "pass/lower.h"

using namespace rung;

namespace {

struct Options {
  std::string folder, match, skip, keys = "loaded,aten,core";
  Build build = Build::k2_13;
  bool brief = false;
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string text_of(const std::string& key, const ExportedProgram& program, Build build) {
  if (key == "loaded") return graph_text(*program.graph);
  DecompositionTable table = key == "aten" ? aten_decompositions(build) : core_aten_decompositions(build);
  ExportedProgram lowered = lower(program, table, {.like_torch = true});
  if (key == "core_typed") return readable_text(*lowered.graph);
  if (key == "signature") return signature_text(lowered);
  return graph_text(*lowered.graph);
}

std::string without_file_comments(const std::string& text) {
  std::istringstream in(text);
  std::string out, line;
  while (std::getline(in, line))
    if (line.find("# File:") == line.npos && line.find_first_not_of(' ') != line.npos && line.find("# No stacktrace") == line.npos) out += line + "\n";
  return out;
}

struct Count {
  int same = 0, names_differ = 0, wrong = 0, refused = 0;
};

void compare(const std::string& name, const std::string& key, json::Value golden, const ExportedProgram& program,
             const Options& options, Count& count, std::map<std::string, int>& reasons) {
  std::string expected(golden.as_string()), got;
  try {
    got = text_of(key, program, options.build);
  } catch (const Error& error) {
    ++count.refused;
    std::string reason = error.what();
    if (size_t colon = reason.find("): "); colon != reason.npos) reason = reason.substr(colon + 3);
    ++reasons[reason];
    if (!options.brief) std::printf("%s %s: %s\n", name.c_str(), key.c_str(), error.what());
    return;
  }
  if (key == "core_typed") expected = without_file_comments(expected), got = without_file_comments(got);
  bool graph = key != "core_typed" && key != "signature";
  std::string difference = graph ? golden::first_difference(golden::canonical(expected), golden::canonical(got)) : golden::first_difference(expected, got);
  if (!difference.empty()) {
    ++count.wrong;
    if (!options.brief) std::printf("%s %s: %s\n", name.c_str(), key.c_str(), golden::first_difference(expected, got).c_str());
    if (options.brief) std::printf("%s %s: differs\n", name.c_str(), key.c_str());
    return;
  }
  std::string named = golden::first_difference(expected, got);
  if (named.empty()) {
    ++count.same;
  } else {
    ++count.names_differ;
    if (!options.brief) std::printf("%s %s: names: %s\n", name.c_str(), key.c_str(), named.c_str());
  }
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto value = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (word == "--match") options.match = value();
    else if (word == "--skip") options.skip = value();
    else if (word == "--keys") options.keys = value();
    else if (word == "--build") options.build = build_from_name(value()).value();
    else if (word == "--brief") options.brief = true;
    else options.folder = word;
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = parse(argc, argv);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.folder))
    if (entry.path().extension() == ".pt2") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::map<std::string, Count> counts;
  std::map<std::string, int> reasons;
  std::map<std::string, golden::MetaCount> metas;
  for (const auto& file : files) {
    std::string name = file.stem();
    if (name.find(options.match) == name.npos || (!options.skip.empty() && name.find(options.skip) != name.npos)) continue;
    try {
      ExportedProgram program = load(file.string());
      if (options.keys.find("metas") != options.keys.npos) golden::check_metas(name, program, options.brief, metas);
      if (options.keys == "metas") continue;
      std::string text = read_file(std::filesystem::path(file).replace_extension(".json"));
      auto golden = json::Document::parse(text);
      std::istringstream keys(options.keys);
      for (std::string key; std::getline(keys, key, ',');)
        if (json::Value value = golden->root().find(key)) compare(name, key, value, program, options, counts[key], reasons);
    } catch (const std::exception& error) {
      ++counts["load"].refused;
      std::printf("%s: %s\n", name.c_str(), error.what());
    }
  }
  std::vector<std::pair<int, std::string>> ranked;
  for (const auto& [reason, count] : reasons) ranked.push_back({count, reason});
  std::sort(ranked.rbegin(), ranked.rend());
  for (const auto& [count, reason] : ranked) std::printf("%5d  %s\n", count, reason.c_str());
  bool good = golden::report_metas(metas);
  for (const auto& [key, count] : counts) {
    std::printf("%s: %d the same, %d up to names, %d differ, %d refused\n", key.c_str(), count.same, count.names_differ, count.wrong, count.refused);
    good = good && count.wrong == 0 && count.refused == 0;
  }
  return good ? 0 : 1;
}
