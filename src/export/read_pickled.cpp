// Weights of older layouts.
#include "base/error.h"
#include "export/reader.h"

namespace rung {

void read_pickled_weights(const Archive&, ExportedProgram&) { fail_unsupported("pickled weights are not read yet"); }

}  // namespace rung
