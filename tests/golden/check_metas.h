// Infers the metadata of every node of a program from that of its operands, and compares with what torch recorded.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "ir/program.h"

namespace rung::golden {

struct MetaCount {
  int same = 0, differ = 0, refused = 0;
  int foreign = 0;  // calls of another library's operators, which has their rules, and higher-order ones: left out
};
using MetaCounts = std::map<std::string, MetaCount>;  // by target

/// Adds to `counts` each call of the program, sub-graphs included: dtype, sizes, strides and offset of tensors, the
/// values of numbers. Prints what differs or is refused, with operands and both metas, unless `brief`.
void check_metas(std::string_view program_name, const ExportedProgram& program, bool brief, MetaCounts& counts);

MetaCount total_of(const MetaCounts& counts);

/// Prints a line for each target that is not wholly right, and the totals. True if nothing differs or is refused.
bool report_metas(std::string_view title, const MetaCounts& counts);

}  // namespace rung::golden
