// The handle that decompositions and metas are written on: a tensor of the program that is being traced, a tensor with
// values, a number that stands where a tensor is expected, or nothing.
#pragma once
#include <array>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ir/argument.h"
#include "ir/tensor_meta.h"

namespace rung {

/// A Python number: bool, int, float or complex. Keeps the kind it was given, as ATen's Scalar does.
class Scalar {
 public:
  Scalar() : value_(Argument::of(int64_t{0})) {}
  /// A template, so that no pointer is taken for a bool.
  template <std::same_as<bool> Bool>
  Scalar(Bool value) : value_(Argument::of(value)) {}
  Scalar(int value) : value_(Argument::of(static_cast<int64_t>(value))) {}
  Scalar(int64_t value) : value_(Argument::of(value)) {}
  Scalar(double value) : value_(Argument::of(value)) {}
  Scalar(SymInt value) : value_(Argument::of(value)) {}
  explicit Scalar(const Argument& value) : value_(value) {}

  const Argument& argument() const { return value_; }
  bool is_bool() const { return value_.kind == Argument::Kind::kBool; }
  bool is_int() const { return category() == Category::kIntegral; }
  bool is_float() const { return category() == Category::kFloating; }
  bool is_complex() const { return value_.kind == Argument::Kind::kComplex; }
  /// A number that the program computes from its sizes, of ints or floats.
  bool is_symbolic() const { return value_.kind == Argument::Kind::kSymInt; }
  /// Bool, int and float as a double; a complex number only if its imaginary part is zero. Fails with kUnsupported on a
  /// symbolic number.
  double to_double() const;
  int64_t to_int() const;
  /// As to_int(); a symbolic number stays as it is.
  SymInt to_sym_int() const { return is_symbolic() ? value_.sym() : SymInt(to_int()); }
  Category category() const;
  /// As Python's ==: 1 == 1.0 == True.
  bool equals(double other) const;

 private:
  Argument value_;
};

/// An argument as an operand: an input of the program that is a number stands for its value. Others stay as they are.
Argument operand(const Argument& argument);

/// A tensor whose views and writes are followed while tracing; see trace/functional.h.
struct FunctionalTensorBase {
  const TensorMeta* meta = nullptr;
};

/// A list of sizes at a call: {2, -1}, a span or a vector.
class IntList {
 public:
  IntList() = default;
  IntList(SymInts items) : items_(items) {}
  IntList(const std::vector<SymInt>& items) : items_(items) {}
  IntList(std::initializer_list<SymInt> items) : items_(items.begin(), items.size()) {}
  operator SymInts() const { return items_; }
  SymInts span() const { return items_; }

 private:
  SymInts items_;
};

/// A list at a call where a single number will do, too: sum(x, 1), sum(x, {0, 1}). No IntList itself, which would lose
/// the number when it is copied from this.
class OneOrMoreInts {
 public:
  OneOrMoreInts() = default;
  OneOrMoreInts(const IntList& list) : list_(list) {}
  OneOrMoreInts(SymInts items) : list_(items) {}
  OneOrMoreInts(const std::vector<SymInt>& items) : list_(items) {}
  OneOrMoreInts(std::initializer_list<SymInt> items) : list_(items) {}
  template <std::integral Int>
    requires(!std::same_as<Int, bool>)
  OneOrMoreInts(Int one) : one_(static_cast<int64_t>(one)), is_one_(true) {}
  OneOrMoreInts(SymInt one) : one_(one), is_one_(true) {}
  SymInts span() const { return is_one_ ? SymInts(&one_, 1) : list_.span(); }
  operator SymInts() const { return span(); }
  operator IntList() const { return span(); }
  bool is_one() const { return is_one_; }

 private:
  IntList list_;
  SymInt one_ = 0;
  bool is_one_ = false;
};

/// The same, or none: sum(x, std::nullopt).
class IntsOrNone {
 public:
  IntsOrNone(std::nullopt_t) {}
  IntsOrNone(std::initializer_list<SymInt> items) : ints_(items) {}
  template <std::convertible_to<OneOrMoreInts> Ints>
  IntsOrNone(const Ints& ints) : ints_(ints) {}
  const std::optional<OneOrMoreInts>& given() const { return ints_; }
  operator std::optional<IntList>() const { return ints_ ? std::optional<IntList>(ints_->span()) : std::nullopt; }

 private:
  std::optional<OneOrMoreInts> ints_;
};

/// A bool at a call, and nothing that converts to it.
class OnlyBool {
 public:
  template <std::same_as<bool> Bool>
  OnlyBool(Bool value) : value_(value) {}
  operator bool() const { return value_; }

