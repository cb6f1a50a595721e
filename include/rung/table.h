// Decomposition tables: which ops a lowering takes apart.
#pragma once
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <rung/build.h>
#include <rung/structure.h>

namespace rung {
namespace detail {
struct Table;
}

inline namespace v1 {

/// A value; nothing is global. Ops are named as torch does: "aten.add.Tensor" is one overload, "aten.add" all
/// of them; "aten::add.Tensor" and "torch.ops.aten.add.Tensor" are read too.
class DecompositionTable {
 public:
  /// Opens nothing but what torch itself cannot keep whole.
  explicit DecompositionTable(Build build = Build::k2_13);

  Build build() const;
  /// Takes `op` apart. Fails with kInput if there is no such op, with kUnsupported if rung has no
  /// decomposition for it.
  DecompositionTable& open(std::string_view op);
  /// Leaves `op` whole. Fails with kInput if there is no such op, with kUnsupported if it cannot be kept: its
  /// parts may alias or write to its inputs.
  DecompositionTable& keep(std::string_view op);
  /// Takes `op` apart by `body`, a function of the op's arguments in their order; trailing ones may be left out, and a
  /// call that gives those fails. Fails with kInput if there is no such op, or if its signature is another one.
  ///
  ///   table.register_decomposition("aten.silu", [](Tensor x) { return x * torch::sigmoid(x); });
  template <typename F>
  DecompositionTable& register_decomposition(std::string_view op, F body) {
    return register_body(op, detail::parameter_types<F>(),
                         [body](Arguments args) mutable { return detail::call_with(body, args); });
  }
  /// How many rules there are, as len() of torch's table says.
  size_t size() const;
  /// Whether any overload of `op` is opened. Fails with kInput if there is no such op.
  bool opens(std::string_view op) const;

 private:
  explicit DecompositionTable(std::shared_ptr<const detail::Table> table) : table_(std::move(table)) {}
  DecompositionTable& register_body(std::string_view op, const std::vector<detail::ParameterType>& parameters,
                                    std::function<Argument(Arguments)> body);
  friend struct TableAccess;

  std::shared_ptr<const detail::Table> table_;  // shared by copies until one of them changes
};

/// What run_decompositions({}) opens in torch: nothing that may be kept.
DecompositionTable aten_decompositions(Build build = Build::k2_13);
/// The ops that torch's dispatcher itself takes apart (CompositeImplicitAutograd), and nothing else.
DecompositionTable composite_decompositions(Build build = Build::k2_13);
/// What run_decompositions() opens in torch: down to core ATen.
DecompositionTable core_aten_decompositions(Build build = Build::k2_13);
/// Down to prims and the floor: operators that no prim computes, each with its reason in `rung ops --rung prims`. What
/// is lowered by it holds nothing else, or lowering fails with kUnsupported, naming what is missing.
DecompositionTable prims_decompositions(Build build = Build::k2_13);
/// What torch's core table merged with all of torch._decomp.decomposition_table opens. Torch leaves about 50 core ops
/// whole, and refuses some programs: for LowerOptions::like_torch.
DecompositionTable torch_prims_decompositions(Build build = Build::k2_13);

}  // namespace v1
}  // namespace rung
