// What functions that are traced or registered take and return: tensors, numbers, and structures of them.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <rung/tensor.h>

namespace rung {
inline namespace v1 {

/// Specialize it for a struct of your own, to take it and return it as a tuple of its fields:
///
///   template <>
///   struct rung::Fields<State> {
///     static auto of(auto& state) { return std::tie(state.hidden, state.cell); }
///   };
template <typename T>
struct Fields;

}  // namespace v1

namespace detail {

/// A type of a parameter, to be held against a schema.
struct ParameterType {
  enum class Kind : uint8_t { kTensor, kInt, kFloat, kBool, kScalar, kString, kDType, kOther };
  Kind kind = Kind::kOther;
  bool list = false;
  bool optional = false;
};

// Each fails with kInput where the argument is of another kind.
Tensor tensor_of(const Argument& argument);
SymInt int_of(const Argument& argument);
double float_of(const Argument& argument);
bool bool_of(const Argument& argument);
Scalar scalar_of(const Argument& argument);
std::string_view string_of(const Argument& argument);
DType dtype_of(const Argument& argument);
/// The items of a list or tuple; `count` of them, unless that is negative.
Arguments items_of(const Argument& argument, int64_t count = -1);
const Argument& entry_of(const Argument& dict, std::string_view key);

/// Lie in the trace at work.
Argument list_of(const std::vector<Argument>& items);
Argument dict_of(const std::vector<std::pair<std::string, Argument>>& entries);

template <typename T>
struct Tree {  // a struct with Fields
  static constexpr ParameterType kType = {};
  using Members = decltype(Fields<T>::of(std::declval<T&>()));
  static constexpr size_t kCount = std::tuple_size_v<Members>;
  static T from(const Argument& a) {
    T value;
    Arguments items = items_of(a, kCount);
    auto members = Fields<T>::of(value);
    set(members, items, std::make_index_sequence<kCount>{});
    return value;
  }
  static Argument to(const T& value) {
    return std::apply([](const auto&... each) { return list_of({Tree<std::decay_t<decltype(each)>>::to(each)...}); },
                      Fields<T>::of(value));
  }

 private:
  template <size_t... index>
  static void set(Members& members, Arguments items, std::index_sequence<index...>) {
    ((std::get<index>(members) = Tree<std::decay_t<std::tuple_element_t<index, Members>>>::from(items[index])), ...);
  }
};

template <typename T, ParameterType::Kind kind, auto read>
struct Leaf {
  static constexpr ParameterType kType = {kind, false, false};
  static T from(const Argument& a) { return static_cast<T>(read(a)); }
};
template <>
struct Tree<Tensor> : Leaf<Tensor, ParameterType::Kind::kTensor, tensor_of> {
  static Argument to(const Tensor& value) { return value.argument(); }
};
template <>
struct Tree<Scalar> : Leaf<Scalar, ParameterType::Kind::kScalar, scalar_of> {
  static Argument to(const Scalar& value) { return value.argument(); }
};
template <>
struct Tree<SymInt> : Leaf<SymInt, ParameterType::Kind::kInt, int_of> {
  static Argument to(SymInt value) { return Argument::of(value); }
};
template <>
struct Tree<int64_t> {
  static constexpr ParameterType kType = {ParameterType::Kind::kInt, false, false};
  static int64_t from(const Argument& a) { return int_of(a).value(); }
  static Argument to(int64_t value) { return Argument::of(value); }
};
template <>
struct Tree<int> : Tree<int64_t> {};
template <>
struct Tree<double> : Leaf<double, ParameterType::Kind::kFloat, float_of> {
  static Argument to(double value) { return Argument::of(value); }
};
template <>
struct Tree<bool> : Leaf<bool, ParameterType::Kind::kBool, bool_of> {
  static Argument to(bool value) { return Argument::of(value); }
};
template <>
struct Tree<std::string_view> : Leaf<std::string_view, ParameterType::Kind::kString, string_of> {};
template <>
struct Tree<std::string> : Leaf<std::string, ParameterType::Kind::kString, string_of> {};
template <>
struct Tree<DType> : Leaf<DType, ParameterType::Kind::kDType, dtype_of> {};
template <>
struct Tree<std::nullptr_t> {  // Python's None
  static Argument to(std::nullptr_t) { return Argument::none(); }
};

template <typename T>
struct Tree<std::vector<T>> {
  static constexpr ParameterType kType = {Tree<T>::kType.kind, true, false};
  static std::vector<T> from(const Argument& a) {
    std::vector<T> values;
    for (const Argument& item : items_of(a)) values.push_back(Tree<T>::from(item));
    return values;
  }
  static Argument to(const std::vector<T>& values) {
    std::vector<Argument> items;
    for (const T& value : values) items.push_back(Tree<T>::to(value));
    return list_of(items);
  }
};
template <typename T>
struct Tree<std::optional<T>> {
  static constexpr ParameterType kType = {Tree<T>::kType.kind, Tree<T>::kType.list, true};
  static std::optional<T> from(const Argument& a) {
    return a.is_none() ? std::nullopt : std::optional<T>(Tree<T>::from(a));
  }
  static Argument to(const std::optional<T>& value) { return value ? Tree<T>::to(*value) : Argument::none(); }
};
template <typename T>
struct Tree<std::map<std::string, T>> {
  static constexpr ParameterType kType = {};
  static std::map<std::string, T> from(const Argument& a) {
    std::map<std::string, T> values;
    for (const NamedArgument& entry : a.dict_entries()) values.emplace(entry.name, Tree<T>::from(entry.value));
    return values;
  }
  static Argument to(const std::map<std::string, T>& values) {
    std::vector<std::pair<std::string, Argument>> entries;
    for (const auto& [key, value] : values) entries.emplace_back(key, Tree<T>::to(value));
    return dict_of(entries);
  }
};

template <typename T>
struct TupleTree {
  static constexpr ParameterType kType = {};
  static T from(const Argument& a) { return from(items_of(a, std::tuple_size_v<T>), Indices{}); }
  static Argument to(const T& values) {
    return std::apply([](const auto&... each) { return list_of({Tree<std::decay_t<decltype(each)>>::to(each)...}); },
                      values);
  }

