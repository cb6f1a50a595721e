// Calls to try rules on: for each op that has a rule, several of each dtype.
#pragma once
#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "ref/values.h"
#include "schema/schema.h"

namespace rung::rule_test {

/// What a tensor is filled with: quarters and what lies between them; NaN, infinities, zeros of both signs, the ends of
/// an integer's range; the ends of a float's range; what is small beside 1; what is smaller than a normal number.
enum class Fill { kOrdinary, kSpecial, kHuge, kSmall, kTiny };

using Shape = ref::Shape;

/// An argument as it is written down.
struct Given {
  Given(const Tensor& x) : value(x.argument()), tensors{x} {}
  Given(const std::vector<Tensor>& list) : tensors(list), is_list(true) {}
  Given(const Shape& list) : is_list(true) {
    for (int64_t item : list) items.push_back(Argument::of(item));
  }
  Given(const Scalar& number) : value(number.argument()) {}
  Given(int number) : value(Argument::of(static_cast<int64_t>(number))) {}
  Given(int64_t number) : value(Argument::of(number)) {}
  Given(double number) : value(Argument::of(number)) {}
  Given(bool truth) : value(Argument::of(truth)) {}
  Given(DType dtype) : value(Argument::of(dtype)) {}
  Given(MemoryFormat format) : value(Argument::of(format)) {}
  Given(const Device& device) : value(Argument::of(&device)) {}
  Given(const char* text) : value(Argument::string(text)) {}
  Given(std::nullptr_t) {}

  Argument value;
  std::vector<Tensor> tensors;
  std::vector<Argument> items;
  bool is_list = false;
};
using Named = std::vector<std::pair<std::string_view, Given>>;

/// The calls of one op on one dtype. They and their tensors live as long as the object.
class Samples {
 public:
  Samples(OpId op, DType dtype) : op_(op), dtype_(dtype) {}
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;

  DType dtype() const { return dtype_; }
  /// What is left out of the arguments has its default.
  void call(const std::vector<Given>& args, const Named& named = {});
  const std::vector<Arguments>& calls() const { return calls_; }

  Tensor tensor(const Shape& shape, Fill fill = Fill::kOrdinary) { return tensor_of(dtype_, shape, fill); }
  Tensor tensor_of(DType dtype, const Shape& shape, Fill fill = Fill::kOrdinary);
  /// Numbers from 0 to `limit` - 1.
  Tensor places(const Shape& shape, int64_t limit, DType dtype = DType::kInt64);
  /// No two elements are equal, where the dtype has as many numbers.
  Tensor distinct(const Shape& shape);
  /// Of all fills, shapes and layouts: without dimensions, without elements, transposed, cut, spread.
  std::vector<Tensor> tensors();
  /// The same without special values.
  std::vector<Tensor> ordinary();
  /// Of one dtype, or of two; of one shape, or of two that broadcast.
  std::vector<std::pair<Tensor, Tensor>> pairs();
  /// Integers, floats and a bool.
  std::vector<Scalar> numbers() const;
  /// A tensor that a program makes of a number.
  Tensor constant(const Scalar& number, DType dtype, const Shape& shape = {});
  bool is_constant(const Argument& tensor) const { return constants_.contains(tensor.real); }

 private:
  Argument argument(const Given& given);

  OpId op_;
  DType dtype_;
  Arena arena_;
  std::mt19937 random_{7};
  std::vector<Tensor> kept_;
  std::set<const RealTensor*> constants_;
  std::vector<Arguments> calls_;
};

/// Adds the calls of the op; false for an op of which none are known.
bool add_samples(OpId op, Samples& samples);

/// Makers of calls, by op. Each family is one file.
struct Maker {
  std::string_view op;
  void (*make)(Samples&);
};
extern const std::span<const Maker> kElementwiseMakers;
extern const std::span<const Maker> kFactoryMakers;
extern const std::span<const Maker> kViewMakers;
extern const std::span<const Maker> kReductionMakers;
extern const std::span<const Maker> kProductMakers;

}  // namespace rung::rule_test
