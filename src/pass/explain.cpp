// A program, each of its calls followed by what it was opened into, indented.
#include "pass/explain.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/strings.h"
#include "ir/print_parts.h"
#include "ir/recorded_at.h"
#include "pass/census.h"
#include "pass/offspring.h"
#include "schema/nearest.h"

namespace rung {
namespace {

constexpr size_t kRemarkColumn = 60;

std::string counted(size_t count, std::string_view what) { return cat(count, ' ', what, count == 1 ? "" : "s"); }

// A line of the trace; what is said of it stands to the right, as a comment of Python.
void append_line(std::string& out, size_t indent, std::string_view text, std::string_view remark) {
  const size_t start = out.size();
  out.append(indent, ' ');
  out += text;
  if (!remark.empty()) {
    if (const size_t width = out.size() - start; width < kRemarkColumn) out.append(kRemarkColumn - width, ' ');
    out += cat("  # ", remark);
  }
  out += '\n';
}

// "add = aten.add.Tensor(x, 1)"
std::string statement(const Node& call) { return cat(call.name, " = ", callee_text(call), arguments_text(call)); }

class Trace {
 public:
  Trace(const ExportedProgram& source, const ExportedProgram& lowered, const ExplainOptions& options)
      : source_(*source.graph), lowered_(*lowered.graph), options_(options), offspring_(lowered_) {}

  std::string text() {
    source_.count_uses();
    if (!options_.op.is_any()) look_for_op();
    for_each_operator(source_, [&](const Node& node) {
      const auto made = offspring_.of(node);
      if (is_wanted(node, made)) append_call(node, made);
    });
    if (!options_.op.is_any()) append_answer();
    const size_t all = fates_[0] + fates_[1] + fates_[2];
    return out_ + cat(counted(all, "operator"), ": ", fates_[0], " survived, ", fates_[1], " opened, ", fates_[2],
                      " removed\n");
  }

 private:
  // Whether a body that led to `node` is one of the op that is asked for.
  bool came_by(const Node& node) const {
    for (const Frame* frame = node.origin->chain; frame != nullptr; frame = frame->outer)
      if (options_.op.holds(frame->op)) return true;
    return false;
  }
  bool is_called(const Node* node) const { return options_.op.holds(node->op); }

  void look_for_op() {
    for_each_operator(source_, [&](const Node& node) { in_source_ += is_called(&node); });
    for_each_operator(lowered_, [&](const Node& node) {
      in_result_ += is_called(&node);
      on_the_way_ += node.origin != nullptr && came_by(node);
    });
  }

  bool is_wanted(const Node& node, std::span<const Node* const> made) const {
    if (!options_.node.empty() && node.name != options_.node) return false;
    if (options_.op.is_any()) return true;
    if (in_source_ > 0) return is_called(&node);
    return std::ranges::any_of(made,
                               [&](const Node* child) { return in_result_ > 0 ? is_called(child) : came_by(*child); });
  }

  void append_call(const Node& node, std::span<const Node* const> made) {
    const Fate fate = fate_of(node, made);
    ++fates_[static_cast<size_t>(fate)];
    std::string said = type_text(node.meta);
    said += cat(said.empty() ? "" : ", ", fate_text(node, made, fate));
    append_line(out_, 0, statement(node), said);
    if (const std::string place = place_text(node); !place.empty()) append_line(out_, 2, "# " + place, "");
    if (fate == Fate::kOpened || made.size() > 1)
      for (const Step& step : expansion(node, made)) append_step(step);
    else if (fate == Fate::kSurvived)
      append_remark(*made[0], 2);
  }

  std::string fate_text(const Node& node, std::span<const Node* const> made, Fate fate) {
    const Frame* body = fate == Fate::kOpened ? own_body(node, made) : nullptr;
    const std::string verb = fate == Fate::kSurvived  ? "survived"
                             : fate == Fate::kRemoved ? "removed"
                             : body == nullptr        ? "replaced"
                                                      : cat("opened (", body->rule, ')');
    ++verbs_[verb];
    if (fate == Fate::kSurvived) return verb;
    return fate == Fate::kRemoved ? cat(verb, ": ", removal_reason(node))
                                  : cat(verb, body == nullptr ? " by " : " into ", counted(made.size(), "operator"));
  }

