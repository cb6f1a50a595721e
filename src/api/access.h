// From the public classes to the internal ones, and back.
#pragma once
#include "api/internal.h"

#include <memory>

#include <rung/program.h>

namespace rung {
inline namespace v1 {

struct ProgramAccess {
  static const detail::Program& of(const ExportedProgram& program) { return *program.program_; }
  static ExportedProgram make(detail::Program program) {
    return ExportedProgram(std::make_shared<const detail::Program>(std::move(program)));
  }
};

struct TableAccess {
  static const detail::Table& of(const DecompositionTable& table) { return *table.table_; }
  static void set(DecompositionTable& table, detail::Table value) {
    table.table_ = std::make_shared<const detail::Table>(std::move(value));
  }
  static DecompositionTable make(detail::Table table) {
    return DecompositionTable(std::make_shared<const detail::Table>(std::move(table)));
  }
};

/// What `lower` makes of the program; an Error that it throws gets the program's file in front.
template <typename Lower>
ExportedProgram lowered_at_file(const ExportedProgram& program, Lower&& lower) {
  const detail::Program& source = ProgramAccess::of(program);
  try {
    return ProgramAccess::make(lower(source));
  } catch (const Error& error) {
    if (source.value.file_name.empty()) throw;
    throw error.at(source.value.file_name);
  }
}

}  // namespace v1
}  // namespace rung
