// Names and numbers of dtypes, comparison of arguments and metadata, and dimensions counted from the end.
#include "ir/dtype.h"

#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "ir/argument.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "shape/expr.h"

using namespace rung;

TEST_CASE("every dtype is found by its name and its two numbers") {
  for (int i = 0; i <= static_cast<int>(DType::kUInt64); ++i) {
    DType dtype = static_cast<DType>(i);
    CHECK(dtype_from_name(info(dtype).name) == dtype);
    CHECK(dtype_from_name(cat("torch.", info(dtype).name)) == dtype);
    CHECK(dtype_from_serde(info(dtype).serde) == dtype);
    CHECK(dtype_from_c10(info(dtype).c10) == dtype);
  }
  CHECK(dtype_from_serde(7) == DType::kFloat32);
  CHECK(dtype_from_c10(6) == DType::kFloat32);
  CHECK_FALSE(dtype_from_serde(0));
  CHECK_FALSE(dtype_from_serde(-1));
  CHECK_FALSE(dtype_from_c10(1000));
  CHECK_FALSE(dtype_from_name("float"));
}

TEST_CASE("layouts, memory formats and devices are spelt as torch spells them") {
  CHECK(layout_name(Layout::kStrided) == "strided");
  CHECK(layout_name(Layout::kSparseCsc) == "sparse_csc");
  CHECK(memory_format_name(MemoryFormat::kChannelsLast3d) == "channels_last_3d");
  CHECK(Device{}.str() == "cpu");
  CHECK(Device{"cuda", 1}.str() == "cuda:1");
}

TEST_CASE("arguments are the same when kind and value are") {
  CHECK(same_argument(Argument::of(int64_t{1}), Argument::of(int64_t{1})));
  CHECK_FALSE(same_argument(Argument::of(int64_t{1}), Argument::of(1.0)));
  CHECK_FALSE(same_argument(Argument::of(int64_t{1}), Argument::of(true)));
  CHECK(same_argument(Argument::of(std::nan("")), Argument::of(std::nan(""))));
  CHECK(same_argument(Argument::string("a"), Argument::string(std::string("a"))));
  CHECK_FALSE(same_argument(Argument::string("a"), Argument::object("a")));
  ComplexNumber one{1, 2}, other{1, 3};
  CHECK_FALSE(same_argument(Argument::of(&one), Argument::of(&other)));
  Device cuda{"cuda", 0}, again{"cuda", 0};
  CHECK(same_argument(Argument::of(&cuda), Argument::of(&again)));
  Argument left[] = {Argument::of(int64_t{1}), Argument::none()};
  Argument right[] = {Argument::of(int64_t{1}), Argument::of(false)};
  CHECK(same_argument(Argument::list(left), Argument::list(left)));
  CHECK_FALSE(same_argument(Argument::list(left), Argument::list(right)));
  CHECK_FALSE(same_argument(Argument::list(left), Argument::list(Arguments(left, 1))));
  NamedArgument entries[] = {{"k", Argument::of(int64_t{1})}}, renamed[] = {{"j", Argument::of(int64_t{1})}};
  CHECK(same_argument(Argument::dict(entries), Argument::dict(entries)));
  CHECK_FALSE(same_argument(Argument::dict(entries), Argument::dict(renamed)));
}

TEST_CASE("metadata is the same when sizes, strides, offset, dtype, layout and device are") {
  SymInt sizes[] = {2, SymInt(make_symbol("s0", "positive=True, integer=True"))};
  TensorMeta a{.sizes = sizes, .strides = sizes}, b = a;
  b.requires_grad = true;
  CHECK(same_meta(a, b));
  b.storage_offset = 1;
  CHECK_FALSE(same_meta(a, b));
  b = a;
  b.device = {"cuda", 0};
  CHECK_FALSE(same_meta(a, b));
  b = a;
  b.sizes = SymInts(sizes, 1);
  CHECK_FALSE(same_meta(a, b));
}

TEST_CASE("scalars keep their kind and convert as ATen's do") {
  CHECK(Scalar(true).to_double() == 1.0);
  CHECK(Scalar(true).category() == Category::kBoolean);
  CHECK(Scalar(3).to_int() == 3);
  CHECK(Scalar(-2.9).to_int() == -2);
  CHECK(Scalar(2.5).category() == Category::kFloating);
  CHECK_THROWS_AS(Scalar(1e19).to_int(), Error);
  CHECK_THROWS_AS(Scalar(std::nan("")).to_int(), Error);
  ComplexNumber real{2, 0}, complex{2, 1};
  CHECK(Scalar(Argument::of(&real)).to_double() == 2.0);
  CHECK_THROWS_AS(Scalar(Argument::of(&complex)).to_double(), Error);
}

TEST_CASE("dimensions count from the end") {
  CHECK(wrap_dim(-1, 3) == 2);
  CHECK(wrap_dim(2, 3) == 2);
  CHECK(wrap_dim(-1, 0) == 0);
  CHECK_THROWS_WITH(wrap_dim(3, 3), "dimension out of range (expected to be in range of [-3, 2], but got 3)");
  CHECK_THROWS_WITH(wrap_dim(1, 0), "dimension out of range (expected to be in range of [-1, 0], but got 1)");
  SymInt dims[] = {-1, 0}, twice[] = {1, -1};
  CHECK(wrap_dims(dims, 2) == std::vector<int64_t>{1, 0});
  CHECK(wrap_dims({}, 2).empty());
  CHECK_THROWS_WITH(wrap_dims(twice, 2), "dim 1 appears multiple times in the list of dims");
}

TEST_CASE("a tensor handle reads the metadata of its node") {
  Arena arena;
  Graph graph(arena);
  SymInt sizes[] = {2, 3};
  TensorMeta meta{.dtype = DType::kInt64, .sizes = sizes, .strides = sizes};
  Node* node = graph.append(NodeKind::kPlaceholder, "x");
  node->meta = ValueMeta::of(&meta);
  Tensor tensor(node);
  CHECK(tensor.dtype() == DType::kInt64);
  CHECK(tensor.numel() == 6);
  CHECK(tensor.size(-1) == 3);
  CHECK(tensor.stride(0) == 2);
  CHECK_THROWS_AS(tensor.size(2), Error);
  CHECK_THROWS_AS(Tensor(1.0).meta(), Error);
  CHECK_THROWS_AS(Tensor().meta(), Error);
}