 private:
  bool value_;
};

/// The same, or none.
class OnlyBoolOrNone {
 public:
  OnlyBoolOrNone(std::nullopt_t) {}
  template <std::same_as<bool> Bool>
  OnlyBoolOrNone(Bool value) : value_(value) {}
  operator std::optional<bool>() const { return value_; }

 private:
  std::optional<bool> value_;
};

/// A text at a call, where a list in braces would be something else.
class OnlyText {
 public:
  OnlyText(const char* text) : text_(text) {}
  OnlyText(std::string_view text) : text_(text) {}
  operator std::string_view() const { return text_; }

 private:
  std::string_view text_;
};

class Tensor;
using TensorList = std::span<const Tensor>;

/// A tensor at a call, where a number would mean something else. For the call alone.
class OnlyTensor {
 public:
  template <std::same_as<Tensor> T>
  OnlyTensor(const T& tensor) : tensor_(&tensor) {}
  operator const Tensor&() const { return *tensor_; }

 private:
  const Tensor* tensor_;
};

class Tensor {
 public:
  Tensor() = default;
  Tensor(Node* node) : value_(Argument::of(node)) {}
  Tensor(Scalar number) : value_(number.argument()) {}
  Tensor(double number) : value_(Argument::of(number)) {}
  Tensor(int64_t number) : value_(Argument::of(number)) {}
  Tensor(int number) : value_(Argument::of(static_cast<int64_t>(number))) {}
  Tensor(bool) = delete;  // say Scalar(true)
  explicit Tensor(const Argument& value) : value_(value) { retain(); }
  Tensor(const Tensor& other) : value_(other.value_) { retain(); }
  Tensor(Tensor&& other) noexcept : value_(other.value_) { other.value_ = {}; }
  Tensor& operator=(const Tensor& other) {
    other.retain();
    release();
    value_ = other.value_;
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Tensor() { release(); }

  bool defined() const { return !value_.is_none(); }
  /// Whether it has values; else it is a value of a trace, a number or nothing.
  bool is_real() const { return value_.kind == Argument::Kind::kReal; }
  /// In the body of an op: whether there is a tensor. To everyone else a question about its value, which fails with
  /// kInput while it is traced.
  explicit operator bool() const {
    if (value_.kind == Argument::Kind::kFunctional && value_.size != 0) check_not_asked();
    return defined();
  }
  /// A number in a tensor's place: it has no sizes, and promotion treats it as a wrapped number.
  bool is_number() const { return value_.is_number() || value_.kind == Argument::Kind::kSymInt; }
  Scalar number() const { return Scalar(value_); }
  const Argument& argument() const { return value_; }
  /// The very same value of the trace.
  bool same(const Tensor& other) const {
    return value_.kind == other.value_.kind && value_.integer == other.value_.integer;
  }

  /// Everything below needs a real tensor; fails with kInternal on a number or nothing.
  const TensorMeta& meta() const;
  DType dtype() const { return meta().dtype; }
  Device device() const { return meta().device; }
  Layout layout() const { return meta().layout; }
  SymInts sizes() const { return meta().sizes; }
  SymInts strides() const { return meta().strides; }
  SymInt storage_offset() const { return meta().storage_offset; }
  int64_t dim() const { return static_cast<int64_t>(meta().sizes.size()); }
  /// Size and stride of a dimension; negative ones count from the end. Fails with kInput out of range.
  SymInt size(int64_t dim) const;
  SymInt stride(int64_t dim) const;
  /// A size like any other: counting leaves no node in a graph. While a body is traced, an input's is a number of its
  /// own.
  SymInt numel() const;

#include "ir/gen/tensor_methods.h"

 private:
  void check_not_asked() const;
  void retain() const {
    if (is_real()) retain_real();
  }
  void release() const {
    if (is_real()) release_real();
  }
  void retain_real() const;
  void release_real() const;

  Argument value_;
};

using TensorTuple2 = std::tuple<Tensor, Tensor>;

/// `dim` counted from 0 in a tensor of rank `rank`; a 0-d tensor takes 0 and -1. Fails with kInput out of range.
int64_t wrap_dim(int64_t dim, int64_t rank);
/// As wrap_dim for each; an empty list stays empty. Fails with kInput on a repeated dimension.
std::vector<int64_t> wrap_dims(SymInts dims, int64_t rank);

}  // namespace rung
