// State of modules.
#include "nn/module.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "ir/real_tensor.h"
#include "ops/gen/aten.h"
#include "ref/data.h"

namespace rung::nn {
namespace {

StateDict named(const Module& module, bool parameters) {
  StateDict found;
  std::set<const RealTensor*> seen;
  module.for_each_entry([&](const std::string& path, const StateEntry& entry) {
    if (entry.is_parameter != parameters || !entry.value.defined()) return;
    if (entry.value.is_real() && !seen.insert(entry.value.argument().real).second) return;
    found.emplace_back(path, entry.value);
  });
  return found;
}

}  // namespace

StateDict Module::named_parameters() const { return named(*this, true); }
StateDict Module::named_buffers() const { return named(*this, false); }

std::vector<Tensor> Module::parameters() const {
  std::vector<Tensor> tensors;
  for (auto& [name, tensor] : named_parameters()) tensors.push_back(tensor);
  return tensors;
}

StateDict Module::state_dict() const {
  StateDict state;
  for_each_entry([&](const std::string& path, const StateEntry& entry) {
    if (entry.value.defined() && entry.persistent) state.emplace_back(path, entry.value);
  });
  return state;
}

void Module::load_state_dict(const StateDict& state) {
  std::map<std::string, Tensor, std::less<>> given;
  for (const auto& [name, tensor] : state)
    if (!given.emplace(name, tensor).second) fail_input("load_state_dict: '", name, "' is there twice");
  StateDict own = state_dict();
  for (const auto& [name, target] : own) {
    auto source = given.find(name);
    if (source == given.end()) fail_input("load_state_dict: '", name, "' is missing");
    if (!std::ranges::equal(target.sizes(), source->second.sizes()))
      fail_input("load_state_dict: '", name, "' has sizes ", sizes_text(source->second), ", the module's has ",
                 sizes_text(target));
  }
  if (given.size() != own.size())
    for (const auto& entry : given)
      if (std::ranges::none_of(own, [&](const auto& each) { return each.first == entry.first; }))
        fail_input("load_state_dict: the module has no '", entry.first, "'");
  for (const auto& [name, target] : own) aten::copy_(target, given[name]);
}

void Module::train(bool on) {
  is_training_ = on;
  for (auto& [name, child] : children_) child->train(on);
}

void Module::for_each_entry(const std::function<void(const std::string&, StateEntry&)>& visit) { walk("", visit); }
void Module::for_each_entry(const std::function<void(const std::string&, const StateEntry&)>& visit) const {
  // walk() itself changes nothing
  const_cast<Module*>(this)->walk("", [&](const std::string& path, StateEntry& entry) { visit(path, entry); });
}

void Module::walk(const std::string& prefix, const std::function<void(const std::string&, StateEntry&)>& visit) {
  for (bool parameters : {true, false})
    for (StateEntry& entry : entries_)
      if (entry.is_parameter == parameters) visit(prefix + entry.name, entry);
  for (auto& [name, child] : children_) child->walk(prefix + name + ".", visit);
}

Tensor& Module::register_parameter(std::string name, Tensor value) {
  if (value.is_real()) value.argument().real->set_requires_grad(true);
  return entries_.emplace_back(StateEntry{std::move(name), std::move(value), true, true}).value;
}

Tensor& Module::register_buffer(std::string name, Tensor value, bool persistent) {
  return entries_.emplace_back(StateEntry{std::move(name), std::move(value), false, persistent}).value;
}

void Module::register_module(std::string name, Module& child) { children_.emplace_back(std::move(name), &child); }

void Module::register_module(std::string name, std::shared_ptr<Module> child) {
  register_module(std::move(name), *child);
  owned_.push_back(std::move(child));
}

}  // namespace rung::nn
