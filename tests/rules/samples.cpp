// Values are drawn after a seed, so that what fails once fails again.
#include "rules/samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ir/bind.h"
#include "ops/gen/aten.h"

namespace rung::rule_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

struct Ends {
  double largest, smallest;  // a finite number, and one that is not normal
};
Ends ends_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat16: return {65504, 0x1p-24};
    case DType::kBFloat16: return {0x1.fep127, 0x1p-133};
    case DType::kFloat64: return {0x1.fffffffffffffp1023, 0x1p-1074};
    default: return {0x1.fffffep127, 0x1p-149};
  }
}

double drawn_float(DType dtype, Fill fill, std::mt19937& random) {
  constexpr std::array kSpecial = {kNan, kInf, -kInf, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, 0.25};
  constexpr std::array kParts = {1.0, -1.0, 0.5, -0.5, 0.75, 0.001};
  const uint32_t number = random();
  if (fill == Fill::kSpecial) return kSpecial[number % kSpecial.size()];
  if (fill == Fill::kHuge) return ends_of(dtype).largest * kParts[number % kParts.size()];
  if (fill == Fill::kSmall) return std::uniform_real_distribution<double>(-1e-4, 1e-4)(random);
  if (fill == Fill::kTiny) return ends_of(dtype).smallest * static_cast<double>(static_cast<int>(number % 41) - 20);
  if (number % 3 == 0) return static_cast<int>(number / 3 % 33) / 4.0 - 4;
  return std::uniform_real_distribution<double>(-4, 4)(random);
}

int64_t drawn_int(DType dtype, Fill fill, std::mt19937& random) {
  const int64_t number = random();
  if (dtype == DType::kBool) return number % 2;
  const bool is_signed = dtype != DType::kUInt8;
  if (fill == Fill::kOrdinary) return number % 11 - (is_signed ? 5 : 0);
  const int bits = 8 * info(dtype).bytes - (is_signed ? 1 : 0);
  const int64_t largest = bits == 63 ? INT64_MAX : (int64_t{1} << bits) - 1, smallest = is_signed ? -largest - 1 : 0;
  const std::array values = {largest, smallest, largest - 1, smallest + 1, int64_t{0}, int64_t{1}, int64_t{3}};
  return values[static_cast<size_t>(number) % values.size()];
}

template <ref::Carrier T, typename Draw>
Tensor filled(const Shape& shape, DType dtype, Draw&& draw) {
  Tensor tensor = ref::make(shape, dtype);
  std::vector<T> values(static_cast<size_t>(ref::count(shape)));
  for (T& value : values) value = draw();
  ref::store(tensor, values);
  return tensor;
}

}  // namespace

Tensor Samples::tensor_of(DType dtype, const Shape& shape, Fill fill) {
  if (is_floating(dtype)) return filled<double>(shape, dtype, [&] { return drawn_float(dtype, fill, random_); });
  if (is_complex(dtype))
    return filled<ref::Complex>(shape, dtype, [&] {
      const double real = drawn_float(DType::kFloat32, fill, random_);
      return ref::Complex(real, drawn_float(DType::kFloat32, fill, random_));
    });
  return filled<int64_t>(shape, dtype, [&] { return drawn_int(dtype, fill, random_); });
}

Tensor Samples::places(const Shape& shape, int64_t limit, DType dtype) {
  return filled<int64_t>(shape, dtype, [&] { return static_cast<int64_t>(random_()) % limit; });
}

