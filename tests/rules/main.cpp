// Writes docs/rules.md: the lateral rules, and the dtypes on which each computes what its op does.
// Usage: rung_rules PROJECT [--check]      --check fails if the file is not what would be written
// Fails where a rule is not sound.
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "coverage/generated.h"
#include "rules/check.h"

using namespace rung;
using namespace rung::rule_test;

namespace {

int run_tool(int argc, char** argv) {
  if (argc < 2) fail_input("usage: rung_rules PROJECT [--check]");
  const Report report = check_rules();
  for (const std::string& fault : report.faults) std::printf("%s\n", fault.c_str());
  if (!report.faults.empty()) return 1;
  const bool check = argc > 2 && std::strcmp(argv[2], "--check") == 0;
  return coverage::write_or_check(argv[1], "docs/rules.md", rules_document(report), check);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_tool(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rung_rules: %s\n", error.what());
    return 2;
  }
}
