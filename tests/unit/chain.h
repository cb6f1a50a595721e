// A chain of n blocks (Linear, SiLU, LayerNorm), as torch.export records it: how lowering grows is measured on it. The
// number of rows may be a symbol.
#pragma once
#include "base/strings.h"
#include "unit/build_graph.h"

namespace rung {

inline ExportedProgram chain_program(size_t blocks, SymInt rows = 4) {
  constexpr int64_t kWidth = 8;
  ProgramBuilder builder;
  if (rows.is_symbolic()) {
    builder.program.hints[rows.str()] = 4;
    builder.program.range_constraints.push_back({rows.str(), 2, std::nullopt});
  }
  Arena& arena = *builder.program.arena;
  auto parameter = [&](size_t block, std::string_view module, std::string_view name, std::vector<SymInt> sizes) {
    Node* node = builder.input(arena.copy(cat("p_blocks_", block, '_', module, '_', name)), std::move(sizes),
                               InputKind::kParameter);
    builder.program.inputs.back().target = arena.copy(cat("blocks.", block, '.', module, '.', name));
    return node;
  };
  std::vector<Node*> parameters;
  for (size_t i = 0; i < blocks; ++i) {
    parameters.push_back(parameter(i, "linear", "weight", {kWidth, kWidth}));
    parameters.push_back(parameter(i, "linear", "bias", {kWidth}));
    parameters.push_back(parameter(i, "norm", "weight", {kWidth}));
    parameters.push_back(parameter(i, "norm", "bias", {kWidth}));
  }
  Node* x = builder.input("x", {rows, kWidth});
  const ValueMeta meta = x->meta;
  auto call = [&](std::string_view op, std::vector<Argument> args, std::string_view base, size_t block) {
    x = builder.call(op, std::move(args), block == 0 ? base : arena.copy(cat(base, '_', block)));
    x->meta = meta;
  };
  for (size_t i = 0; i < blocks; ++i) {
    Node** mine = &parameters[4 * i];
    call("aten::linear", {arg(x), arg(mine[0]), arg(mine[1])}, "linear", i);
    call("aten::silu", {arg(x)}, "silu", i);
    call("aten::layer_norm", {arg(x), builder.ints({kWidth}), arg(mine[2]), arg(mine[3])}, "layer_norm", i);
  }
  builder.output({x});
  return std::move(builder.program);
}

}  // namespace rung
