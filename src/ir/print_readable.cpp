// print_readable(): code with types, the source lines it came from, and the classes of sub-graphs.
#include <algorithm>
#include <unordered_set>

#include "base/strings.h"
#include "ir/annotation.h"
#include "ir/print.h"
#include "ir/print_parts.h"
#include "ir/recorded_at.h"
#include "shape/expr.h"

namespace rung {
namespace {

std::string annotation_of(const ValueMeta& meta) {
  using Kind = ValueMeta::Kind;
  if (const TensorMeta* tensor = meta.as_tensor()) {
    if (tensor->layout == Layout::kSparseCsr || tensor->layout == Layout::kSparseCsc) return {};
    return cat(": \"", type_text(*tensor), "\"");
  }
  // A number or bool that is known is an ordinary value of Python.
  const Expr* expr = nullptr;
  if (meta.kind == Kind::kSymInt && meta.number.is_symbolic()) expr = meta.number.expr();
  if (meta.kind == Kind::kSymFloat || meta.kind == Kind::kSymBool) expr = meta.expr;
  if (expr == nullptr || expr->is_number() || expr->kind == ExprKind::kConstant) return {};
  return cat(": \"Sym(", str(expr), ")\"");
}

// The innermost frame of a stack trace, and the line of source that stands below it.
std::string source_text(std::string_view stack_trace) {
  if (auto line = take_source_line(stack_trace)) return cat("File: ", line->place(), ", code: ", line->code);
  return "No stacktrace found for following nodes";
}

std::string python_value(json::Value value);

std::string python_list(json::Value list) {
  std::string out;
  list.for_each_item([&](json::Value item) { out += cat(out.empty() ? "" : ", ", python_value(item)); });
  return cat('[', out, ']');
}

template <typename Print>
std::string python_dict(json::Value dict, Print&& print) {
  std::string out;
  dict.for_each_member([&](std::string_view key, json::Value value) {
    out += cat(out.empty() ? "" : ", ", python_string(key), ": ", print(value));
  });
  return cat('{', out, '}');
}

// A value of JSON as Python's repr prints it once it is read.
std::string python_value(json::Value value) {
  switch (value.kind()) {
    case json::Kind::kBool: return value.as_bool() ? "True" : "False";
    case json::Kind::kFloat: return python_float(value.as_float());
    case json::Kind::kString: return python_string(value.as_string());
    case json::Kind::kArray: return python_list(value);
    case json::Kind::kObject: return python_dict(value, python_value);
    case json::Kind::kMissing:
    case json::Kind::kNull: return "None";
    default: break;
  }
  std::string digits;
  json::append_value(digits, value);
  return digits;
}

constexpr size_t kLongestAnnotation = 40;

// The first `count` code points.
std::string_view first_characters(std::string_view text, size_t count) {
  size_t at = 0;
  for (; at < text.size(); ++at)
    if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80 && count-- == 0) break;
  return text.substr(0, at);
}

std::string shortened_value(json::Value value) {
  std::string plain = value.is_string() ? std::string(value.as_string()) : python_value(value);
  std::string_view kept = first_characters(plain, kLongestAnnotation);
  return kept.size() == plain.size() ? python_value(value) : python_string(cat(kept, "..."));
}

std::string annotation_text(const std::string& custom) {
  if (custom.empty()) return {};
  auto document = json::Document::parse(custom);
  if (!document->root().is_object() || document->root().size() == 0) return {};
  return cat(" Annotation: ", python_dict(document->root(), shortened_value));
}

// A file describes the call that a sub-graph is for, not the get_attr before it; torch shows both as one.
json::Value metadata_of(const Node& node) {
  if (node.metadata || node.kind != NodeKind::kGetAttr) return node.metadata;
  const Node* call = node.next;
  while (call != nullptr && call->kind == NodeKind::kGetAttr) call = call->next;
  if (call == nullptr) return {};
  auto is_node = [&](const Argument& arg) { return arg.kind == Argument::Kind::kNode && arg.node == &node; };
  bool is_argument = std::any_of(call->args.begin(), call->args.end(), is_node);
  return is_argument ? call->metadata : json::Value();
}

class ReadablePrinter {
 public:
  explicit ReadablePrinter(std::string& out) : out_(out) {}

  void print_class(const Graph& graph, std::string_view name, size_t indent) {
    std::string margin(indent, ' ');
    StatementPrinter printer(out_, graph);
    out_ += cat(margin, "class ", name, "(torch.nn.Module):\n", margin, "    def forward(self");
    for (const Node* node : graph)
      if (node->kind == NodeKind::kPlaceholder) printer.print_parameter(*node, annotation_of(node->meta));
    out_ += "):\n";
    print_body(graph, printer, cat(margin, "        "));
    print_subgraphs(graph, indent + 4);
  }

 private:
  void print_body(const Graph& graph, StatementPrinter& printer, std::string_view margin) {
    Summary last;
    bool at_top = true;
    for (const Node* node : graph) {
      bool is_parameter = node->kind == NodeKind::kPlaceholder;
      if (is_parameter && !printer.is_renamed(*node)) continue;
      bool is_statement = !is_parameter && node->kind != NodeKind::kOutput;
      if (is_statement) print_summary(*node, margin, at_top, last);
      out_ += margin;
      if (is_parameter)
        printer.print_renaming(*node);
      else if (is_statement)
        printer.print_statement(*node, annotation_of(node->meta));
      else
        printer.print_return(*node);
      out_ += '\n';
      at_top = false;
    }
    if (graph.size == 0) out_ += cat(margin, "pass\n");
  }

  // The last comment, and the texts it was made from: neighbours mostly share them.
  struct Summary {
    std::string text;
    std::string_view stack_trace;
    bool has_custom = false;
  };

  void print_summary(const Node& node, std::string_view margin, bool at_top, Summary& last) {
    json::Value metadata = metadata_of(node);
    std::string_view stack_trace = stack_trace_of(metadata);
    std::string custom = custom_metadata(node, metadata);
    bool has_custom = !custom.empty();
    if (!last.text.empty() && !has_custom && !last.has_custom && stack_trace == last.stack_trace) return;
    std::string text = cat('#', annotation_text(custom), ' ', source_text(stack_trace));
    last.stack_trace = stack_trace;
    last.has_custom = has_custom;
    if (text == last.text) return;
    out_ += cat(at_top ? "" : "\n", margin, text, '\n');
    last.text = std::move(text);
  }

  void print_subgraphs(const Graph& graph, size_t indent) {
    std::unordered_set<std::string_view> printed;
    for (const Node* node : graph) {
      if (node->kind != NodeKind::kGetAttr) continue;
      for (const Graph* inner : subgraphs(*node)) {
        if (!printed.insert(node->target).second) continue;
        out_ += '\n';
        print_class(*inner, node->target, indent);
      }
    }
  }

  std::string& out_;
};

}  // namespace

std::string readable_text(const Graph& graph) {
  std::string out;
  ReadablePrinter(out).print_class(graph, graph.name.empty() ? "GraphModule" : graph.name, 0);
  return out;
}

}  // namespace rung
