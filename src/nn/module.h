// Modules: named parameters and buffers, and modules within modules, as torch.nn has them.
#pragma once
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/tensor.h"

namespace rung::nn {

/// Names and tensors, in torch's order.
using StateDict = std::vector<std::pair<std::string, Tensor>>;

/// A parameter or buffer of a module. Its tensor may be undefined: a layer without a bias.
struct StateEntry {
  std::string name;
  Tensor value;
  bool is_parameter = true;
  bool persistent = true;  // buffers: in the state dict
};

/// Derive from it, register what it holds, and give it a `forward`:
///
///   struct Net : nn::Module {
///     nn::Linear fc{3, 4};
///     Net() { register_module("fc", fc); }
///     Tensor forward(Tensor x) { return aten::silu(fc(x)); }
///   };
///
/// Modules have an identity: they cannot be copied.
class Module {
 public:
  Module() = default;
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// The parameters of this module, then those of its children in the order in which they were registered; a tensor
  /// that is there twice is named once.
  StateDict named_parameters() const;
  StateDict named_buffers() const;
  std::vector<Tensor> parameters() const;

  /// Parameters and persistent buffers, module by module. The tensors are the module's own.
  StateDict state_dict() const;
  /// Copies values into the module's tensors. Fails with kInput, before anything is changed, on a name that is missing
  /// or unknown, and on another shape.
  void load_state_dict(const StateDict& state);

  /// What dropout and batch norm go by; for the children too.
  void train(bool on = true);
  void eval() { train(false); }
  bool is_training() const { return is_training_; }

  /// Calls visit(path, entry) for every parameter and buffer, undefined ones too: "fc.weight". Module by module.
  void for_each_entry(const std::function<void(const std::string&, StateEntry&)>& visit);
  void for_each_entry(const std::function<void(const std::string&, const StateEntry&)>& visit) const;

 protected:
  /// The place where the tensor lies: a trace puts its own values there. May be undefined.
  Tensor& register_parameter(std::string name, Tensor value);
  Tensor& register_buffer(std::string name, Tensor value, bool persistent = true);
  /// `child` is a member of this module.
  void register_module(std::string name, Module& child);
  /// A child that this module owns.
  void register_module(std::string name, std::shared_ptr<Module> child);

 private:
  void walk(const std::string& prefix, const std::function<void(const std::string&, StateEntry&)>& visit);

  std::list<StateEntry> entries_;  // their places do not move
  std::vector<std::pair<std::string, Module*>> children_;
  std::vector<std::shared_ptr<Module>> owned_;
  bool is_training_ = true;
};

/// A module that makes one tensor of one tensor.
class Layer : public Module {
 public:
  virtual Tensor forward(const Tensor& input) = 0;
  Tensor operator()(const Tensor& input) { return forward(input); }
};

}  // namespace rung::nn
