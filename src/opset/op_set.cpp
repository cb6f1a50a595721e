// Conditions, one by one.
#include "opset/op_set.h"

#include <algorithm>

#include "base/error.h"
#include "ir/bind.h"
#include "ir/current_arena.h"
#include "ir/print_parts.h"
#include "pass/census.h"
#include "schema/gen/op_ids.h"
#include "schema/nearest.h"
#include "shape/sym_trace.h"

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

template <typename Items, typename Text>
std::string listed(const Items& items, Text&& text_of) {
  std::string text;
  for (const auto& item : items) text += cat(text.empty() ? "" : ", ", text_of(item));
  return text;
}

std::optional<std::string> dtype_refusal(const Condition& condition, const std::vector<const TensorMeta*>& tensors) {
  if (condition.dtypes.empty()) return std::nullopt;
  for (size_t i = 0; i < tensors.size(); ++i)
    if (std::ranges::find(condition.dtypes, tensors[i]->dtype) == condition.dtypes.end())
      return cat("tensor operand ", i + 1, " is of ", info(tensors[i]->dtype).name, ", the set takes ",
                 listed(condition.dtypes, [](DType dtype) { return info(dtype).name; }));
  return std::nullopt;
}

std::optional<std::string> rank_refusal(const Condition& condition, const std::vector<const TensorMeta*>& tensors) {
  if (condition.ranks.empty() || tensors.empty()) return std::nullopt;
  const auto rank = static_cast<int64_t>(tensors[0]->rank());
  if (std::ranges::find(condition.ranks, rank) != condition.ranks.end()) return std::nullopt;
  return cat("tensor operand 1 has rank ", rank, ", the set takes ",
             listed(condition.ranks, [](int64_t taken) { return cat(taken); }));
}

// Of tensors, and of operands that are sizes themselves.
std::optional<std::string> size_refusal(const Condition& condition, const Node& call) {
  if (!condition.is_static) return std::nullopt;
  std::optional<std::string> dynamic;
  auto check = [&](SymInt size) {
    if (!size.is_int() && !dynamic)
      dynamic = cat("an operand has the dynamic size ", size.str(), ", the set takes static ones");
  };
  for_each_operand(call, [&](const Node* operand) {
    if (operand->meta.kind == ValueMeta::Kind::kSymInt) check(operand->meta.number);
    if (const TensorMeta* tensor = operand->tensor())
      for (SymInt size : tensor->sizes) check(size);
  });
  return dynamic;
}

// From the fastest dimension to the slowest.
std::vector<size_t> order_of(MemoryFormat format, size_t rank) {
  std::vector<size_t> order;
  const bool is_contiguous = format == MemoryFormat::kContiguous;
  if (!is_contiguous) order.push_back(1);
  for (size_t dim = rank; dim-- > 0;)
    if (is_contiguous || dim > 1) order.push_back(dim);
  if (!is_contiguous) order.push_back(0);
  return order;
}

// Whatever its dynamic sizes are: nothing is decided by the sizes of the export.
bool lies_as(const TensorMeta& tensor, const FormatName& wanted) {
  if (wanted.rank != 0 && tensor.rank() != wanted.rank) return false;
  if (std::ranges::any_of(tensor.sizes, [](SymInt size) { return size.identical(0); })) return true;
  SymTraceScope untraced(nullptr);
  SymInt step = 1, step_of_any = 1;  // a size that may be 0 counts as 1
  for (size_t dim : order_of(wanted.format, tensor.rank())) {
    if (tensor.sizes[dim].identical(1)) continue;
    if (!tensor.strides[dim].identical(step) && !tensor.strides[dim].identical(step_of_any)) return false;
    step *= tensor.sizes[dim];
    step_of_any *= max(tensor.sizes[dim], 1);
  }
  return true;
}

std::string format_text(const TensorMeta& tensor) {
  for (const FormatName& each : kFormats)
    if (lies_as(tensor, each)) return std::string(each.name);
  return cat("with strides [", listed(tensor.strides, [](SymInt stride) { return stride.str(); }), ']');
}

