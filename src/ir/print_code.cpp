// GraphModule.code: a graph as a Python function.
#include <algorithm>

#include "base/error.h"
#include "ir/names.h"
#include "ir/print.h"
#include "ir/print_parts.h"

namespace rung {
namespace {

// A function of Python's operator module and how it is written; {} stands for an operand.
struct OperatorText {
  std::string_view name, before, between, after;
};

constexpr OperatorText kOperators[] = {
    {"add", "", " + ", ""},     {"sub", "", " - ", ""},     {"mul", "", " * ", ""},    {"floordiv", "", " // ", ""},
    {"truediv", "", " / ", ""}, {"div", "", " / ", ""},     {"mod", "", " % ", ""},    {"pow", "", " ** ", ""},
    {"lshift", "", " << ", ""}, {"rshift", "", " >> ", ""}, {"and_", "", " & ", ""},   {"or_", "", " | ", ""},
    {"xor", "", " ^ ", ""},     {"getitem", "", "[", "]"},  {"matmul", "", " @ ", ""}, {"eq", "", " == ", ""},
    {"ne", "", " != ", ""},     {"lt", "", " < ", ""},      {"gt", "", " > ", ""},     {"le", "", " <= ", ""},
    {"ge", "", " >= ", ""},     {"pos", "+", "", ""},       {"neg", "-", "", ""},      {"invert", "~", "", ""},
};

const OperatorText* find_operator(const Node& node) {
  constexpr std::string_view kPrefix = "_operator.";
  std::string_view name = node.callee == Callee::kGetItem ? "getitem" : node.target;
  if (node.callee == Callee::kPython && name.starts_with(kPrefix))
    name.remove_prefix(kPrefix.size());
  else if (node.callee != Callee::kGetItem)
    return nullptr;
  for (const OperatorText& text : kOperators)
    if (text.name == name) return &text;
  return nullptr;
}

constexpr std::string_view kBuiltins = "builtins.";

bool is_builtin(const Node& node) { return node.callee == Callee::kPython && node.target.starts_with(kBuiltins); }

// Functions of torch keep their full name and builtins are bare; others become a global of the code.
bool is_python_global(const Node& node) {
  return node.is_call(Callee::kPython) && find_operator(node) == nullptr && !is_builtin(node) &&
         !node.target.starts_with("torch.");
}

// Letters of other scripts count as letters, as they do in Python for all but a few symbols.
bool is_identifier(std::string_view text) {
  auto starts_name = [](char c) {
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    return is_letter || c == '_';
  };
  auto is_good = [&](char c) { return starts_name(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && starts_name(text[0]) && std::all_of(text.begin(), text.end(), is_good);
}

// Whether no node is called otherwise in code. Names with a number shadow nothing, and most names have one.
bool keeps_its_names(const Graph& graph) {
  Arena arena;
  Names names(arena);
  for (const Node* node : graph) {
    if (node->kind == NodeKind::kOutput) continue;
    if (is_python_global(*node) || !is_identifier(node->name)) return false;
    auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    bool has_number = node->name.back() >= '0' && node->name.back() <= '9';
    bool is_plain = has_number && std::all_of(node->name.begin(), node->name.end(), is_ascii);
    if (!is_plain && names.create(node->name) != node->name) return false;
  }
  return true;
}

// self.sub.weight, and getattr(self.sub, "0").weight for what is no identifier.
std::string attribute_text(std::string_view path) {
  std::string out = "self";
  while (true) {
    size_t dot = path.find('.');
    std::string_view part = path.substr(0, dot);
    out = is_identifier(part) ? cat(out, '.', part) : cat("getattr(", out, ", \"", part, "\")");
    if (dot == path.npos) return out;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string_view parameter_name(const Node& placeholder) {
  return placeholder.target.empty() ? placeholder.name : placeholder.target;
}

CodeNames::CodeNames(const Graph& graph) {
  if (keeps_its_names(graph)) return;
  Names names(arena_);
  for (const Node* node : graph) {
    if (node->kind == NodeKind::kOutput) continue;
    std::string_view name = names.create(node->name);
    if (name != node->name) changed_.emplace(node, name);
    if (is_python_global(*node) && !functions_.contains(node->target))
      functions_.emplace(node->target, names.create(node->target));
  }
}

std::string_view CodeNames::of(const Node* node) const {
  if (changed_.empty()) return node->name;
  auto found = changed_.find(node);
  return found == changed_.end() ? node->name : found->second;
}

void StatementPrinter::print_parameter(const Node& placeholder, std::string_view annotation) {
  out_ += cat(", ", parameter_name(placeholder), annotation);
  if (placeholder.args.empty()) return;
  out_ += " = ";
  arguments_.print(placeholder.args[0]);
}

void StatementPrinter::print_renaming(const Node& placeholder) {
  out_ += cat(names_.of(&placeholder), " = ", parameter_name(placeholder));
}

void StatementPrinter::print_statement(const Node& node, std::string_view annotation) {
  out_ += cat(names_.of(&node), annotation, " = ");
  if (node.kind == NodeKind::kGetAttr)
    out_ += attribute_text(node.target);
  else
    print_call(node);
  print_deletions(node);
}

void StatementPrinter::print_call(const Node& node) {
  RUNG_CHECK(node.kind == NodeKind::kCall, "node '", node.name, "' is no statement");
  if (const OperatorText* text = find_operator(node)) {
    out_ += text->before;
    for (size_t i = 0; i < node.args.size(); ++i) {
      if (i > 0) out_ += text->between;
      arguments_.print(node.args[i]);
    }
    out_ += text->after;
    return;
  }
  if (is_python_global(node))
    out_ += names_.of_function(node.target);
  else
    out_ += is_builtin(node) ? std::string(node.target.substr(kBuiltins.size())) : target_name(node);
  out_ += '(';
  bool first = true;
  for (size_t i = 0; i < node.args.size(); ++i) {
    if (!first) out_ += ", ";
    first = false;
    arguments_.print_operand(node, i);
  }
  for (const NamedArgument& argument : node.kwargs) {
    out_ += cat(first ? "" : ", ", argument.name, " = ");
    first = false;
    arguments_.print(argument.value);
  }
  out_ += ')';
}

void StatementPrinter::print_deletions(const Node& node) {
  bool first = true;
  auto add = [&](const Node* dead) {
    out_ += cat(first ? ";  " : "", names_.of(dead), " = ");
    first = false;
  };
  for_each_operand(node, [&](const Node* operand) {
    if (uses_.take_last_use(operand, &node)) add(operand);
  });
  if (deletes_unused_ && uses_.users(&node) == 0) add(&node);
  if (!first) out_ += "None";
}

void StatementPrinter::print_return(const Node& output) {
  out_ += "return ";
  arguments_.print_returned(graph_, output);
}

void StatementPrinter::print_flattening(std::span<const std::string> parameters) {
  for (const Node* node : graph_)
    if (node->kind == NodeKind::kPlaceholder) out_ += cat(parameter_name(*node), ", ");
  out_ += "= fx_pytree.tree_flatten_spec([";
  for (size_t i = 0; i < parameters.size(); ++i) out_ += cat(i == 0 ? "" : ", ", parameters[i]);
  out_ += "], self._in_spec)";
}

void StatementPrinter::print_tree_return(const Node& output) {
  out_ += "return pytree.tree_unflatten(";
  arguments_.print(output.args[0]);
  out_ += ", self._out_spec)";
}

std::string code_text(const Graph& graph, const CodeForm& form) {
  std::string out = "\n\n\ndef forward(self";
  StatementPrinter printer(out, graph, form.deletes_unused);
  const bool has_tree = !form.tree_parameters.empty();
  for (const std::string& parameter : form.tree_parameters) out += cat(", ", parameter);
  for (const Node* node : graph)
    if (!has_tree && node->kind == NodeKind::kPlaceholder) printer.print_parameter(*node, {});
  out += "):\n";
  if (has_tree) {
    out += "    ";
    printer.print_flattening(form.tree_parameters);
    out += '\n';
  }
  for (const Node* node : graph) {
    if (node->kind == NodeKind::kPlaceholder && !printer.is_renamed(*node)) continue;
    out += "    ";
    if (node->kind == NodeKind::kPlaceholder)
      printer.print_renaming(*node);
    else if (node->kind == NodeKind::kOutput)
      has_tree ? printer.print_tree_return(*node) : printer.print_return(*node);
    else
      printer.print_statement(*node, {});
    out += '\n';
  }
  if (graph.size == 0) out += "    pass\n";
  return out + "    ";
}

}  // namespace rung
