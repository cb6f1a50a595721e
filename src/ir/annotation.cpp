// Some of torch's rules run with torch.compile switched off, which leaves a note on every node they make.
#include "ir/annotation.h"

#include "base/strings.h"
#include "ir/op_def.h"

namespace rung {
namespace {

constexpr std::string_view kFlag = "_torchdynamo_disable", kRecursive = "_torchdynamo_disable_recursive",
                           kMethod = "_torchdynamo_disable_method";

// The innermost such rule on the way from the node's source.
std::string_view hidden_rule(const Node& node) {
  for (const Frame* frame = node.origin != nullptr ? node.origin->chain : nullptr; frame != nullptr;
       frame = frame->outer) {
    const OpDef* def = op_def(frame->op);
    if (def != nullptr && !def->hidden_rule.empty()) return def->hidden_rule;
  }
  return {};
}

std::string_view recorded_custom(json::Value metadata) {
  json::Value custom = metadata ? metadata.find("custom") : json::Value();
  return custom.is_string() ? custom.as_string() : std::string_view();
}

}  // namespace

bool is_marked(const Node& node) { return !hidden_rule(node).empty(); }

std::string custom_metadata(const Node& node, json::Value metadata) {
  std::string_view recorded = recorded_custom(metadata), rule = hidden_rule(node);
  if (rule.empty()) return std::string(recorded);
  std::string out = "{";
  if (!recorded.empty()) {
    auto document = json::Document::parse(recorded);
    if (document->root().is_object())
      document->root().for_each_member([&](std::string_view key, json::Value value) {
        if (key == kFlag || key == kRecursive || key == kMethod) return;
        json::append_string(out, key);
        out += ": ";
        json::append_value(out, value);
        out += ", ";
      });
  }
  return cat(out, '"', kFlag, "\": true, \"", kRecursive, "\": true, \"", kMethod, "\": \"", rule, "\"}");
}

}  // namespace rung
