// Kernels at their edges: values and refusals are real torch's.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ops/gen/aten.h"
#include "ops/gen/prims.h"
#include "ref/data.h"
#include "ref/values.h"
#include "schema/floor.h"
#include "trace/functional.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Ints = std::vector<int64_t>;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

// "1 nan -inf": NaN compares as text.
std::string text(const Tensor& tensor) {
  std::string out;
  for (double value : ref::values<double>(tensor)) {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%.6g", value);
    out += (out.empty() ? "" : " ") + std::string(std::isnan(value) ? "nan" : digits);
  }
  return out;
}
Tensor floats(const Floats& values) { return tensor<float>(values, {values.size()}); }
Tensor ints(const Ints& values) { return tensor<int64_t>(values, {values.size()}); }
Tensor square(const Doubles& values) { return tensor<double>(values, {2, 2}); }

bool is_computed(OpId op) {
  const OpDef* row = op_def(op);
  bool is_view = schema_of(op).is_view() && row != nullptr && row->meta != nullptr;
  return kernel_of(op) != nullptr || is_view || (row != nullptr && (row->body != nullptr || row->reference != nullptr));
}

}  // namespace

TEST_CASE("every core operator, every prim and every operator of the floor is computed") {
  for (OpId op = 0; op < all_ops().size(); ++op) {
    const OpSchema& schema = schema_of(op);
    if (!schema.has(kCore) && schema.ns() != "prims") continue;
    OpId twin = schema.is_mutable() ? functional_variant(op) : kNoOp;
    CHECK_MESSAGE((is_computed(op) || (twin != kNoOp && is_computed(twin))), schema.name);
  }
  for (const FloorOp& floor : prims_floor()) CHECK_MESSAGE(is_computed(floor.op), schema_of(floor.op).name);
}

TEST_CASE("factorizations of a matrix") {
  Tensor a = square({4, 2, 2, 3});
  auto [q, r] = aten::linalg_qr(a);
  CHECK(text(q) == "-0.894427 -0.447214 -0.447214 0.894427");
  CHECK(text(r) == "-4.47214 -3.1305 0 1.78885");
  CHECK(ref::to_shape(q.strides()) == ref::Shape{1, 2});
  auto [lu, pivots, info] = aten::linalg_lu_factor_ex(a);
  CHECK(text(lu) == "4 2 0.5 2");
  CHECK(to_vector<int32_t>(pivots) == std::vector<int32_t>{1, 2});
  CHECK(text(std::get<0>(aten::_linalg_eigh(a))) == "1.43845 5.56155");
  CHECK(text(std::get<1>(aten::_linalg_svd(a))) == "5.56155 1.43845");
  CHECK(text(aten::linalg_matrix_exp(square({0, 1, -1, 0}))) == "0.540302 0.841471 -0.841471 0.540302");
  Tensor values = std::get<0>(aten::linalg_eig(square({0, 1, -4, 0})));
  CHECK(values.dtype() == DType::kComplex128);
  CHECK(text(aten::imag(values)) == "2 -2");
  auto [ld, ldl_pivots, ldl_info] = aten::linalg_ldl_factor_ex(square({0, 1, 1, 0}));
  CHECK(text(ld) == "0 0 1 0");
  CHECK(to_vector<int32_t>(ldl_pivots) == std::vector<int32_t>{-2, -2});
}

TEST_CASE("singular matrices are reported, or refused by ops that promise a result") {
  Tensor singular = square({1, 2, 2, 4});
  auto [inverse, info] = aten::linalg_inv_ex(singular);
  CHECK(text(inverse) == "-inf inf inf -inf");
  CHECK(text(info) == "2");
  CHECK(message_of([&] { aten::linalg_inv(aten::unsqueeze(singular, 0)); }) ==
        "linalg.inv: (Batch element 0): The diagonal element 2 is zero, the inversion could not be completed because "
        "the input matrix is singular.");
  CHECK(message_of([&] { aten::linalg_solve(singular, singular); }) ==
        "torch.linalg.solve: The solver failed because the input matrix is singular.");
  // what stands behind the minor that fails is as it was
  Tensor indefinite = tensor<double>({4, 2, 1, 2, -1, 5, 1, 5, 9}, {3, 3});
  auto [factor, minor] = aten::linalg_cholesky_ex(indefinite);
  CHECK(text(factor) == "2 0 0 1 -2 0 0.5 5 9");
  CHECK(text(minor) == "2");
  CHECK(text(aten::linalg_solve_triangular(square({0, 0, 1, 5}), square({0, 1, 1, 1}), false)) == "nan inf nan -inf");
  CHECK(message_of([&] { aten::linalg_eig(square({kNan, 1, 1, 1})); }) ==
        "torch.linalg.eig: input tensor should not contain infs or NaNs.");
  CHECK(message_of([&] { aten::linalg_qr(aten::ones({2, 2}, DType::kInt64)); }) ==
        "aten::linalg_qr is not defined for int64");
}

