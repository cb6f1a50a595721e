// Reading .pt2 files.
#pragma once
#include <string>

#include "ir/program.h"

namespace rung {

/// The program in a file that torch.export.save wrote (torch 2.1 to 2.14), node for node what torch.export.load makes
/// of it. Weights stay mapped. Fails with kInput; messages are "path: place: what is wrong".
ExportedProgram load(const std::string& path);

}  // namespace rung