  void append_step(const Step& step) {
    const size_t indent = 2 + 2 * step.depth;
    if (step.body != nullptr) return append_line(out_, indent, short_name(step.body->op), step.body->rule);
    append_line(out_, indent, statement(*step.node), type_text(step.node->meta));
    append_remark(*step.node, indent + 2);
  }

  void append_remark(const Node& node, size_t indent) {
    if (options_.remarks == nullptr) return;
    if (auto found = options_.remarks->find(&node); found != options_.remarks->end())
      append_line(out_, indent, "# " + found->second, "");
  }

  std::string asked() const {
    if (options_.op.op != kNoOp) return short_name(options_.op.op);
    std::string name(options_.op.packet);
    return name.replace(name.find("::"), 2, ".");
  }

  // "Why is there none in the result?", by name.
  void append_answer() {
    if (in_source_ > 0 && in_result_ == 0)
      out_ += cat("no ", asked(), " is in the result: ", counted(in_source_, "call"), " in the program", verbs());
    else if (in_source_ > 0)
      out_ += cat(asked(), ": ", counted(in_source_, "call"), " in the program, ", in_result_, " in the result");
    else if (in_result_ > 0)
      out_ += cat(asked(), ": no call in the program, ", in_result_, " in the result");
    else if (on_the_way_ > 0)
      out_ +=
          cat(asked(), ": no call in the program or in the result; bodies called it, and it was opened in its turn");
    else
      out_ += cat("no ", asked(), " is in the program or in the result, and no body called one", near_names());
    out_ += '\n';
  }

  std::string verbs() const {
    std::string text;
    for (const auto& [verb, calls] : verbs_) text += cat(", ", calls, ' ', verb);
    return text;
  }

  std::string near_names() const {
    std::map<OpId, size_t> ops;
    for_each_operator(source_, [&](const Node& node) { ops[node.op] += node.op != kNoOp; });
    std::vector<OpId> among;
    for (const auto& [op, calls] : ops)
      if (calls > 0) among.push_back(op);
    std::string text;
    for (OpId op : nearest_ops(asked(), 3, among))
      text += cat(text.empty() ? "; nearest in the program: " : ", ", short_name(op));
    return text;
  }

  Graph& source_;
  const Graph& lowered_;
  const ExplainOptions& options_;
  const Offspring offspring_;
  std::string out_;
  size_t in_source_ = 0, in_result_ = 0, on_the_way_ = 0;  // calls of the op that is asked for
  std::map<std::string, size_t> verbs_;                    // what became of the calls in the trace
  size_t fates_[3] = {};
};

}  // namespace

bool OpChoice::holds(OpId other) const {
  if (other == kNoOp) return false;
  if (op != kNoOp) return op == other;
  const std::string_view name = schema_of(other).name;
  return name.substr(0, name.find('.')) == packet;
}

std::string explain(const ExportedProgram& source, const ExportedProgram& lowered, const ExplainOptions& options) {
  return Trace(source, lowered, options).text();
}

std::string place_text(const Node& node) {
  const std::vector<ModuleCall> modules = module_stack(node);
  std::string text;
  if (!modules.empty() && !modules.back().path.empty()) text = cat(modules.back().path, " (", modules.back().type, ')');
  if (const auto line = source_line(node))
    text += cat(text.empty() ? "" : ", ", line->place(), line->code.empty() ? "" : ": ", line->code);
  return text;
}

std::string arguments_text(const Node& call) {
  std::string text = "(";
  ArgumentPrinter printer(text, PrintStyle::kPython);
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (i > 0) text += ", ";
    printer.print_operand(call, i);
  }
  for (size_t i = 0; i < call.kwargs.size(); ++i) {
    text += cat(i + call.args.size() > 0 ? ", " : "", call.kwargs[i].name, '=');
    printer.print(call.kwargs[i].value);
  }
  return text + ')';
}

}  // namespace rung
