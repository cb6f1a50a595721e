// Autocast's lists for the CPU. For other devices the lists differ, and rung refuses them.
#include "pass/autocast.h"

#include <algorithm>

#include "base/error.h"
#include "meta/promote.h"
#include "schema/gen/op_ids.h"

namespace rung {
namespace {

constexpr std::string_view kToAutocastType[] = {
    "aten::_addmm_activation",
    "aten::_convolution.deprecated",
    "aten::_native_multi_head_attention",
    "aten::addbmm",
    "aten::addmm",
    "aten::baddbmm",
    "aten::bmm",
    "aten::conv1d",
    "aten::conv1d.padding",
    "aten::conv2d",
    "aten::conv2d.padding",
    "aten::conv3d",
    "aten::conv3d.padding",
    "aten::conv_tbc",
    "aten::conv_transpose1d",
    "aten::conv_transpose2d.input",
    "aten::conv_transpose3d.input",
    "aten::linalg_vecdot",
    "aten::linear",
    "aten::matmul",
    "aten::mkldnn_rnn_layer",
    "aten::mm",
    "aten::prelu",
    "aten::scaled_dot_product_attention",
};
constexpr std::string_view kToWidest[] = {"aten::cat", "aten::index_copy", "aten::stack"};
constexpr std::string_view kToFloat32[] = {
    "aten::adaptive_avg_pool3d",
    "aten::adaptive_max_pool3d",
    "aten::avg_pool3d",
    "aten::binary_cross_entropy",
    "aten::binary_cross_entropy_with_logits",
    "aten::cdist",
    "aten::cholesky",
    "aten::cholesky_inverse",
    "aten::cholesky_solve",
    "aten::cosine_embedding_loss",
    "aten::cross_entropy_loss",
    "aten::ctc_loss.IntList",
    "aten::ctc_loss.Tensor",
    "aten::fake_quantize_per_tensor_affine",
    "aten::fft_fft",
    "aten::fft_fft2",
    "aten::fft_fftn",
    "aten::fft_hfft",
    "aten::fft_ifft",
    "aten::fft_ifft2",
    "aten::fft_ifftn",
    "aten::fft_ihfft",
    "aten::fft_irfft",
    "aten::fft_irfft2",
    "aten::fft_irfftn",
    "aten::fft_rfft",
    "aten::fft_rfft2",
    "aten::fft_rfftn",
    "aten::fractional_max_pool2d",
    "aten::fractional_max_pool3d",
    "aten::geqrf",
    "aten::grid_sampler",
    "aten::grid_sampler_2d",
    "aten::grid_sampler_3d",
    "aten::hinge_embedding_loss",
    "aten::huber_loss",
    "aten::inverse",
    "aten::kl_div",
    "aten::l1_loss",
    "aten::linalg_cholesky",
    "aten::linalg_cholesky_ex",
    "aten::linalg_cond",
    "aten::linalg_cond.p_str",
    "aten::linalg_eig",
    "aten::linalg_eigh",
    "aten::linalg_eigvals",
    "aten::linalg_eigvalsh",
    "aten::linalg_householder_product",
    "aten::linalg_inv",
    "aten::linalg_inv_ex",
    "aten::linalg_lstsq",
    "aten::linalg_matrix_rank",
    "aten::linalg_matrix_rank.atol_rtol_float",
    "aten::linalg_matrix_rank.atol_rtol_tensor",
    "aten::linalg_matrix_rank.tol_tensor",
    "aten::linalg_qr",
    "aten::linalg_solve",
    "aten::linalg_svd",
    "aten::linalg_svdvals",
    "aten::linalg_tensorinv",
    "aten::linalg_tensorsolve",
    "aten::lu_solve",
    "aten::margin_ranking_loss",
    "aten::max_pool3d",
    "aten::max_unpool2d",
    "aten::max_unpool3d",
    "aten::mse_loss",
    "aten::multi_margin_loss",
    "aten::multilabel_margin_loss",
    "aten::multilabel_margin_loss_forward",
    "aten::nanquantile",
    "aten::nanquantile.scalar",
    "aten::nll_loss",
    "aten::nll_loss2d",
    "aten::orgqr",
    "aten::ormqr",
    "aten::pinverse",
    "aten::poisson_nll_loss",
    "aten::polar",
    "aten::prod",
    "aten::prod.dim_int",
    "aten::qr",
    "aten::quantile",
    "aten::quantile.scalar",
    "aten::reflection_pad1d",
    "aten::reflection_pad2d",
    "aten::replication_pad1d",
    "aten::replication_pad2d",
    "aten::replication_pad3d",
    "aten::smooth_l1_loss",
    "aten::soft_margin_loss",
    "aten::stft",
    "aten::stft.center",
    "aten::svd",
    "aten::trace",
    "aten::triangular_solve",
    "aten::triplet_margin_loss",
    "aten::view_as_complex",
};
static_assert(std::is_sorted(std::begin(kToAutocastType), std::end(kToAutocastType)));
static_assert(std::is_sorted(std::begin(kToWidest), std::end(kToWidest)));
static_assert(std::is_sorted(std::begin(kToFloat32), std::end(kToFloat32)));

template <size_t n>
bool lists(const std::string_view (&names)[n], std::string_view name) {
  return std::binary_search(std::begin(names), std::end(names), name);
}

// Only floating tensors of the region's device take part; float64 is left as it is.
bool is_eligible(const Autocast& autocast, const Argument& argument) {
  if (argument.kind != Argument::Kind::kFunctional) return false;
  Tensor tensor(argument);
  return is_floating(tensor.dtype()) && tensor.dtype() != DType::kFloat64 && tensor.device().type == autocast.device;
}

void find_widest(const Autocast& autocast, const Argument& argument, DType& widest) {
  if (argument.kind == Argument::Kind::kList)
    for (const Argument& item : argument.list_items()) find_widest(autocast, item, widest);
  if (argument.kind != Argument::Kind::kFunctional || !is_floating(Tensor(argument).dtype())) return;
  widest = meta::promote_types(widest, Tensor(argument).dtype());
}

Argument cast(const Autocast& autocast, const Argument& argument, DType dtype, Tracer& tracer) {
  if (argument.kind == Argument::Kind::kList) {
    std::span<Argument> items = tracer.arena().array<Argument>(argument.size);
    for (size_t i = 0; i < items.size(); ++i) items[i] = cast(autocast, argument.items[i], dtype, tracer);
    return Argument::list(items);
  }
  if (!is_eligible(autocast, argument) || Tensor(argument).dtype() == dtype) return argument;
  const Argument args[] = {argument,         Argument::of(dtype), Argument::none(), Argument::none(),
                           Argument::none(), Argument::of(false), Argument::none()};
  return tracer.call(op::aten__to_copy, args);
}

}  // namespace

std::optional<Autocast> Autocast::of(Arguments operands) {
  if (operands.size() < 4 || operands[0].kind != Argument::Kind::kString)
    fail_input("wrap_with_autocast needs a device, a dtype and two switches");
  bool enabled = operands[2].kind == Argument::Kind::kBool && operands[2].boolean;
  if (!enabled) return std::nullopt;
  if (operands[0].string_view() != "cpu")
    fail_unsupported("an autocast region for device '", operands[0].string_view(),
                     "' is not supported, only for 'cpu'");
  return Autocast{operands[0].string_view(),
                  operands[1].kind == Argument::Kind::kDType ? operands[1].dtype_value : DType::kBFloat16};
}

void cast_operands(const Autocast& autocast, OpId op, std::span<Argument> args, Tracer& tracer) {
  std::string_view name = schema_of(op).name;
  DType dtype = autocast.dtype;
  if (lists(kToWidest, name)) {
    for (const Argument& argument : args) find_widest(autocast, argument, dtype);
  } else if (lists(kToFloat32, name)) {
    dtype = DType::kFloat32;
  } else if (!lists(kToAutocastType, name)) {
    return;
  }
  // torch's compiler evaluates the casts of a call from the last operand to the first
  for (size_t i = args.size(); i-- > 0;) args[i] = cast(autocast, args[i], dtype, tracer);
}

}  // namespace rung