std::optional<std::string> format_refusal(const Condition& condition, const std::vector<const TensorMeta*>& tensors) {
  if (!condition.format || tensors.empty()) return std::nullopt;
  const FormatName& wanted = *std::ranges::find(kFormats, *condition.format, &FormatName::format);
  if (lies_as(*tensors[0], wanted)) return std::nullopt;
  return cat("tensor operand 1 is ", type_text(*tensors[0]), ' ', format_text(*tensors[0]), ", the set takes ",
             wanted.name);
}

// A number is one however it is written: 1 for 1.0.
bool is_value(const Argument& given, const Argument& wanted) {
  using Kind = Argument::Kind;
  if (given.kind == Kind::kFloat && wanted.kind == Kind::kInt)
    return given.number == static_cast<double>(wanted.integer);
  if (given.kind == Kind::kInt && wanted.kind == Kind::kFloat)
    return static_cast<double>(given.integer) == wanted.number;
  return same_argument(given, wanted);
}

std::string value_text(const Argument& value) {
  std::string text;
  ArgumentPrinter(text, PrintStyle::kGraph).print(value);
  return text;
}

std::optional<std::string> value_refusal(const Condition& condition, const Node& call) {
  for (const auto& [name, value] : condition.where) {
    const std::optional<Argument> given = argument_named(call, name);
    if (!given || !is_value(*given, value))
      return cat("'", name, "' is ", given ? value_text(*given) : "left out", ", the set takes ", value_text(value));
  }
  return std::nullopt;
}

std::optional<std::string> none_refusal(const Condition& condition, const Node& call) {
  for (const std::string& name : condition.no_none) {
    const std::optional<Argument> list = argument_named(call, name);
    if (!list || list->kind != Argument::Kind::kList) continue;
    const Arguments items = list->list_items();
    const auto none = std::ranges::find_if(items, &Argument::is_none);
    if (none != items.end())
      return cat("item ", none - items.begin(), " of '", name, "' is None, the set takes lists without None");
  }
  return std::nullopt;
}

std::optional<std::string> refusal_of(const Condition& condition, const Node& call) {
  const std::vector<const TensorMeta*> tensors = tensor_operands(call);
  if (auto reason = dtype_refusal(condition, tensors)) return reason;
  if (auto reason = rank_refusal(condition, tensors)) return reason;
  if (auto reason = size_refusal(condition, call)) return reason;
  if (auto reason = format_refusal(condition, tensors)) return reason;
  if (auto reason = none_refusal(condition, call)) return reason;
  return value_refusal(condition, call);
}

}  // namespace

void OpSet::take(const OpSet& other, OpId op) {
  if (other.whole_[op]) accept(op);
  if (auto found = other.conditions_.find(op); found != other.conditions_.end())
    for (const Condition& condition : found->second) accept(op, condition);
}

std::optional<std::string> OpSet::refusal(const Node& call) const {
  if (!accepted_[call.op]) return cat("the set '", name, "' has no ", short_name(call.op));
  if (whole_[call.op]) return std::nullopt;
  std::vector<std::string> reasons;  // one an entry, those that say the same once
  for (const Condition& condition : conditions_.at(call.op)) {
    std::optional<std::string> reason = refusal_of(condition, call);
    if (!reason) return std::nullopt;
    if (std::ranges::find(reasons, *reason) == reasons.end()) reasons.push_back(std::move(*reason));
  }
  std::string text;
  for (const std::string& reason : reasons) text += cat(text.empty() ? "" : "; or ", reason);
  return text;
}

// What asks for a size, or states something about one, computes nothing that a back end implements.
static bool is_about_sizes(OpId op) {
  return op == op::aten_sym_size_int || op == op::aten_sym_stride_int || op == op::aten_sym_numel ||
         op == op::aten_sym_storage_offset || op == op::aten__assert_scalar || op == op::aten_sym_constrain_range ||
         op == op::aten_sym_constrain_range_for_size;
}

std::vector<Violation> violations(const Graph& graph, const OpSet& set) {
  std::vector<Violation> found;
  for_each_operator(graph, [&](const Node& node) {
    if (node.callee == Callee::kCustom) found.push_back({&node, cat("the set '", set.name, "' has no ", node.target)});
    if (node.callee != Callee::kOp || is_about_sizes(node.op)) return;
    if (auto reason = set.refusal(node)) found.push_back({&node, *reason});
  });
  return found;
}

}  // namespace rung
