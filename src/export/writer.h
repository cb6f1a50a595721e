// The pieces of save(), one a file.
#pragma once
#include <string>

#include "base/zip.h"
#include "ir/program.h"

namespace rung {

/// models/model.json.
std::string program_json(const ExportedProgram& program);
/// "signature": what inputs and outputs mean.
void append_signature(std::string& out, const ExportedProgram& program);
/// "module_call_graph": how the root and some modules are called.
void append_module_call_graph(std::string& out, const ExportedProgram& program);
/// "name": the argument of a spec that is a constant, {"as_int": 3} and the like.
void append_constant(std::string& out, const Argument& value);

/// The program is as it was read: names and meanings of the file's own texts still hold.
bool is_as_read(const ExportedProgram& program);

/// Storages and their configs, in torch's order.
void write_weights(const ExportedProgram& program, ZipWriter& zip, std::string_view root);

}  // namespace rung
