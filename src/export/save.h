// Writing .pt2 files.
#pragma once
#include <string>

#include "ir/program.h"

namespace rung {

/// Writes the program as torch 2.13 lays it out, whatever it was read from. What a program holds as it was read comes
/// out as it was in the file; all else is derived from the graph. A graph without file_facts (a lowered or traced one)
/// is written as functional ATen, without guards. Weights are copied file to file. Fails with kInput when the file
/// cannot be written; then nothing is left.
void save(const ExportedProgram& program, const std::string& path);

}  // namespace rung
