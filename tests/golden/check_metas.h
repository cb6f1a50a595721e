// Infers the metadata of every recorded call from that of its operands, and compares with what torch
// recorded.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "ir/program.h"

namespace rung::golden {

struct MetaCount {
  int same = 0, differ = 0, refused = 0, without_meta = 0;
};

/// Adds to `counts` by op name. Prints each difference, and each refusal, with operands and both metas,
/// unless `brief`.
void check_metas(std::string_view program_name, const ExportedProgram& program, bool brief,
                 std::map<std::string, MetaCount>& counts);

/// One line an op that is not wholly right, and the totals. True if nothing differs.
bool report_metas(const std::map<std::string, MetaCount>& counts);

}  // namespace rung::golden
