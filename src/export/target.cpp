// Which function a node calls.
#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "export/read_graph.h"

namespace rung {
namespace {

constexpr std::string_view kPythonFunctions[] = {
    "_operator.add",   "_operator.and_",    "_operator.eq",         "_operator.floordiv",
    "_operator.ge",    "_operator.gt",      "_operator.inv",        "_operator.invert",
    "_operator.le",    "_operator.lshift",  "_operator.lt",         "_operator.mod",
    "_operator.mul",   "_operator.ne",      "_operator.neg",        "_operator.not_",
    "_operator.or_",   "_operator.pos",     "_operator.pow",        "_operator.rshift",
    "_operator.sub",   "_operator.truediv", "_operator.xor",        "math.ceil",
    "math.floor",      "math.trunc",        "torch._sym_acos",      "torch._sym_asin",
    "torch._sym_atan", "torch._sym_cos",    "torch._sym_cosh",      "torch._sym_log2",
    "torch._sym_sin",  "torch._sym_sinh",   "torch._sym_sqrt",      "torch._sym_tan",
    "torch._sym_tanh", "torch.sym_float",   "torch.sym_fresh_size", "torch.sym_int",
    "torch.sym_ite",   "torch.sym_max",     "torch.sym_min",        "torch.sym_not",
    "torch.sym_sqrt",  "torch.sym_sum",
};
static_assert(std::is_sorted(std::begin(kPythonFunctions), std::end(kPythonFunctions)));

// "aten.add.Tensor" -> "aten::add.Tensor"; the overload must be there.
std::string with_colons(std::string_view text, std::string_view path) {
  size_t dot = path.find('.');
  bool complete = dot != path.npos && dot > 0 && path.find('.', dot + 1) != path.npos && path.back() != '.';
  if (!complete) fail_input("the target '", text, "' names no overload of an operator");
  return cat(path.substr(0, dot), "::", path.substr(dot + 1));
}

bool packet_exists(std::string_view packet) {
  auto same_packet = [&](const OpSchema& op) { return cat(op.ns(), "::", op.packet()) == packet; };
  return std::any_of(all_ops().begin(), all_ops().end(), same_packet);
}

Target native_op(std::string_view text, std::string_view name) {
  OpId op = find_op(name);
  if (op != kNoOp) return {Callee::kOp, op, text};
  std::string_view packet = name.substr(0, name.find('.'));
  if (packet_exists(packet))
    fail_input("unknown overload '", name.substr(name.find('.') + 1), "' of the operator ", packet);
  constexpr std::string_view kDefault = ".default";
  if (name.ends_with(kDefault)) name.remove_suffix(kDefault.size());
  fail_input("unknown operator ", name);
}

}  // namespace

Target resolve_target(std::string_view text, Arena& arena) {
  constexpr std::string_view kOps = "torch.ops.", kHigherOrder = "torch.ops.higher_order.";
  if (text.starts_with(kHigherOrder)) {
    std::string_view name = text.substr(kHigherOrder.size());
    if (name.empty()) fail_input("the target '", text, "' names no operator");
    return {Callee::kHigherOrder, kNoOp, name};
  }
  if (text.starts_with(kOps)) {
    std::string name = with_colons(text, text.substr(kOps.size()));
    if (name.starts_with("aten::") || name.starts_with("prims::")) return native_op(text, name);
    return {Callee::kCustom, kNoOp, arena.copy(std::string_view(name))};
  }
  if (std::binary_search(std::begin(kPythonFunctions), std::end(kPythonFunctions), text))
    return {Callee::kPython, kNoOp, text};
  // Wrappers of vmap, jvp and their like, which torch keeps in graphs taken before dispatch.
  if (text.starts_with("torch._functorch.") || text.starts_with("torch._C.")) return {Callee::kPython, kNoOp, text};
  if (text.starts_with("#"))
    fail_input("the target '", text, "' belongs to an extension of torch.export, which rung does not know");
  fail_input("unknown target '", text, "'");
}

}  // namespace rung
