// make_fx: traces a C++ function into the graph that torch's make_fx makes of it.
//
//   auto f = [](Tensor x) { return nn::functional::gelu(x); };
//   std::cout << make_fx(f, {fake({3}).named("x")}).code();
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rung/build.h>
#include <rung/structure.h>
#include <rung/table.h>

namespace rung {
namespace detail {
struct TracedModule;
struct InputTree;
}  // namespace detail

inline namespace v1 {

/// A value that a function is traced with: a tensor (fake() makes one without values), a number, None, or a list or
/// dict of such.
class Input {
 public:
  Input(bool value);
  Input(int value);
  Input(int64_t value);
  Input(double value);
  Input(std::nullptr_t);
  /// A tensor with values: its dtype, sizes, strides and device; the graph does not depend on the values.
  Input(const Tensor& tensor);
  static Input list(std::vector<Input> items);
  static Input dict(std::vector<std::pair<std::string, Input>> entries);

  /// What the parameter is called in Python; its placeholders are NAME_1, NAME_2, ...
  Input named(std::string name) const;
  /// A tensor with other strides, in elements. Fails with kInput where there is not one a dimension.
  Input strided(std::vector<int64_t> strides) const;
  /// A tensor on a device: "cuda", "cuda:1".
  Input on(std::string_view device) const;

 private:
  friend struct InputAccess;
  Input();
  std::shared_ptr<const detail::InputTree> tree_;
};

/// A dense tensor of which only this is known. Fails with kInput on a negative size.
Input fake(std::vector<int64_t> sizes, DType dtype = DType::kFloat32);

struct MakeFxOptions {
  /// Ops that are taken apart on the way into the graph.
  std::optional<DecompositionTable> decomposition_table = std::nullopt;
  /// As under torch's TorchRefsMode: functions of torch that have a reference are taken apart into prims.
  bool refs = false;
  /// Every size but 0 and 1 is a symbol, as with torch's tracing_mode="symbolic"; equal sizes are one symbol.
  bool symbolic = false;
  /// What the parameters are called in Python, in order; else arg0, arg1, ...
  std::vector<std::string> names = {};
  /// The torch whose rules hold; by default the table's, or 2.13.
  std::optional<Build> build = std::nullopt;
};

/// A traced function. A cheap handle: copies share the graph.
class GraphModule {
 public:
  /// The texts of torch, byte for byte: GraphModule.code, str(graph), print_readable().
  std::string code() const;
  std::string graph() const;
  std::string readable() const;
  size_t node_count() const;
  /// Tensors with values that the function used and that were not its inputs, as "_tensor_constant0", ...
  std::vector<std::pair<std::string, Tensor>> constants() const;

 private:
  friend struct GraphModuleAccess;
  std::shared_ptr<const detail::TracedModule> module_;
};

}  // namespace v1

namespace detail {

struct Function {
  std::function<Argument(Arguments)> call;
  size_t parameters = 0;
  bool returns_tuple = false;
};
GraphModule trace(const Function& function, const std::vector<Input>& inputs, const MakeFxOptions& options);

}  // namespace detail

inline namespace v1 {

/// Calls `function` once, with values that stand for `inputs`, and keeps every op that it calls. Parameters and result
/// are tensors, numbers, and structures of them (rung/structure.h). The function must not look at values: what depends
/// on data belongs into the graph. Fails with kInput where function, inputs and ops do not fit each other, with
/// kUnsupported for an op that rung cannot trace.
template <typename F>
GraphModule make_fx(F&& function, const std::vector<Input>& inputs, const MakeFxOptions& options = {}) {
  using Callable = std::decay_t<F>;
  using Of = detail::Signature<std::remove_pointer_t<Callable>>;
  Callable callable = std::forward<F>(function);
  detail::Function traced;
  traced.parameters = std::tuple_size_v<typename Of::Parameters>;
  traced.returns_tuple = detail::kIsTuple<std::decay_t<typename Of::Result>>;
  traced.call = [&](Arguments args) { return detail::call_with(callable, args); };
  return detail::trace(traced, inputs, options);
}

}  // namespace v1
}  // namespace rung
