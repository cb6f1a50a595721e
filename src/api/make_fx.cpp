// The public make_fx: inputs, options and the traced module as the sources know them.
#include "api/internal.h"

#include <rung/make_fx.h>

#include "api/access.h"
#include "base/error.h"

namespace rung {
inline namespace v1 {

using detail::InputTree;

struct InputAccess {
  static const std::shared_ptr<const InputTree>& of(const Input& input) { return input.tree_; }
  static Input make(InputTree tree) {
    Input input;
    input.tree_ = std::make_shared<const InputTree>(std::move(tree));
    return input;
  }
};

struct GraphModuleAccess {
  static GraphModule make(std::unique_ptr<detail::TracedModule> module) {
    GraphModule made;
    made.module_ = std::move(module);
    return made;
  }
};

namespace {

InputTree tree_of(Argument value) {
  InputTree tree;
  tree.value = value;
  return tree;
}

const InputTree& tensor_of(const InputTree& tree, std::string_view what) {
  if (tree.kind != InputTree::Kind::kTensor) fail_input("an input that is no tensor has no ", what);
  return tree;
}

}  // namespace

Input::Input() : tree_(std::make_shared<const InputTree>()) {}
Input::Input(bool value) : tree_(std::make_shared<const InputTree>(tree_of(Argument::of(value)))) {}
Input::Input(int value) : Input(int64_t{value}) {}
Input::Input(int64_t value) : tree_(std::make_shared<const InputTree>(tree_of(Argument::of(value)))) {}
Input::Input(double value) : tree_(std::make_shared<const InputTree>(tree_of(Argument::of(value)))) {}
Input::Input(std::nullptr_t) : Input() {}

Input::Input(const Tensor& tensor) {
  if (!tensor.is_real()) fail_input("make_fx: an input is a value of another trace, or no tensor: give it fake(sizes)");
  InputTree tree;
  tree.kind = InputTree::Kind::kTensor;
  tree.dtype = tensor.dtype();
  for (SymInt size : tensor.sizes()) tree.sizes.push_back(size.value());
  for (SymInt stride : tensor.strides()) tree.strides.push_back(stride.value());
  tree_ = std::make_shared<const InputTree>(std::move(tree));
}

Input Input::list(std::vector<Input> items) {
  InputTree tree;
  tree.kind = InputTree::Kind::kList;
  for (const Input& item : items) tree.items.emplace_back("", item.tree_);
  return InputAccess::make(std::move(tree));
}

Input Input::dict(std::vector<std::pair<std::string, Input>> entries) {
  InputTree tree;
  tree.kind = InputTree::Kind::kDict;
  for (const auto& [key, item] : entries) tree.items.emplace_back(key, item.tree_);
  return InputAccess::make(std::move(tree));
}

Input Input::named(std::string name) const {
  InputTree tree = *tree_;
  tree.name = std::move(name);
  return InputAccess::make(std::move(tree));
}

Input Input::strided(std::vector<int64_t> strides) const {
  InputTree tree = tensor_of(*tree_, "strides");
  if (strides.size() != tree.sizes.size())
    fail_input("a tensor of rank ", tree.sizes.size(), " takes as many strides, got ", strides.size());
  tree.strides = std::move(strides);
  return InputAccess::make(std::move(tree));
}

Input Input::on(std::string_view device) const {
  InputTree tree = tensor_of(*tree_, "device");
  tree.device = device;
  return InputAccess::make(std::move(tree));
}

Input fake(std::vector<int64_t> sizes, DType dtype) {
  for (int64_t size : sizes)
    if (size < 0) fail_input("fake: a size is ", size, ", and must not be negative");
  InputTree tree;
  tree.kind = InputTree::Kind::kTensor;
  tree.dtype = dtype;
  tree.sizes = std::move(sizes);
  return InputAccess::make(std::move(tree));
}

std::string GraphModule::code() const { return module_->code(); }
std::string GraphModule::graph() const { return graph_text(module_->graph); }
std::string GraphModule::readable() const { return readable_text(module_->graph); }
size_t GraphModule::node_count() const { return module_->graph.size; }
std::vector<std::pair<std::string, Tensor>> GraphModule::constants() const { return module_->constants; }

}  // namespace v1

namespace detail {
namespace {

Table table_of(const MakeFxOptions& options) {
  if (!options.decomposition_table) return aten_table(options.build.value_or(Build::k2_13));
  const Build build = options.decomposition_table->build();
  if (options.build && *options.build != build)
    fail_input("make_fx: the decomposition table is of torch ", build_name(build), ", the option 'build' says ",
               build_name(*options.build), ": make the table for the same build");
  return TableAccess::of(*options.decomposition_table);
}

}  // namespace

GraphModule trace(const Function& function, const std::vector<Input>& inputs, const MakeFxOptions& options) {
  if (inputs.size() != function.parameters)
    fail_input("make_fx: the function takes ", function.parameters, " arguments, got ", inputs.size(), " inputs");
  if (options.names.size() > inputs.size())
    fail_input("make_fx: ", options.names.size(), " names for ", inputs.size(), " inputs");
  std::vector<std::shared_ptr<const InputTree>> trees;
  for (const Input& input : inputs) trees.push_back(InputAccess::of(input));
  const TraceOptions how{options.refs, options.symbolic, function.returns_tuple, options.names};
  return GraphModuleAccess::make(trace_function(function.call, trees, table_of(options).value, how));
}

}  // namespace detail
}  // namespace rung
