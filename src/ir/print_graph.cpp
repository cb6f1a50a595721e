// str(graph), and how arguments are written.
#include "base/error.h"
#include "ir/print.h"
#include "ir/print_parts.h"
#include "shape/expr.h"

namespace rung {
namespace {

void append_node_line(std::string& out, const Node& node, uint32_t users) {
  ArgumentPrinter arguments(out, PrintStyle::kGraph);
  out += cat("\n    %", node.name, " : [num_users=", users, "] = ");
  if (node.kind == NodeKind::kPlaceholder) {
    out += cat("placeholder[target=", parameter_name(node), ']');
    if (node.args.empty()) return;
    out += "(default=";
    bool is_bare = node.args[0].kind == Argument::Kind::kString;
    ArgumentPrinter(out, is_bare ? PrintStyle::kGraph : PrintStyle::kPython).print(node.args[0]);
    out += ')';
    return;
  }
  if (node.kind == NodeKind::kGetAttr) {
    out += cat("get_attr[target=", node.target, ']');
    return;
  }
  out += cat("call_function[target=", target_name(node), "](args = ");
  arguments.print_operands(node);
  out += ", kwargs = ";
  arguments.print_entries(node.kwargs);
  out += ')';
}

}  // namespace

void ArgumentPrinter::print(const Argument& argument) {
  using Kind = Argument::Kind;
  std::string_view mark = style_ == PrintStyle::kGraph ? "%" : "";
  switch (argument.kind) {
    case Kind::kNone: out_ += "None"; return;
    case Kind::kBool: out_ += argument.boolean ? "True" : "False"; return;
    case Kind::kInt: append_part(out_, argument.integer); return;
    case Kind::kFloat: out_ += python_float(argument.number); return;
    case Kind::kComplex: out_ += python_complex(argument.complex->real, argument.complex->imag); return;
    case Kind::kString:
      if (style_ == PrintStyle::kGraph)
        out_ += argument.string_view();
      else
        out_ += python_string(argument.string_view());
      return;
    case Kind::kDType: out_ += cat("torch.", info(argument.dtype_value).name); return;
    case Kind::kLayout: out_ += cat("torch.", layout_name(argument.layout_value)); return;
    case Kind::kMemoryFormat: out_ += cat("torch.", memory_format_name(argument.format_value)); return;
    case Kind::kDevice: print_device(*argument.device); return;
    case Kind::kNode: out_ += cat(mark, names_ ? names_->of(argument.node) : argument.node->name); return;
    case Kind::kGraph: out_ += cat(mark, argument.graph->name); return;
    case Kind::kList:
      out_ += '[';
      print_joined(argument.list_items());
      out_ += ']';
      return;
    case Kind::kDict: print_entries(argument.dict_entries()); return;
    case Kind::kSymInt: out_ += argument.sym().str(); return;
    case Kind::kObject: print_object(argument.string_view()); return;
    case Kind::kFunctional: out_ += "<tensor being traced>"; return;
    case Kind::kReal: out_ += "<tensor with values>"; return;
  }
  RUNG_UNREACHABLE();
}

void ArgumentPrinter::print_joined(Arguments items) {
  bool first = true;
  for (const Argument& item : items) {
    if (!first) out_ += ", ";
    first = false;
    print(item);
  }
}

void ArgumentPrinter::print_tuple(Arguments items) {
  out_ += '(';
  print_joined(items);
  out_ += items.size() == 1 ? ",)" : ")";
}

// What a trace hands to scan last is a tuple and stays one; lists made of tuples come from files.
void ArgumentPrinter::print_operand(const Node& call, size_t i) {
  bool is_tuple = call.is_call(Callee::kHigherOrder) && call.target == "scan" && i == 3 && call.origin != nullptr &&
                  call.args[i].kind == Argument::Kind::kList;
  if (is_tuple)
    print_tuple(call.args[i].list_items());
  else
    print(call.args[i]);
}

void ArgumentPrinter::print_operands(const Node& call) {
  out_ += '(';
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (i > 0) out_ += ", ";
    print_operand(call, i);
  }
  out_ += call.args.size() == 1 ? ",)" : ")";
}

void ArgumentPrinter::print_entries(std::span<const NamedArgument> entries) {
  out_ += '{';
  bool first = true;
  for (const NamedArgument& entry : entries) {
    if (!first) out_ += ", ";
    first = false;
    out_ += style_ == PrintStyle::kGraph ? std::string(entry.name) : python_string(entry.name);
    out_ += ": ";
    print(entry.value);
  }
  out_ += '}';
}

void ArgumentPrinter::print_device(const Device& device) {
  if (style_ == PrintStyle::kGraph) {
    out_ += device.str();
    return;
  }
  out_ += cat("device(type=", python_string(device.type));
  if (device.index >= 0) out_ += cat(", index=", device.index);
  out_ += ')';
}

// An operator as an argument: its str leaves out where the namespaces of ops live.
void ArgumentPrinter::print_object(std::string_view name) {
  constexpr std::string_view kPrefix = "torch.ops.";
  if (style_ == PrintStyle::kGraph && name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  out_ += name;
}

void ArgumentPrinter::print_returned(const Graph& graph, const Node& output) {
  if (!graph.is_single_tensor_return) return print_tuple(output.args);
  if (output.args.empty())
    out_ += "None";
  else
    print(output.args[0]);
}

Uses::Uses(const Graph& graph) {
  uses_.reserve(graph.size);
  for (const Node* node : graph) {
    for_each_operand(*node, [&](const Node* operand) {
      Use& use = uses_[operand];
      if (use.last == node) return;
      use.last = node;
      ++use.users;
    });
  }
}

uint32_t Uses::users(const Node* node) const {
  auto found = uses_.find(node);
  return found == uses_.end() ? 0 : found->second.users;
}

bool Uses::take_last_use(const Node* node, const Node* user) {
  auto found = uses_.find(node);
  if (found == uses_.end() || found->second.last != user) return false;
  found->second.last = nullptr;
  return true;
}

std::string node_text(const Node& call) {
  std::string out;
  append_node_line(out, call, call.uses);
  return out.substr(out.find('%'));
}

std::string graph_text(const Graph& graph) {
  Uses uses(graph);
  std::string out = "graph():";
  for (const Node* node : graph) {
    if (node->kind != NodeKind::kOutput) {
      append_node_line(out, *node, uses.users(node));
      continue;
    }
    out += "\n    return ";
    // Python's str of a text has no quotes, but a text inside a tuple or a list has.
    bool is_bare = graph.is_single_tensor_return && node->args.size() == 1;
    bool is_text = is_bare && node->args[0].kind == Argument::Kind::kString;
    ArgumentPrinter(out, is_text ? PrintStyle::kGraph : PrintStyle::kPython).print_returned(graph, *node);
  }
  return out;
}

}  // namespace rung
