// A row for each operator that recorded models call.
#include "interp/custom_ops.h"

#include "base/error.h"
#include "ops/gen/aten.h"
#include "ref/data.h"

namespace rung::interp {
namespace {

// Rows of `input` up to each offset go through the matrix of their group: the experts of a mixture.
Value grouped_mm(const std::vector<Value>& args) {
  if (args.size() != 3) fail_input("grouped_mm_fallback takes 3 arguments, got ", args.size());
  const Tensor &input = args[0].tensor, &weight = args[1].tensor, &offsets = args[2].tensor;
  std::vector<Tensor> groups;
  int64_t start = 0;
  for (int64_t group = 0; group < weight.size(0).value(); ++group) {
    const int64_t end = item_int(aten::select_int(offsets, 0, group));
    Tensor rows = aten::slice_Tensor(input, 0, start, end);
    groups.push_back(aten::mm(rows, aten::select_int(weight, 0, group)));
    start = end;
  }
  const SymInt left = input.size(0) - start;
  if (left > 0) groups.push_back(aten::new_zeros(groups[0], {left, weight.size(2)}));
  return aten::cat(groups);
}

struct CustomOp {
  std::string_view target;
  Value (*call)(const std::vector<Value>& args);
};
constexpr CustomOp kCustomOps[] = {
    {"transformers::grouped_mm_fallback.default", grouped_mm},
};

}  // namespace

Value call_custom(std::string_view target, const std::vector<Value>& args) {
  for (const CustomOp& op : kCustomOps)
    if (op.target == target) return op.call(args);
  fail_unsupported("rung has no kernel of an operator of another library");
}

}  // namespace rung::interp
