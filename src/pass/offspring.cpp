// A frame is one run of a body, so neighbours that share frames stand below the same line.
#include "pass/offspring.h"

#include <algorithm>

#include "pass/census.h"
#include "schema/nearest.h"

namespace rung {
namespace {

// Outermost first, without the source's own.
void read_chain(const Node& source, const Node& node, std::vector<const Frame*>& chain) {
  chain.clear();
  for (const Frame* frame = node.origin->chain; frame != nullptr; frame = frame->outer) chain.push_back(frame);
  if (!chain.empty() && chain.back()->op == source.op) chain.pop_back();
  std::ranges::reverse(chain);
}

}  // namespace

Offspring::Offspring(const Graph& lowered) {
  for_each_operator(lowered, [&](const Node& node) {
    if (node.origin != nullptr) made_[node.origin->source].push_back(&node);
  });
}

std::span<const Node* const> Offspring::of(const Node& source) const {
  auto found = made_.find(&source);
  if (found == made_.end()) return {};
  return found->second;
}

Fate fate_of(const Node& source, std::span<const Node* const> made) {
  if (made.empty()) return Fate::kRemoved;
  const auto is_source = [&](const Node* node) {
    return node->origin->chain == nullptr && node->callee == source.callee && node->op == source.op;
  };
  return std::ranges::any_of(made, is_source) ? Fate::kSurvived : Fate::kOpened;
}

const Frame* own_body(const Node& source, std::span<const Node* const> made) {
  for (const Node* node : made)
    for (const Frame* frame = node->origin->chain; frame != nullptr; frame = frame->outer)
      if (frame->outer == nullptr && frame->op == source.op) return frame;
  return nullptr;
}

std::vector<Step> expansion(const Node& source, std::span<const Node* const> made) {
  std::vector<Step> steps;
  std::vector<const Frame*> chain, open;
  for (const Node* node : made) {
    read_chain(source, *node, chain);
    const auto parted = std::ranges::mismatch(chain, open).in1;
    for (size_t depth = static_cast<size_t>(parted - chain.begin()); depth < chain.size(); ++depth)
      steps.push_back({depth, chain[depth], nullptr});
    steps.push_back({chain.size(), nullptr, node});
    open.swap(chain);
  }
  return steps;
}

std::string_view removal_reason(const Node& source) {
  if (source.callee == Callee::kOp && schema_of(source.op).returns.empty())
    return "it gives nothing, and what it states is known";
  return source.uses > 0 ? "it stands for one of its inputs, or nothing that it was opened into is used"
                         : "nothing uses it";
}

std::string callee_text(const Node& call) {
  if (call.callee == Callee::kOp) return short_name(call.op);
  const std::string name = target_name(call);
  constexpr std::string_view kPrefix = "torch.ops.";
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

}  // namespace rung
