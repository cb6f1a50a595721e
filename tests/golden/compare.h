// What rung makes of a program, against what torch printed of it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ir/program.h"

namespace rung::golden {

/// From best to worst.
enum class Verdict : uint8_t { kSame, kNamesDiffer, kDiffers, kRefused };

/// "the same", "names differ", "differs", "refused".
std::string_view verdict_name(Verdict verdict);

struct Outcome {
  Verdict verdict = Verdict::kSame;
  std::string detail;            // the first line that differs, both ways, or the message of a refusal
  std::vector<OpId> calls = {};  // prims_closed: the operators of the lowered program; closed: those outside of core;
                                 // saved: those of the program
};

/// Compares for one of the keys that the corpus has texts for:
///   loaded            str(graph) of the program as read, byte for byte
///   aten, core        str(graph) lowered by torch's tables, like torch
///   core_typed        print_readable() of that, but for "# File:" comments
///   core_error        what torch refuses core with, and rung like torch too
///   prims_program     str(graph) lowered by all of torch's tables, like torch
///   prims_program_error  what torch refuses that with
///   signature         str(graph_signature) lowered to core
///   loaded_signature  the same of the program as read
///   range_constraints of the program lowered to core
///   bound_aten, bound_core   str(graph) of the static export, against that of a dynamic program whose sizes are bound
///                            to those of its example
///   values            what the program computes, against arrays that torch recorded (golden/values.h)
///   values_core, values_prims   the same of the program lowered by default
/// and for keys that need no text of torch:
///   closed            lowered to core as rung does by default, nothing is left that the table opens
///   prims_closed      lowered to prims as rung does by default, nothing is left but primitives and the floor
///   saved             that program written, read again and printed is the same
/// Every graph made on the way is verified.
Outcome compare(std::string_view key, std::string_view expected, const ExportedProgram& program, Build build);

}  // namespace rung::golden
