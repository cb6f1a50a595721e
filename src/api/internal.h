// What the public headers name as the sources do, under names of its own. To be included before them: after
// that, "ExportedProgram" would mean both.
#pragma once
#include "export/load.h"
#include "export/save.h"
#include "interp/run.h"
#include "ir/print.h"
#include "nn/export.h"
#include "opset/reach.h"
#include "opset/read_op_set.h"
#include "opset/report.h"
#include "pass/lower.h"
#include "trace/make_fx.h"
#include "trace/table_by_name.h"

namespace rung::detail {

struct Program {
  ExportedProgram value;
};

struct Table {
  DecompositionTable value;
};

struct Set {
  OpSet value;
  Table table = {table_for(value)};  // what it learns of one program serves the next
};

inline Program read_program(const std::string& path) { return {load(path)}; }

inline Program lower_program(const Program& program, const Table& table, bool like_torch,
                             const std::vector<std::pair<std::string, int64_t>>& bind) {
  std::vector<SizeBinding> bindings;
  for (const auto& [place, size] : bind) bindings.push_back({place, size});
  LowerOptions options{.like_torch = like_torch, .sizes = resolve_bindings(program.value, bindings)};
  return {lower(program.value, table.value, options)};
}

inline Set set_from_file(const std::string& path) { return {read_op_set(path)}; }
inline Set set_named(std::string_view name) { return {op_set_named(name)}; }

inline Program lower_to_set(const Program& program, const Set& set, bool like_torch,
                            const std::vector<std::pair<std::string, int64_t>>& bind) {
  Program lowered = lower_program(program, set.table, like_torch, bind);
  check_reached(lowered.value, set.value);
  return lowered;
}

inline Program export_module(nn::Module& module, const std::function<Argument(Arguments)>& forward, TensorList inputs,
                             const nn::ExportSettings& settings) {
  return {nn::export_module(module, forward, inputs, settings)};
}

inline Table aten_table(Build build) { return {aten_decompositions(build)}; }
inline Table composite_table(Build build) { return {composite_decompositions(build)}; }
inline Table core_table(Build build) { return {core_aten_decompositions(build)}; }
inline Table prims_table(Build build) { return {prims_decompositions(build)}; }
inline Table torch_prims_table(Build build) { return {torch_prims_decompositions(build)}; }

}  // namespace rung::detail