Tensor Samples::distinct(const Shape& shape) {
  Tensor tensor = ref::make(shape, dtype_);
  std::vector<int64_t> values(static_cast<size_t>(ref::count(shape)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i);
  std::shuffle(values.begin(), values.end(), random_);
  if (is_complex(dtype_) || is_floating(dtype_))
    ref::with_carrier(dtype_, [&](auto carrier) {
      std::vector<decltype(carrier)> numbers;
      for (int64_t value : values) numbers.push_back(ref::carry<decltype(carrier)>(value));
      ref::store(tensor, numbers);
    });
  else
    ref::store(tensor, values);
  return tensor;
}

std::vector<Tensor> Samples::ordinary() {
  Tensor turned = aten::t(tensor({3, 4}));
  Tensor cut = aten::slice_Tensor(tensor({4, 6}), 1, 1, 6, 2);
  Tensor spread = aten::expand(tensor({3, 1}), {2, 3, 2});
  return {tensor({}), tensor({5}), tensor({1}), tensor({2, 3, 4}), tensor({2, 1, 3}), tensor({0, 3}),
          turned,     cut,         spread};
}

std::vector<Tensor> Samples::tensors() {
  std::vector<Tensor> all = ordinary();
  all.push_back(tensor({4, 8}, Fill::kSpecial));
  if (is_floating(dtype_) || is_complex(dtype_)) {
    all.push_back(tensor({12}, Fill::kHuge));
    all.push_back(tensor({12}, Fill::kSmall));
    all.push_back(tensor({12}, Fill::kTiny));
  }
  return all;
}

std::vector<std::pair<Tensor, Tensor>> Samples::pairs() {
  std::vector<std::pair<Tensor, Tensor>> all;
  for (const Tensor& x : tensors()) all.emplace_back(x, tensor(ref::shape_of(x)));
  all.emplace_back(tensor({4, 8}, Fill::kSpecial), tensor({4, 8}, Fill::kSpecial));
  all.emplace_back(tensor({2, 3}), tensor({3}));
  all.emplace_back(tensor({2, 1}), tensor({1, 3}));
  all.emplace_back(tensor({3}), tensor({}));
  all.emplace_back(tensor({}), tensor({2, 2}));
  all.emplace_back(tensor({0, 3}), tensor({3}));
  all.emplace_back(tensor({3, 2}), aten::t(tensor({2, 3})));
  for (DType other : {DType::kBool, DType::kUInt8, DType::kInt32, DType::kInt64, DType::kFloat16, DType::kFloat32}) {
    all.emplace_back(tensor({2, 3}), tensor_of(other, {3}));
    all.emplace_back(tensor_of(other, {2, 3}), tensor({}));
  }
  return all;
}

std::vector<Scalar> Samples::numbers() const {
  return {2, -1, 0, 1, 3, 1000, 0.5, -1.5, 0.1, 2.0, 0.0, -0.0, 1.0, kNan, kInf, 1e30, Scalar(true), Scalar(false)};
}

Tensor Samples::constant(const Scalar& number, DType dtype, const Shape& shape) {
  const std::vector<SymInt> sizes(shape.begin(), shape.end());
  Tensor made = aten::full(sizes, number, dtype);
  kept_.push_back(made);
  constants_.insert(made.argument().real);
  return made;
}

Argument Samples::argument(const Given& given) {
  kept_.insert(kept_.end(), given.tensors.begin(), given.tensors.end());
  if (given.value.kind == Argument::Kind::kDevice) return Argument::of(arena_.make<Device>(*given.value.device));
  if (given.value.is_number() || !given.is_list) return given.value;
  std::vector<Argument> items = given.items;
  for (const Tensor& each : given.tensors) items.push_back(each.argument());
  return Argument::list(arena_.copy(items));
}

void Samples::call(const std::vector<Given>& args, const Named& named) {
  std::vector<Argument> positional, all;
  std::vector<NamedArgument> keywords;
  for (const Given& each : args) positional.push_back(argument(each));
  for (const auto& [name, given] : named) keywords.push_back({name, argument(given)});
  bind_arguments(schema_of(op_), positional, keywords, arena_, all);
  calls_.push_back(arena_.copy(Arguments(all)));
}

bool add_samples(OpId op, Samples& samples) {
  for (std::span<const Maker> family :
       {kElementwiseMakers, kFactoryMakers, kViewMakers, kReductionMakers, kProductMakers})
    for (const Maker& maker : family)
      if (maker.op == schema_of(op).name) {
        maker.make(samples);
        return true;
      }
  return false;
}

}  // namespace rung::rule_test
