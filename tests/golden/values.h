// What a program computes on recorded inputs, against what torch computed.
#pragma once
#include <span>

#include "golden/compare.h"

namespace rung::golden {

/// `npz`: an archive of numpy arrays in0, in1, ... and out0, out1, ..., the tensors that go in and come out. Integers,
/// dtypes, sizes and strides must agree; floats may be apart by a few units in the last place of the largest element.
/// Results that torch draws by chance, or leaves as its memory was, agree in dtype and sizes. `original`: the program
/// that `program` was lowered from, or itself.
Outcome compare_values(std::string_view npz, const ExportedProgram& original, const ExportedProgram& program);

}  // namespace rung::golden
