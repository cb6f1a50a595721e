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

}  // namespace v1
}  // namespace rung
