// What the printers of graphs share.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ir/graph.h"

namespace rung {

/// What nodes are called inside generated code: a name that shadows Python, as input does, gets a number
/// there, and pushes later names on.
class CodeNames {
 public:
  explicit CodeNames(const Graph& graph);
  std::string_view of(const Node* node) const;
  /// The global that stands for a function of Python: "math_trunc" for "math.trunc".
  std::string_view of_function(std::string_view target) const { return functions_.at(target); }

 private:
  Arena arena_;
  std::unordered_map<const Node*, std::string_view> changed_;
  std::unordered_map<std::string_view, std::string_view> functions_;
};

enum class PrintStyle : uint8_t {
  kGraph,   // str(graph): %x, bare strings, cpu
  kPython,  // code, and what str(graph) returns: x, 'quoted', device(type='cpu')
};

/// Appends arguments to a text. Without `names` nodes keep their own.
class ArgumentPrinter {
 public:
  ArgumentPrinter(std::string& out, PrintStyle style, const CodeNames* names = nullptr)
      : out_(out), style_(style), names_(names) {}

  void print(const Argument& argument);
  void print_tuple(Arguments items);
  /// Argument `i` of a call.
  void print_operand(const Node& call, size_t i);
  /// All of them, as a tuple.
  void print_operands(const Node& call);
  void print_entries(std::span<const NamedArgument> entries);
  /// The value of an output node: a tuple of its arguments, or the one bare value.
  void print_returned(const Graph& graph, const Node& output);

 private:
  void print_joined(Arguments items);
  void print_device(const Device& device);
  void print_object(std::string_view name);

  std::string& out_;
  PrintStyle style_;
  const CodeNames* names_;
};

/// Who uses a node, counted for one printing, so that printing changes nothing.
class Uses {
 public:
  explicit Uses(const Graph& graph);
  uint32_t users(const Node* node) const;
  /// Whether `user` is the last that uses `node`. Says so once.
  bool take_last_use(const Node* node, const Node* user);

 private:
  struct Use {
    uint32_t users = 0;
    const Node* last = nullptr;
  };
  std::unordered_map<const Node*, Use> uses_;
};

/// The parameter's name in the signature of forward.
std::string_view parameter_name(const Node& placeholder);

/// Appends the lines of a function, without indentation and end of line.
class StatementPrinter {
 public:
  StatementPrinter(std::string& out, const Graph& graph, bool deletes_unused = true)
      : out_(out),
        graph_(graph),
        uses_(graph),
        names_(graph),
        arguments_(out, PrintStyle::kPython, &names_),
        deletes_unused_(deletes_unused) {}

  /// ", x = 3"
  void print_parameter(const Node& placeholder, std::string_view annotation);
  /// Whether the placeholder needs a line "input_1 = input".
  bool is_renamed(const Node& node) const { return names_.of(&node) != parameter_name(node); }
  void print_renaming(const Node& placeholder);
  /// linear: "f32[4]" = torch.ops.aten.linear.default(x);  x = None
  void print_statement(const Node& node, std::string_view annotation);
  void print_return(const Node& output);
  /// The parameters that are structures are taken apart into the placeholders, and the result is put together again.
  void print_flattening(std::span<const std::string> parameters);
  void print_tree_return(const Node& output);

 private:
  void print_call(const Node& node);
  void print_deletions(const Node& node);

  std::string& out_;
  const Graph& graph_;
  Uses uses_;
  CodeNames names_;
  ArgumentPrinter arguments_;
  bool deletes_unused_;
};

}  // namespace rung