 private:
  using Indices = std::make_index_sequence<std::tuple_size_v<T>>;
  template <size_t... index>
  static T from(Arguments items, std::index_sequence<index...>) {
    return T{Tree<std::tuple_element_t<index, T>>::from(items[index])...};
  }
};
template <typename... T>
struct Tree<std::tuple<T...>> : TupleTree<std::tuple<T...>> {};
template <typename A, typename B>
struct Tree<std::pair<A, B>> : TupleTree<std::pair<A, B>> {};
template <typename T, size_t count>
struct Tree<std::array<T, count>> : TupleTree<std::array<T, count>> {};

/// Whether a result is a Python tuple: several results, and not one that is a list.
template <typename T>
constexpr bool kIsTuple = requires { std::tuple_size<T>::value; } || requires(T& t) { Fields<T>::of(t); };

/// What a callable takes and returns.
template <typename F>
struct Signature : Signature<decltype(&F::operator())> {};
template <typename R, typename... A>
struct Signature<R (*)(A...)> {
  using Result = R;
  using Parameters = std::tuple<std::decay_t<A>...>;
};
template <typename R, typename... A>
struct Signature<R(A...)> : Signature<R (*)(A...)> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...)> : Signature<R (*)(A...)> {};
template <typename C, typename R, typename... A>
struct Signature<R (C::*)(A...) const> : Signature<R (*)(A...)> {};

/// Calls `function` with parameters from arguments, in order; the result as an argument.
template <typename F>
Argument call_with(F& function, Arguments args) {
  using Of = Signature<F>;
  auto call = [&]<size_t... index>(std::index_sequence<index...>) {
    // a braced list: parameters are made in order
    typename Of::Parameters parameters{
        Tree<std::tuple_element_t<index, typename Of::Parameters>>::from(args[index])...};
    if constexpr (std::is_void_v<typename Of::Result>) {
      std::apply(function, std::move(parameters));
      return Argument::none();
    } else {
      return Tree<std::decay_t<typename Of::Result>>::to(std::apply(function, std::move(parameters)));
    }
  };
  return call(std::make_index_sequence<std::tuple_size_v<typename Of::Parameters>>{});
}

template <typename F>
std::vector<ParameterType> parameter_types() {
  auto types = []<typename... P>(std::tuple<P...>*) { return std::vector<ParameterType>{Tree<P>::kType...}; };
  return types(static_cast<typename Signature<F>::Parameters*>(nullptr));
}

}  // namespace detail
}  // namespace rung
