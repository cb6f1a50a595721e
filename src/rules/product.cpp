// Products of matrices, convolutions, pools and norms by each other.
#include "rules/body.h"
#include "rules/families.h"

namespace rung::rules {
namespace {

bool is_one(const Scalar& number) { return number.equals(1); }

Tensor mm_by_matmul(Tensor self, Tensor other) { return aten::matmul(self, other); }
// one batch
Tensor mm_by_bmm(Tensor self, Tensor other) {
  Tensor a = aten::unsqueeze(self, 0);
  Tensor b = aten::unsqueeze(other, 0);
  return aten::squeeze_dim(aten::bmm(a, b), 0);
}
// linear(x, w) = x w^T
Tensor mm_by_linear(Tensor self, Tensor other) {
  Tensor weight = aten::permute(other, {1, 0});
  return aten::linear(self, weight);
}
MaybeTensor addmm_by_linear(Tensor self, Tensor a, Tensor b, Scalar beta, Scalar alpha) {
  if (!is_one(beta) || !is_one(alpha) || self.dim() != 1) return std::nullopt;
  if (!self.size(0).identical(b.size(1))) return std::nullopt;
  Tensor weight = aten::permute(b, {1, 0});
  return aten::linear(a, weight, self);
}
MaybeTensor addmm_by_sum(Tensor self, Tensor a, Tensor b, Scalar beta, Scalar alpha) {
  if (!is_one(beta) || !is_one(alpha)) return std::nullopt;
  Tensor product = aten::mm(a, b);
  return aten::add_Tensor(product, self);
}

// ---- one operator for all convolutions, or one for each number of dimensions

MaybeTensor convolution_by_rank(Tensor input, Tensor weight, Tensor bias, SymInts stride, SymInts padding,
                                SymInts dilation, bool transposed, SymInts output_padding, SymInt groups) {
  if (input.dim() != weight.dim()) return std::nullopt;
  const int64_t rank = input.dim() - 2;
  if (!transposed && rank == 1) return aten::conv1d(input, weight, bias, stride, padding, dilation, groups);
  if (!transposed && rank == 2) return aten::conv2d(input, weight, bias, stride, padding, dilation, groups);
  if (!transposed && rank == 3) return aten::conv3d(input, weight, bias, stride, padding, dilation, groups);
  if (transposed && rank == 1)
    return aten::conv_transpose1d(input, weight, bias, stride, padding, output_padding, groups, dilation);
  if (transposed && rank == 2)
    return aten::conv_transpose2d_input(input, weight, bias, stride, padding, output_padding, groups, dilation);
  if (transposed && rank == 3)
    return aten::conv_transpose3d_input(input, weight, bias, stride, padding, output_padding, groups, dilation);
  return std::nullopt;
}
Tensor convolution_of_back_end(Tensor input, Tensor weight, Tensor bias, SymInts stride, SymInts padding,
                               SymInts dilation, bool transposed, SymInts output_padding, SymInt groups) {
  return aten::convolution_overrideable(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                                        groups);
}
// A convolution over one dimension is one over two of which the first has length 1.
MaybeTensor convolution_by_2d(Tensor input, Tensor weight, Tensor bias, SymInts stride, SymInts padding,
                              SymInts dilation, bool transposed, SymInts output_padding, SymInt groups) {
  if (input.dim() != 3 || transposed) return std::nullopt;
  Tensor image = aten::unsqueeze(input, 2);
  Tensor window = aten::unsqueeze(weight, 2);
  Tensor result = aten::convolution(image, window, bias, {1, stride[0]}, {0, padding[0]}, {1, dilation[0]}, false,
                                    {0, output_padding[0]}, groups);
  return aten::squeeze_dim(result, 2);
}

// ---- of several results, the one that is used

using MaybeList = std::optional<std::vector<Tensor>>;

std::vector<Tensor> pool_alone(Tensor self, SymInts window, SymInts stride, SymInts padding, SymInts dilation,
                               bool ceil_mode) {
  return {aten::max_pool2d(self, window, stride, padding, dilation, ceil_mode), Tensor()};
}
std::vector<Tensor> layer_norm_alone(Tensor input, SymInts shape, Tensor weight, Tensor bias, double eps) {
  return {aten::layer_norm(input, shape, weight, bias, eps), Tensor(), Tensor()};
}
std::vector<Tensor> group_norm_alone(Tensor input, Tensor weight, Tensor bias, SymInt, SymInt, SymInt, SymInt groups,
                                     double eps) {
  return {aten::group_norm(input, groups, weight, bias, eps), Tensor(), Tensor()};
}
std::vector<Tensor> batch_norm_alone(Tensor input, Tensor weight, Tensor bias, Tensor mean, Tensor var, double momentum,
                                     double eps) {
  return {aten::batch_norm(input, weight, bias, mean, var, false, momentum, eps, false), Tensor(), Tensor()};
}
MaybeList dropout_alone(Tensor input, double p, std::optional<bool> train) {
  // random: which elements go is drawn in the operator, which takes no integers then
  if (train.value_or(true) && (p != 0 || !is_floating(input.dtype()))) return std::nullopt;
  return std::vector<Tensor>{aten::clone(input), Tensor()};
}

constexpr LateralRule kRows[] = {
    {"aten::mm", {"matmul", lateral<mm_by_matmul>}},
    {"aten::mm", {"linear", lateral<mm_by_linear>}},
    {"aten::mm", {"one batch", lateral<mm_by_bmm>}},
    {"aten::bmm", {"matmul", lateral<mm_by_matmul>}},
    {"aten::addmm", {"linear", lateral<addmm_by_linear>}},
    {"aten::addmm", {"product and sum", lateral<addmm_by_sum>}},
    {"aten::convolution", {"convolution of a back end", lateral<convolution_of_back_end>}},
    {"aten::convolution", {"convolution by rank", lateral<convolution_by_rank>}},
    {"aten::max_pool2d_with_indices", {"max_pool2d", lateral<pool_alone>, 0}},
    {"aten::native_layer_norm", {"layer_norm", lateral<layer_norm_alone>, 0}},
    {"aten::native_group_norm", {"group_norm", lateral<group_norm_alone>, 0}},
    {"aten::_native_batch_norm_legit_no_training", {"batch_norm", lateral<batch_norm_alone>, 0}},
    {"aten::native_dropout", {"nothing is dropped", lateral<dropout_alone>, 0}},
    {"aten::convolution", {"two dimensions for one", lateral<convolution_by_2d>}},
};

}  // namespace

const std::span<const LateralRule> kProductRules = kRows;

}  // namespace rung::rules