TEST_CASE("matrices without elements") {
  auto [u, s, vh] = aten::_linalg_svd(aten::zeros({0, 3}), true);
  CHECK(text(vh) == "1 0 0 0 1 0 0 0 1");
  CHECK(sizes_text(s) == "[0]");
  CHECK(text(std::get<0>(aten::linalg_qr(aten::zeros({2, 0}), "complete"))) == "1 0 0 1");
  CHECK(sizes_text(std::get<0>(aten::linalg_inv_ex(aten::zeros({2, 0, 0})))) == "[2, 0, 0]");
  CHECK(sizes_text(std::get<1>(aten::linalg_ldl_factor_ex(aten::zeros({0, 0})))) == "[0]");
}

TEST_CASE("distributions are torch's, number for number") {
  auto seeded = [](auto&& draw) {
    manual_seed(7);
    return draw();
  };
  auto empty = [](int64_t size, DType dtype) { return aten::empty_memory_format({size}, dtype); };
  CHECK(text(seeded([&] { return aten::cauchy_(empty(3, DType::kFloat64), 1.5, 2.0); })) ==
        "-0.161112 -0.222406 5.82378");
  CHECK(text(seeded([&] { return aten::geometric_(empty(5, DType::kInt64), 0.3); })) == "4 4 1 2 1");
  CHECK(text(seeded([&] { return aten::log_normal_(empty(3, DType::kFloat64), 1.0, 2.0); })) ==
        "2.0267 13.0957 18.059");
  CHECK(to_vector<int64_t>(seeded([&] { return aten::random_(empty(2, DType::kInt64)); })) ==
        Ints{1407639518939636932, 5163590386780219894});
  CHECK(text(seeded([&] { return aten::random_(empty(4, DType::kFloat16)); })) == "2016 1873 31 1592");
  auto parts = [](const Tensor& numbers) { return aten::view_as_real(numbers); };
  CHECK(text(seeded([&] { return parts(aten::randn({2}, DType::kComplex64)); })) ==
        "-0.1038 0.555886 0.669504 -0.78796");
  CHECK(text(seeded([&] { return parts(aten::uniform_(empty(2, DType::kComplex128), 1, 3)); })) ==
        "1.55876 1.54739 2.72419 2.31338");
  CHECK(text(seeded([&] { return aten::rrelu(floats({-1, 2, -3}), 0.125, 1.0 / 3, true); })) ==
        "-0.183204 2 -0.546059");
  Tensor rates = floats({0.5f, 3, 8, 12, 50});
  CHECK(text(seeded([&] { return aten::poisson(rates); })) == "0 5 5 3 58");
  CHECK(text(seeded([&] {
          return aten::binomial(floats({5, 10, 20, 100, 50}), floats({0.3f, 0.9f, 0.5f, 0.2f, 0.5f}));
        })) == "1 6 10 23 18");
  CHECK(text(seeded([&] { return aten::multinomial(rates, 4); })) == "4 3 1 2");
  CHECK(text(seeded([&] { return aten::multinomial(rates, 7, true); })) == "3 3 4 4 4 4 3");
  CHECK(message_of([&] { aten::multinomial(rates, 6); }) ==
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement: 6 > 5");
  CHECK(message_of([&] { aten::poisson(floats({-1})); }) ==
        "invalid Poisson rate, expected rate to be non-negative, got -1.0");
}

TEST_CASE("NaN and ties in what orders and picks") {
  Tensor x = floats({1, kNan, 3, 3, kNan, -kInf}), ties = ints({2, 3, 1, 3, 1});
  CHECK(item(aten::argmax(x)) == 1);
  CHECK(item(aten::argmin(x)) == 1);
  CHECK(item(aten::argmax(ties)) == 1);
  CHECK(item(aten::argmin(ties)) == 2);
  auto [sorted, order] = aten::sort_stable(x, true, 0, false);
  CHECK(text(sorted) == "-inf 1 3 3 nan nan");
  CHECK(text(order) == "5 0 2 3 1 4");
  CHECK(text(std::get<1>(aten::sort_stable(ties, true, 0, true))) == "1 3 0 2 4");
  CHECK(text(std::get<1>(aten::cummin(ties, 0))) == "0 0 2 2 4");
  CHECK(text(std::get<0>(aten::cummax(floats({1, 3, kNan, 5}), 0))) == "1 3 nan nan");
  CHECK(text(aten::fmax(floats({kNan, 1, kNan}), floats({1, kNan, kNan}))) == "1 1 nan");
  Tensor edges = floats({1, 2, kNan}), wanted = floats({kNan, 2, 3});
  CHECK(text(aten::searchsorted_Tensor(edges, wanted)) == "3 1 3");
  CHECK(text(aten::searchsorted_Tensor(edges, wanted, false, true)) == "3 3 3");
  auto [unique, inverse, counts] = aten::_unique2(floats({3, 1, kNan, 1, kNan}), true, true, true);
  CHECK(text(unique) == "1 3 nan nan");
  CHECK(text(inverse) == "1 0 2 0 3");
  CHECK(text(counts) == "2 1 1 1");
  CHECK(message_of([&] { aten::histc(floats({1, kInf}), 2); }) == "torch.histc: range of [1.0, inf] is not finite");
}

TEST_CASE("indices out of range are refused, and negative ones where torch takes none") {
  Tensor x = ints({10, 20, 30}), one = ints({1}), past = ints({3}), before = ints({-1});
  auto refuses = [](auto&& call, std::string_view what) { return message_of(call).find(what) != std::string::npos; };
  CHECK(refuses([&] { aten::gather(x, 0, past); }, "index 3 is out of bounds for dimension 0 with size 3"));
  CHECK(refuses([&] { aten::gather(x, 0, before); }, "index -1 is out of bounds for dimension 0 with size 3"));
  CHECK(refuses([&] { aten::gather(tensor<int64_t>(5), 0, one); },
                "index 1 is out of bounds for dimension 0 with size 1"));
  CHECK(refuses([&] { aten::scatter_value(x, 0, past, 5); }, "index 3 is out of bounds"));
  CHECK(refuses([&] { aten::index_Tensor(x, std::array{past}); }, "index 3 is out of bounds"));
  CHECK(refuses([&] { aten::index_Tensor(x, std::array{ints({-4})}); }, "index -4 is out of bounds"));
  CHECK(text(aten::index_Tensor(x, std::array{before})) == "30");
  CHECK(text(aten::take(x, before)) == "30");
  CHECK(refuses([&] { aten::take(x, past); }, "index 3"));
  constexpr std::string_view kLast = "index out of range in self: index -1 in a dimension of size 3";
  CHECK(refuses([&] { aten::index_select(x, 0, before); }, kLast));
  CHECK(refuses([&] { aten::index_add(x, 0, before, one); }, kLast));
  CHECK(refuses([&] { aten::index_copy(x, 0, before, one); }, kLast));
  CHECK(refuses([&] { aten::embedding(aten::zeros({3, 2}), before); }, kLast));
  CHECK(text(aten::index_fill_int_Scalar(x, 0, before, 1)) == "10 20 1");
  CHECK(refuses([&] { aten::select_int(x, 0, 3); }, "3"));
  Tensor bags = ints({0});
  CHECK(refuses([&] { aten::_embedding_bag(aten::zeros({3, 2}), past, bags); },
                "Index 0 of input takes value 3 which is not in the valid range [0, 3)"));
}

TEST_CASE("operands that do not fit together are refused before their memory is read") {
  auto zeros = [](const IntList& sizes) { return aten::zeros(sizes); };
  Tensor pivots = tensor<int32_t>({1, 2, 2}), square2 = zeros({2, 2}), tall = zeros({5, 1});
  CHECK(message_of([&] { aten::lu_unpack(square2, pivots); }) == "aten::lu_unpack: expected 2 pivots, got 3");
  CHECK(message_of([&] { aten::linalg_lu_solve(square2, pivots, tall); }) ==
        "aten::linalg_lu_solve: expected 2 pivots, got 3");
  CHECK(message_of([&] { aten::_linalg_solve_ex(square2, tall); }) ==
        "aten::_linalg_solve_ex: expected 2 equations on the right hand side, got 5");
  CHECK(message_of([&] { aten::linalg_ldl_solve(square2, tensor<int32_t>({9, 2}), zeros({2, 1})); }) ==
        "linalg.ldl_solve: pivots must be between 1 and 2 or negative, got 9");
  CHECK(message_of([&] { aten::ormqr(zeros({3, 2}), zeros({3}), zeros({3, 2})); }) ==
        "ormqr: 3 factors for 2 reflections");
  CHECK(message_of([&] { aten::searchsorted_Tensor(zeros({2, 3}), zeros({5, 3})); }) ==
        "aten::searchsorted.Tensor: expected 2 lines of values, got 5");
  CHECK(message_of([&] { aten::bincount(ints({1, 2}), zeros({1})); }) == "aten::bincount: expected 2 weights, got 1");
  CHECK(message_of([&] { aten::median_dim(zeros({0, 3}), 0); }) ==
        "median(): expected the reduced dimension to have non-zero size");
  CHECK(message_of([&] { aten::_adaptive_avg_pool2d_backward(zeros({9, 9, 2, 2}), zeros({1, 1, 4, 4})); }) ==
        "aten::_adaptive_avg_pool2d_backward: expected 1 planes of gradients, got 9");
}

TEST_CASE("integers: division, shifts, and what floats become") {
  CHECK(message_of([] { aten::div_Tensor_mode(ints({1}), ints({0}), "trunc"); }) == "an integer is divided by zero");
  CHECK(message_of([] { aten::remainder_Tensor(ints({1}), ints({0})); }) != "");
  CHECK(text(aten::div_Tensor_mode(ints({-7, 7}), ints({2, -2}), "floor")) == "-4 -4");
  CHECK(to_vector<int64_t>(aten::bitwise_left_shift_Tensor(ints({1, 3, 100, 1}), ints({7, 31, 64, -1}))) ==
        Ints{128, 6442450944, 0, 0});
  CHECK(to_vector<int64_t>(aten::bitwise_right_shift_Tensor(ints({100, -3, -1}), ints({1, 64, -1}))) ==
        Ints{50, -1, -1});
  Tensor bytes = tensor<uint8_t>({1, 3, 100});
  CHECK(text(aten::bitwise_left_shift_Tensor(bytes, tensor<uint8_t>({7, 8, 64}))) == "128 0 0");
  Tensor wide = floats({kNan, kInf, 3e9f, -1.5f, 70000});
  CHECK(text(aten::to_dtype(wide, DType::kInt32)) == "-2.14748e+09 -2.14748e+09 -2.14748e+09 -1 70000");
  CHECK(text(aten::to_dtype(wide, DType::kInt16)) == "0 0 0 -1 4464");
  CHECK(text(aten::to_dtype(wide, DType::kUInt8)) == "0 0 0 255 112");
  CHECK(to_vector<int64_t>(aten::to_dtype(wide, DType::kInt64)) == Ints{INT64_MIN, INT64_MIN, 3000000000, -1, 70000});
  CHECK(text(aten::round_decimals(floats({1.25f, -2.675f, 0.5f}), 2)) == "1.25 -2.68 0.5");
  CHECK(text(aten::round(floats({0.5f, 1.5f, 2.5f}))) == "0 2 2");
  CHECK(ref::values<int64_t>(aten::hash_tensor(floats({1.5f, 2}))) == Ints{9221120237041090560});
}

TEST_CASE("pieces, copies and resampling") {
  std::vector<Tensor> parts = aten::tensor_split_tensor_indices_or_sections(aten::arange(7), ints({1, 4}));
  CHECK(text(parts[1]) == "1 2 3");
  Tensor data = floats({1, 2, 3, 4, 5});
  CHECK(text(aten::segment_reduce(data, "mean", ints({2, 0, 3}))) == "1.5 nan 4");
  CHECK(text(aten::segment_reduce(data, "max", Tensor(), Tensor(), ints({0, 2, 5}))) == "2 5");
  CHECK(message_of([&] { aten::segment_reduce(data, "sum", ints({2, 2})); }) ==
        "segment_reduce: expected all rows of lengths to sum to 5, got 4");
  CHECK(text(aten::nonzero_static(ints({0, 7, 0, 9}), 3)) == "1 3 -1");
  Tensor picture = aten::view(aten::arange(24), {1, 1, 4, 6});
  CHECK(text(aten::_upsample_bicubic2d_aa(aten::to_dtype(picture, DType::kFloat32), {2, 2}, false)) ==
        "4.65224 7.38908 15.6109 18.3478");
  CHECK(text(aten::_upsample_bilinear2d_aa(aten::to_dtype(picture, DType::kUInt8), {2, 2}, false)) == "5 8 15 18");
  CHECK(text(prims::slice_in_dim(picture, 1, 3, 1, 2)) == "6 7 8 9 10 11 12 13 14 15 16 17");
  CHECK(text(prims::collapse(aten::t(tensor<float>({1, 2, 3, 4}, {2, 2})), 0, 1)) == "1 3 2 4");
}

}  // namespace rung
