// The pieces of load(), one a file.
#pragma once
#include <string>

#include "base/json.h"
#include "export/archive.h"
#include "export/read_values.h"
#include "ir/program.h"

namespace rung {

/// Fills inputs and outputs from "signature"; the graph is there. Checks that both name the same values.
void read_signature(json::Value signature, ExportedProgram& program);

/// "module_call_graph" is kept as text; this checks what save() and torch need of it.
void check_module_calls(json::Value entries);

/// Parameters, buffers and constants of the layout of torch 2.9 and later: a config, and a file for each storage.
void read_raw_weights(const Archive& archive, ValueReader& values, ExportedProgram& program);
/// Those of older layouts: dictionaries that torch.save pickled.
void read_pickled_weights(const Archive& archive, ExportedProgram& program);

/// Checks that the payload holds all elements of the tensor. Fails with kInput.
void check_payload(const StoredTensor& tensor, const Payload& payload);
/// Checks that the signature's parameters, buffers and constants are there.
void check_weights(const ExportedProgram& program);

/// Parses a record and keeps the document with the program.
json::Value parse_record(const Archive& archive, std::string_view record, ExportedProgram& program);

}  // namespace rung
