// An indexing expression is a chain of slices, selections and new dimensions.
#include "pass/static_slices.h"

#include "ir/tensor.h"
#include "schema/gen/op_ids.h"

namespace rung {
namespace {

using Kind = Argument::Kind;

bool is_indexing(const Node& node) {
  if (!node.is_call(Callee::kOp)) return false;
  return node.op == op::aten_slice_Tensor || node.op == op::aten_select_int || node.op == op::aten_unsqueeze ||
         node.op == op::aten_index_Tensor;
}

bool takes_all(SymInts sizes, std::span<const Argument> args) {
  bool numbers = args[1].kind == Kind::kInt && args[2].kind == Kind::kInt && args[4].kind == Kind::kInt;
  if (!numbers || args[2].integer != 0 || args[4].integer != 1 || sizes.empty()) return false;
  SymInt size = sizes[static_cast<size_t>(wrap_dim(args[1].integer, static_cast<int64_t>(sizes.size())))];
  return args[3].is_none() || (args[3].kind == Kind::kInt && size.is_int() && args[3].integer >= size.value());
}

}  // namespace

StaticSlices::StaticSlices(const Graph& graph) {
  for (const Node* node : graph)
    if (is_indexing(*node) && node->args[0].kind == Kind::kNode) indexed_further_.insert(node->args[0].node);
}

StaticSlices::Form StaticSlices::form_of(const Node& slice, SymInts sizes, std::span<Argument> args) {
  if (args[2].is_none()) args[2] = Argument::of(int64_t{0});
  if (!takes_all(sizes, args)) return Form::kSlice;
  const Node* operand = slice.args[0].node;
  bool begins = !is_indexing(*operand);
  if (!begins && !whole_.contains(operand)) return Form::kNothing;
  whole_.insert(&slice);
  return indexed_further_.contains(&slice) ? Form::kNothing : Form::kAlias;
}

}  // namespace rung
