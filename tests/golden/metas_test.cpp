// Holds the metadata that rung infers of every node of the golden cases against what torch recorded: all must agree.
// Usage: rung_metas ROOT
#include <cstdio>

#include "base/error.h"
#include "export/load.h"
#include "golden/check_metas.h"
#include "golden/suite.h"

using namespace rung;
using namespace rung::golden;

namespace {

MetaCounts counts_of(const Suite& suite, const std::string& root) {
  MetaCounts counts;
  for_each_case(suite, root, [&](const std::filesystem::path& file) {
    const bool brief = false;
    check_metas(cat(suite.folder, "/", file.stem().string()), load(file.string()), brief, counts);
  });
  return counts;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: rung_metas ROOT\n", stderr);
    return 64;
  }
  bool good = true;
  for (const Suite& suite : suites()) {
    if (suite.build != Build::k2_13) continue;  // torch 2.2 infers by rules of its own
    const MetaCounts counts = counts_of(suite, argv[1]);
    const bool all_same = report_metas(suite.folder, counts);
    good = good && all_same && total_of(counts).same > 0;
  }
  return good ? 0 : 1;
}
