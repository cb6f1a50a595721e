// The data of the page, as compact JSON: texts and operators stand once, and are named by number.
#include "page/page.h"

#include <map>
#include <vector>

#include "base/error.h"
#include "ir/recorded_at.h"
#include "page/json_writer.h"
#include "page/modules.h"
#include "page/page_template.h"
#include "pass/census.h"
#include "pass/explain.h"
#include "pass/offspring.h"
#include "schema/nearest.h"

namespace rung {
namespace {

// Texts by number, in the order of their first use.
class Numbered {
 public:
  size_t number(std::string text) {
    auto [found, is_new] = numbers_.try_emplace(std::move(text), numbers_.size());
    if (is_new) texts_.push_back(&found->first);
    return found->second;
  }
  const std::vector<const std::string*>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, size_t> numbers_;
  std::vector<const std::string*> texts_;
};

// The lowest rung that an operator belongs to; the page's legend says it in words.
std::string_view kind_of(const Node& call, Build build) {
  if (call.callee != Callee::kOp) return "other";
  const OpSchema& schema = schema_of(call.op);
  return schema.ns() == "prims" ? "prims" : schema.has(kCore, build) ? "core" : "aten";
}
std::string_view kind_of(OpId op, Build build) {
  Node call;
  call.callee = Callee::kOp;
  call.op = op;
  return kind_of(call, build);
}

class PageData {
 public:
  PageData(const ExportedProgram& source, std::span<const PageRung> rungs) : source_(source), rungs_(rungs) {
    for (const PageRung& rung : rungs)
      offspring_.push_back(rung.program != nullptr ? Offspring(*rung.program->graph) : Offspring());
  }

  std::string json(std::string_view title, size_t asked) {
    source_.graph->count_uses();
    out_.open('{');
    out_.key("title");
    out_.text(title);
    out_.key("asked");
    out_.number(asked);
    out_.key("nodes");
    out_.open('[');
    for_each_operator(*source_.graph, [&](const Node& node) { append_node(node); });
    out_.close(']');
    append_rungs();
    append_modules();
    append_tables();
    out_.close('}');
    return out_.take();
  }

 private:
  // [name, op, type, arguments, module, [line of code...], [form on each rung...]]
  void append_node(const Node& node) {
    out_.open('[');
    out_.text(node.name);
    out_.number(op_number(callee_text(node), kind_of(node, source_.build)));
    append_call(node);
    out_.number(module_number(node));
    append_lines(node);
    out_.open('[');
    for (size_t i = 0; i < rungs_.size(); ++i) append_form(node, i);
    out_.close(']');
    out_.close(']');
  }

  void append_call(const Node& node) {
    out_.number(texts_.number(type_text(node.meta)));
    out_.number(texts_.number(arguments_text(node)));
  }

  // Innermost first.
  void append_lines(const Node& node) {
    out_.open('[');
    std::string_view trace = stack_trace_of(node.metadata);
    while (auto line = take_source_line(trace)) {
      out_.number(texts_.number(line->place()));
      out_.number(texts_.number(std::string(line->code)));
    }
    out_.close(']');
  }

  // [fate, rule or reason, [step...]]; null where the rung has no program.
  void append_form(const Node& node, size_t rung) {
    if (rungs_[rung].program == nullptr) return out_.null();
    const auto made = offspring_[rung].of(node);
    const Fate fate = fate_of(node, made);
    const Frame* body = own_body(node, made);
    const std::string_view why = fate == Fate::kRemoved ? removal_reason(node)
                                 : body != nullptr      ? body->rule
                                                        : std::string_view();
    out_.open('[');
    out_.number(static_cast<size_t>(fate));
    out_.number(texts_.number(std::string(why)));
    out_.open('[');
    for (const Step& step : expansion(node, made)) append_step(step, rungs_[rung]);
    out_.close(']');
    out_.close(']');
  }

