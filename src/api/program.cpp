// The public ExportedProgram: a shared handle of the internal one.
#include "api/internal.h"

#include <rung/program.h>

#include "api/access.h"

namespace rung {
inline namespace v1 {

ExportedProgram ExportedProgram::run_decompositions() const {
  return run_decompositions(TableAccess::make(detail::core_table(Build::k2_13)));
}

ExportedProgram ExportedProgram::run_decompositions(const DecompositionTable& table) const {
  return rung::lower(*this, table);
}

std::string ExportedProgram::graph_text() const { return rung::graph_text(*program_->value.graph); }
std::string ExportedProgram::code() const { return code_text(*program_->value.graph); }
std::string ExportedProgram::readable() const { return readable_text(*program_->value.graph); }
std::string ExportedProgram::signature() const { return signature_text(program_->value); }
std::string ExportedProgram::range_constraints() const { return range_constraints_text(program_->value); }
size_t ExportedProgram::node_count() const { return program_->value.graph->size; }
Build ExportedProgram::build() const { return program_->value.build; }

ExportedProgram load(const std::string& path) { return ProgramAccess::make(detail::read_program(path)); }

void save(const ExportedProgram& program, const std::string& path) {
  rung::save(ProgramAccess::of(program).value, path);
}

ExportedProgram lower(const ExportedProgram& program, const DecompositionTable& table, const LowerOptions& options) {
  return lowered_at_file(program, [&](const detail::Program& source) {
    return detail::lower_program(source, TableAccess::of(table), options.like_torch, options.bind);
  });
}

}  // namespace v1
}  // namespace rung
