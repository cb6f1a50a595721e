// Modules that hold modules.
#pragma once
#include "nn/module.h"

namespace rung::nn {

/// Layers one after the other, named 0, 1, ...: Sequential net; net.add<Linear>(3, 4); net.add<ReLU>();
class Sequential : public Layer {
 public:
  Sequential() = default;
  explicit Sequential(std::initializer_list<std::shared_ptr<Layer>> layers) {
    for (const std::shared_ptr<Layer>& layer : layers) append(layer);
  }
  template <typename L, typename... Args>
  L& add(Args&&... args) {
    auto layer = std::make_shared<L>(std::forward<Args>(args)...);
    append(layer);
    return *layer;
  }
  void append(std::shared_ptr<Layer> layer) {
    register_module(std::to_string(layers_.size()), layer);
    layers_.push_back(std::move(layer));
  }
  Tensor forward(const Tensor& input) override {
    Tensor x = input;
    for (const std::shared_ptr<Layer>& layer : layers_) x = layer->forward(x);
    return x;
  }
  size_t size() const { return layers_.size(); }
  Layer& operator[](size_t i) { return *layers_.at(i); }

 private:
  std::vector<std::shared_ptr<Layer>> layers_;
};

/// Modules of one kind, named 0, 1, ...
template <typename M = Layer>
class ModuleList : public Module {
 public:
  template <typename L = M, typename... Args>
  L& add(Args&&... args) {
    auto module = std::make_shared<L>(std::forward<Args>(args)...);
    register_module(std::to_string(modules_.size()), module);
    modules_.push_back(module);
    return *module;
  }
  size_t size() const { return modules_.size(); }
  M& operator[](size_t i) { return *modules_.at(i); }

 private:
  std::vector<std::shared_ptr<M>> modules_;
};

/// Modules of one kind by name, in the order in which they were added.
template <typename M = Layer>
class ModuleDict : public Module {
 public:
  template <typename L = M, typename... Args>
  L& add(const std::string& name, Args&&... args) {
    auto module = std::make_shared<L>(std::forward<Args>(args)...);
    register_module(name, module);
    modules_.emplace_back(name, module);
    return *module;
  }
  size_t size() const { return modules_.size(); }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Fails with kInput on a name that is not there.
  M& operator[](std::string_view name) const {
    M* found = find(name);
    if (found == nullptr) fail_input("a ModuleDict of ", modules_.size(), " modules has none called '", name, "'");
    return *found;
  }

 private:
  M* find(std::string_view name) const {
    for (const auto& [key, module] : modules_)
      if (key == name) return module.get();
    return nullptr;
  }

  std::vector<std::pair<std::string, std::shared_ptr<M>>> modules_;
};

}  // namespace rung::nn
