// From typed C++ functions to the boxed form that a row holds: box<silu> is a Body, box_meta<meta_mm> a Meta.
#pragma once
#include <array>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "ir/current_arena.h"
#include "ir/op_def.h"
#include "shape/shape_env.h"

namespace rung {

// One parameter of a body from its argument. Parameters are those of the schema, in order; trailing ones may be left
// out (a Generator, say). An absent Tensor? is an undefined Tensor.
Tensor unbox_tensor(const Argument& argument);
SymInt unbox_int(const Argument& argument);
double unbox_float(const Argument& argument);
bool unbox_bool(const Argument& argument);
DType unbox_dtype(const Argument& argument);
SymInts unbox_ints(const Argument& argument);
TensorList unbox_tensors(const Argument& argument);
std::span<const double> unbox_floats(const Argument& argument);

template <typename T>
struct Unbox;
template <>
struct Unbox<Tensor> {
  static Tensor from(const Argument& a) { return unbox_tensor(a); }
};
template <>
struct Unbox<SymInt> {
  static SymInt from(const Argument& a) { return unbox_int(a); }
};
template <>
struct Unbox<int64_t> {
  static int64_t from(const Argument& a) { return specialize(unbox_int(a)); }
};
template <>
struct Unbox<double> {
  static double from(const Argument& a) { return unbox_float(a); }
};
template <>
struct Unbox<bool> {
  static bool from(const Argument& a) { return unbox_bool(a); }
};
template <>
struct Unbox<Scalar> {
  static Scalar from(const Argument& a) { return Scalar(operand(a)); }
};
template <>
struct Unbox<DType> {
  static DType from(const Argument& a) { return unbox_dtype(a); }
};
template <>
struct Unbox<Layout> {
  static Layout from(const Argument& a) { return a.layout_value; }
};
template <>
struct Unbox<MemoryFormat> {
  static MemoryFormat from(const Argument& a) { return a.format_value; }
};
template <>
struct Unbox<Device> {
  static Device from(const Argument& a) { return *a.device; }
};
template <>
struct Unbox<std::string_view> {
  static std::string_view from(const Argument& a) { return a.string_view(); }
};
template <>
struct Unbox<SymInts> {
  static SymInts from(const Argument& a) { return unbox_ints(a); }
};
template <>
struct Unbox<IntList> {
  static IntList from(const Argument& a) { return unbox_ints(a); }
};
template <>
struct Unbox<TensorList> {
  static TensorList from(const Argument& a) { return unbox_tensors(a); }
};
template <>
struct Unbox<std::span<const double>> {
  static std::span<const double> from(const Argument& a) { return unbox_floats(a); }
};
template <typename T>
struct Unbox<std::optional<T>> {
  static std::optional<T> from(const Argument& a) {
    return a.is_none() ? std::nullopt : std::optional<T>(Unbox<T>::from(a));
  }
};

Argument box_list(TensorList tensors);
inline Argument box_result(const Tensor& result) { return result.argument(); }
inline Argument box_result(const Argument& result) { return result; }
inline Argument box_result(const std::vector<Tensor>& results) { return box_list(results); }
template <typename... Tensors>
Argument box_result(const std::tuple<Tensors...>& results) {
  return std::apply([](const auto&... each) { return box_list(std::array<Tensor, sizeof...(Tensors)>{each...}); },
                    results);
}

ValueMeta meta_list(std::span<const TensorMeta* const> metas);
inline ValueMeta box_meta_result(const TensorMeta* meta) { return ValueMeta::of(meta); }
inline ValueMeta box_meta_result(const ValueMeta& meta) { return meta; }
inline ValueMeta box_meta_result(const std::vector<const TensorMeta*>& metas) { return meta_list(metas); }
template <size_t n>
ValueMeta box_meta_result(const std::array<const TensorMeta*, n>& metas) {
  return meta_list(metas);
}

template <typename Result, typename... Params, size_t... index>
decltype(auto) call_unboxed(Result (*function)(Params...), const Call& call, std::index_sequence<index...>) {
  RUNG_CHECK(sizeof...(Params) <= call.args.size(), schema_of(call.op).name, ": the function has too many parameters");
  return function(Unbox<std::decay_t<Params>>::from(call.args[index])...);
}

template <typename Result, typename... Params>
decltype(auto) call_unboxed(Result (*function)(Params...), const Call& call) {
  return call_unboxed(function, call, std::index_sequence_for<Params...>{});
}

/// The body of a row.
template <auto function>
Argument box(const Call& call) {
  return box_result(call_unboxed(function, call));
}

/// The meta of a row: `function` returns a const TensorMeta*, or an array or vector of them.
template <auto function>
ValueMeta box_meta(const Call& call) {
  return box_meta_result(call_unboxed(function, call));
}

}  // namespace rung