  // A body: [depth, op, rule]. A node: [depth, op, type, arguments, name] and, where the set refuses it, why.
  void append_step(const Step& step, const PageRung& rung) {
    out_.open('[');
    out_.number(step.depth);
    if (step.body != nullptr) {
      out_.number(op_number(short_name(step.body->op), kind_of(step.body->op, source_.build)));
      out_.number(texts_.number(std::string(step.body->rule)));
    } else {
      out_.number(op_number(callee_text(*step.node), kind_of(*step.node, source_.build)));
      append_call(*step.node);
      out_.text(step.node->name);
      append_refusal(*step.node, rung);
    }
    out_.close(']');
  }

  void append_refusal(const Node& node, const PageRung& rung) {
    if (rung.outside == nullptr) return;
    if (auto found = rung.outside->find(&node); found != rung.outside->end()) out_.number(texts_.number(found->second));
  }

  // "census" holds [op, calls] pairs.
  void append_rungs() {
    out_.key("rungs");
    out_.open('[');
    append_rung({.name = "as exported", .program = &source_, .error = {}, .outside = nullptr});
    for (const PageRung& rung : rungs_) append_rung(rung);
    out_.close(']');
  }

  void append_rung(const PageRung& rung) {
    out_.open('{');
    out_.key("name");
    out_.text(rung.name);
    out_.key("error");
    out_.text(rung.error);
    out_.key("census");
    out_.open('[');
    if (rung.program != nullptr) append_census(*rung.program->graph);
    out_.close(']');
    out_.close('}');
  }

  void append_census(const Graph& graph) {
    std::map<size_t, size_t> calls;
    for_each_operator(graph,
                      [&](const Node& node) { ++calls[op_number(callee_text(node), kind_of(node, source_.build))]; });
    for (const auto& [op, count] : calls) {
      out_.open('[');
      out_.number(op);
      out_.number(count);
      out_.close(']');
    }
  }

  size_t op_number(const std::string& name, std::string_view kind) {
    const size_t number = ops_.number(name);
    if (number == kinds_.size()) kinds_.push_back(kind);
    return number;
  }

  size_t module_number(const Node& node) {
    size_t module = 0;
    for (const ModuleStep& step : module_steps(node)) {
      auto [found, is_new] = modules_.try_emplace(cat(module, ' ', step.name), modules_.size() + 1);
      if (is_new) module_rows_.push_back({module, step});
      module = found->second;
    }
    return module;
  }

  // The program itself is number 0; the others are [the module around it, name, type].
  void append_modules() {
    out_.key("modules");
    out_.open('[');
    for (const auto& [outer, step] : module_rows_) {
      out_.open('[');
      out_.number(outer);
      out_.text(step.name);
      out_.text(step.type);
      out_.close(']');
    }
    out_.close(']');
  }

  void append_tables() {
    out_.key("ops");
    out_.open('[');
    for (size_t i = 0; i < kinds_.size(); ++i) {
      out_.open('[');
      out_.text(*ops_.texts()[i]);
      out_.text(kinds_[i]);
      out_.close(']');
    }
    out_.close(']');
    out_.key("texts");
    out_.open('[');
    for (const std::string* text : texts_.texts()) out_.text(*text);
    out_.close(']');
  }

  const ExportedProgram& source_;
  std::span<const PageRung> rungs_;
  std::vector<Offspring> offspring_;
  JsonWriter out_;
  Numbered texts_, ops_;
  std::vector<std::string_view> kinds_;  // of ops_
  std::unordered_map<std::string, size_t> modules_;
  std::vector<std::pair<size_t, ModuleStep>> module_rows_;
};

// Inside of a script element, "<" may begin the element's end, or a comment; JSON has it in strings only.
std::string escaped_for_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (char c : json)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

}  // namespace

std::string explain_page(const ExportedProgram& source, std::string_view title, std::span<const PageRung> rungs,
                         size_t asked) {
  const std::string_view page = page_template();
  const size_t at = page.find(kDataMark);
  RUNG_CHECK(at != page.npos, "the page has no place for its data");
  return cat(page.substr(0, at), escaped_for_script(PageData(source, rungs).json(title, asked)),
             page.substr(at + kDataMark.size()));
}

}  // namespace rung
