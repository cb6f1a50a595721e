// Conditions, one by one.
#include "opset/op_set.h"

#include <algorithm>

#include "base/error.h"
#include "ir/bind.h"
#include "ir/current_arena.h"
#include "meta/layout.h"
#include "pass/census.h"

namespace rung {
namespace {

std::vector<const TensorMeta*> tensor_operands(const Node& call) {
  std::vector<const TensorMeta*> tensors;
  for_each_operand(call, [&](const Node* operand) {
    if (const TensorMeta* tensor = operand->tensor()) tensors.push_back(tensor);
  });
  return tensors;
}

// As it was given, or as the schema has it by default.
std::optional<Argument> argument_named(const Node& call, std::string_view name) {
  const OpSchema& schema = schema_of(call.op);
  for (const NamedArgument& argument : call.kwargs)
    if (argument.name == name) return argument.value;
  for (size_t i = 0; i < schema.args.size(); ++i) {
    if (schema.args[i].name != name) continue;
    return i < call.args.size() ? call.args[i] : default_argument(schema.args[i], current_arena());
  }
  return std::nullopt;
}

std::string dtypes_text(const std::vector<DType>& dtypes) {
  std::string text;
  for (DType dtype : dtypes) text += cat(text.empty() ? "" : ", ", info(dtype).name);
  return text;
}

std::optional<std::string> dtype_refusal(const Condition& condition, const std::vector<const TensorMeta*>& tensors) {
  if (condition.dtypes.empty()) return std::nullopt;
  for (const TensorMeta* tensor : tensors)
    if (std::ranges::find(condition.dtypes, tensor->dtype) == condition.dtypes.end())
      return cat("an operand is of ", info(tensor->dtype).name, ", the set takes ", dtypes_text(condition.dtypes));
  return std::nullopt;
}

std::optional<std::string> rank_refusal(const Condition& condition, const std::vector<const TensorMeta*>& tensors) {
  if (condition.ranks.empty() || tensors.empty()) return std::nullopt;
  const auto rank = static_cast<int64_t>(tensors[0]->rank());
  if (std::ranges::find(condition.ranks, rank) != condition.ranks.end()) return std::nullopt;
  std::string taken;
  for (int64_t each : condition.ranks) taken += cat(taken.empty() ? "" : ", ", each);
  return cat("the first operand has rank ", rank, ", the set takes ", taken);
}

std::optional<std::string> size_refusal(const Condition& condition, const std::vector<const TensorMeta*>& tensors) {
  if (!condition.is_static) return std::nullopt;
  for (const TensorMeta* tensor : tensors)
    for (SymInt size : tensor->sizes)
      if (!size.is_int()) return "an operand has a dynamic size, the set takes static ones";
  return std::nullopt;
}

std::optional<std::string> format_refusal(const Condition& condition, const std::vector<const TensorMeta*>& tensors) {
  if (!condition.format || tensors.empty()) return std::nullopt;
  if (meta::is_contiguous(*tensors[0], *condition.format)) return std::nullopt;
  return "the first operand lies in memory in another format than the set takes";
}

std::optional<std::string> value_refusal(const Condition& condition, const Node& call) {
  for (const auto& [name, value] : condition.where) {
    const std::optional<Argument> given = argument_named(call, name);
    if (!given || !same_argument(*given, value)) return cat("'", name, "' has another value than the set takes");
  }
  return std::nullopt;
}

std::optional<std::string> refusal_of(const Condition& condition, const Node& call) {
  const std::vector<const TensorMeta*> tensors = tensor_operands(call);
  if (auto reason = dtype_refusal(condition, tensors)) return reason;
  if (auto reason = rank_refusal(condition, tensors)) return reason;
  if (auto reason = size_refusal(condition, tensors)) return reason;
  if (auto reason = format_refusal(condition, tensors)) return reason;
  return value_refusal(condition, call);
}

}  // namespace

void OpSet::take(const OpSet& other, OpId op) {
  if (other.whole_[op]) accept(op);
  if (auto found = other.conditions_.find(op); found != other.conditions_.end())
    for (const Condition& condition : found->second) accept(op, condition);
}

std::optional<std::string> OpSet::refusal(const Node& call) const {
  if (!accepted_[call.op]) return cat("the set '", name, "' has no ", schema_of(call.op).name);
  if (whole_[call.op]) return std::nullopt;
  std::optional<std::string> first;
  for (const Condition& condition : conditions_.at(call.op)) {
    std::optional<std::string> reason = refusal_of(condition, call);
    if (!reason) return std::nullopt;
    if (!first) first = std::move(reason);
  }
  return first;
}

std::vector<Violation> violations(const Graph& graph, const OpSet& set) {
  std::vector<Violation> found;
  for_each_operator(graph, [&](const Node& node) {
    if (node.callee == Callee::kCustom) found.push_back({&node, cat("the set '", set.name, "' has no ", node.target)});
    if (node.callee != Callee::kOp) return;
    if (auto reason = set.refusal(node)) found.push_back({&node, *reason});
  });
  return found;
}

}  // namespace rung
