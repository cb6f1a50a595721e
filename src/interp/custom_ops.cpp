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

// The loss of a linear layer's outputs, which torch adds up over pieces of the batch.
Tensor linear_cross_entropy(const std::vector<Value>& args, int64_t reduction, int64_t ignored, double smoothing) {
  Tensor scores = aten::linear(args[0].tensor, args[1].tensor, args[3].tensor);
  return aten::cross_entropy_loss(scores, args[2].tensor, args[4].tensor, reduction, ignored, smoothing);
}

// Besides the loss it gives the gradients that it was told to prepare; without a backward pass it prepares none.
Value chunked_loss(const std::vector<Value>& args) {
  constexpr size_t kArguments = 15, kGradients = 3;
  if (args.size() != kArguments) fail_input("the chunked loss takes 15 arguments, got ", args.size());
  for (size_t i = kArguments - kGradients; i < kArguments; ++i)
    if (args[i].number.boolean) fail_unsupported("rung does not prepare the gradients of a chunked loss");
  int64_t reduction = args[5].number.string_view() == "sum" ? 2 : 1;
  Value results;
  results.is_list = true;
  results.items.resize(1 + kGradients);
  results.items[0] = linear_cross_entropy(args, reduction, args[6].number.integer, args[7].number.number);
  return results;
}
Value chunked_losses(const std::vector<Value>& args) {
  if (args.size() != 9) fail_input("the chunked losses take 9 arguments, got ", args.size());
  return linear_cross_entropy(args, 0, args[5].number.integer, 0);
}

struct CustomOp {
  std::string_view target;
  Value (*call)(const std::vector<Value>& args);
};
constexpr CustomOp kCustomOps[] = {
    {"torch_nn::_linear_cross_entropy_batch_chunked.default", chunked_loss},
    {"torch_nn::_linear_cross_entropy_batch_chunked_no_reduction.default", chunked_losses},
    {"transformers::grouped_mm_fallback.default", grouped_mm},
};

}  // namespace

Value call_custom(std::string_view target, const std::vector<Value>& args) {
  for (const CustomOp& op : kCustomOps)
    if (op.target == target) return op.call(args);
  fail_unsupported("rung has no kernel of an operator of another library");
}

}  // namespace rung::interp
