// Tensors with values: sharing, writing, lifetimes, refusals, and values against torch's own.
#include <doctest/doctest.h>

#include <cmath>

#include "export/load.h"
#include "interp/distance.h"
#include "interp/run.h"
#include "nn/safetensors.h"
#include "ops/gen/aten.h"
#include "ref/data.h"
#include "ref/values.h"
#include "unit/pt2_files.h"

namespace rung {
namespace {

using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

}  // namespace

TEST_CASE("views share the storage of their base, and writes go through them") {
  Tensor x = tensor<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  Tensor turned = aten::t(x), row = aten::select_int(x, 0, 1);
  aten::add__Tensor(row, 10);
  aten::fill__Scalar(aten::select_int(turned, 0, 0), 0);
  CHECK(to_vector<float>(x) == Floats{0, 2, 3, 0, 15, 16});
  CHECK(to_vector<float>(turned) == Floats{0, 0, 2, 15, 3, 16});
  Tensor copied = aten::clone(x);
  aten::zero_(copied);
  CHECK(to_vector<float>(x)[1] == 2);
}

TEST_CASE("operands are broadcast and promoted as in torch") {
  Tensor column = tensor<int64_t>({1, 2}, {2, 1}), row = tensor<float>({0.5f, 1.5f});
  Tensor sum = aten::add_Tensor(column, row, 2);
  CHECK(sum.dtype() == DType::kFloat32);
  CHECK(sizes_text(sum) == "[2, 2]");
  CHECK(to_vector<float>(sum) == Floats{2, 4, 3, 5});
  CHECK(to_vector<int64_t>(aten::div_Tensor_mode(tensor<int64_t>({7, -7}), 2, "floor")) == Ints{3, -4});
  CHECK(to_vector<float>(aten::div_Tensor(tensor<int64_t>({1}), 4)) == Floats{0.25f});
}

TEST_CASE("tensors without elements and without dimensions") {
  Tensor empty = aten::zeros({0, 3});
  CHECK(to_vector<float>(aten::sum_dim_IntList(empty, IntList({0}))) == Floats{0, 0, 0});
  CHECK(message_of([&] { aten::amax(empty, IntList({0})); }) != "");
  Tensor number = tensor(2.5f);
  CHECK(number.dim() == 0);
  CHECK(item(aten::mul_Tensor(number, number)) == 6.25);
  CHECK(message_of([&] { item(empty); }) == "a tensor of sizes [0, 3] cannot be converted to a number");
}

TEST_CASE("a result lives as long as a handle of it, whatever is computed meanwhile") {
  Tensor kept;
  {
    Tensor x = tensor<float>({1, 2, 3});
    kept = aten::silu(aten::exp(x));
  }
  Floats before = to_vector<float>(kept);
  for (int i = 0; i < 100; ++i) aten::gelu(aten::rand({50}));
  CHECK(to_vector<float>(kept) == before);
  std::vector<Tensor> parts = aten::split_Tensor(aten::arange(6), 4);
  for (int i = 0; i < 10; ++i) aten::rand({50});
  CHECK(to_vector<int64_t>(parts[1]) == Ints{4, 5});
}

TEST_CASE("what cannot be computed is refused by name") {
  Tensor x = tensor<float>({1, 2, 3, 4}, {2, 2});
  CHECK(message_of([&] { aten::linalg_lstsq(x, x); }) ==
        "WRONG KIND: aten::linalg_lstsq cannot be computed: it has no kernel and no decomposition");
  CHECK(message_of([&] { to_vector<int64_t>(x); }) ==
        "the values of a tensor of float32 were asked for as int64: convert it first");
  CHECK(message_of([&] { tensor<float>({1, 2, 3}, {2, 2}); }) == "a tensor of sizes [2, 2] holds 4 values, got 3");
  CHECK(message_of([&] { aten::embedding(x, tensor<int64_t>({2})); }).find("index 2 in a dimension of size 2") !=
        std::string::npos);
}

TEST_CASE("random numbers are torch's, bit for bit") {
  std::istringstream lines(read_text(file_path("random.txt")));
  std::string name, dtype_name, word;
  size_t checked = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    int64_t size;
    words >> name >> size >> dtype_name;
    DType dtype = *dtype_from_name(dtype_name);
    if (name == "rand") manual_seed(static_cast<uint64_t>(size));
    auto empty = [&] { return aten::empty_memory_format({size}, dtype); };
    Tensor drawn = name == "rand"           ? aten::rand({size}, dtype)
                   : name == "randn"        ? aten::randn({size}, dtype)
                   : name == "normal_"      ? aten::normal_(empty(), 2.0, 3.3)
                   : name == "uniform_"     ? aten::uniform_(empty(), -0.37, 1.9)
                   : name == "exponential_" ? aten::exponential_(empty(), 1.7)
                   : name == "bernoulli_"   ? aten::bernoulli__float(empty(), 0.4)
                   : name == "bernoulli"    ? aten::bernoulli(aten::full({size}, 0.4, dtype))
                   : name == "randint"      ? aten::randint_low(-3, (1 << 28) - 3, {size})
                   : name == "randint_wide" ? aten::randint_low(-3, int64_t{1} << 40, {size})
                                            : aten::randperm(size);
    std::vector<double> expected;
    while (words >> word) expected.push_back(std::strtod(word.c_str(), nullptr));
    CHECK_MESSAGE(ref::values<double>(drawn) == expected, name, " ", size, " ", dtype_name);
    ++checked;
  }
  CHECK(checked == 6 * (4 * 7 + 3));
}

TEST_CASE("a program computes what torch computes") {
  std::vector<Tensor> inputs, expected;
  for (auto& [name, values] : nn::load_safetensors(file_path("values.safetensors")))
    (name.starts_with("in") ? inputs : expected).push_back(values);
  std::vector<Tensor> got;
  for (const interp::Value& value : interp::run(load(file_path("values.pt2")), {inputs.begin(), inputs.end()}).outputs)
    got.push_back(value.tensor);
  REQUIRE(got.size() == expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(interp::distance(expected[i], got[i]) <= 4);
  }
}

}  // namespace rung
