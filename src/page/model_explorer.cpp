// Graphs in the JSON that Google's Model Explorer reads: nodes with edges that come in, and a namespace each.
#include <map>
#include <vector>

#include "base/error.h"
#include "ir/recorded_at.h"
#include "page/json_writer.h"
#include "page/modules.h"
#include "page/page.h"
#include "pass/explain.h"
#include "pass/offspring.h"
#include "schema/nearest.h"

namespace rung {
namespace {

// Where an operand comes from: taking an item of a tuple is an edge from the tuple's maker.
struct Origination {
  const Node* node;
  size_t output = 0;
};
Origination maker_of(const Node* operand) {
  Origination from{operand};
  for (; from.node->is_call(Callee::kGetItem); from.node = from.node->args[0].node)
    from.output = static_cast<size_t>(from.node->args[1].integer);
  return from;
}

bool names_subgraph(const Node& node) { return node.kind == NodeKind::kGetAttr && !subgraphs(node).empty(); }

// "/" parts a namespace.
std::string as_part(std::string_view name) {
  std::string part(name);
  for (char& c : part)
    if (c == '/') c = '.';
  return part;
}

// Namespaces, and what is said of them.
class Groups {
 public:
  explicit Groups(const PageRung* rung) : rung_(rung) {}

  std::string of(const Node& node) {
    if (node.kind == NodeKind::kPlaceholder || node.kind == NodeKind::kGetAttr) return "inputs";
    if (node.kind == NodeKind::kOutput) return "outputs";
    if (rung_ == nullptr) return modules(node);
    if (node.origin == nullptr || node.origin->source == nullptr) return {};
    std::string path = modules(*node.origin->source);
    std::vector<const Frame*> chain;
    for (const Frame* frame = node.origin->chain; frame != nullptr; frame = frame->outer) chain.push_back(frame);
    for (; !chain.empty(); chain.pop_back()) path = body(path, *node.origin->source, *chain.back());
    return path;
  }

  const std::map<std::string, std::vector<std::pair<std::string, std::string>>>& facts() const { return facts_; }

 private:
  std::string modules(const Node& source) {
    std::string path;
    for (const ModuleStep& step : module_steps(source)) {
      path += cat(path.empty() ? "" : "/", as_part(step.name));
      facts_[path] = {{"module", std::string(step.type)}};
    }
    return path;
  }

  // A run of a body; the source's own has the name of the source's node. Runs of one op side by side get numbers.
  std::string body(const std::string& outer, const Node& source, const Frame& frame) {
    auto [found, is_new] = names_.try_emplace(&frame);
    if (is_new) {
      const bool is_own = frame.outer == nullptr && frame.op == source.op;
      const std::string base =
          cat(outer.empty() ? "" : outer + "/", is_own ? as_part(source.name) : short_name(frame.op));
      const size_t runs = runs_[base]++;
      found->second = runs == 0 ? base : cat(base, " (", runs + 1, ")");
      facts_[found->second] = {{"opened", short_name(frame.op)}, {"rule", std::string(frame.rule)}};
    }
    return found->second;
  }

  const PageRung* rung_;  // null for the program as exported
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> facts_;
  std::unordered_map<const Frame*, std::string> names_;
  std::unordered_map<std::string, size_t> runs_;
};

class GraphsWriter {
 public:
  explicit GraphsWriter(JsonWriter& out) : out_(out) {}

  // A graph, and then those inside of it, which calls lead to by their ids.
  void write(const Graph& graph, const std::string& id, const PageRung* rung) {
    Groups groups(rung);
    out_.open('{');
    out_.member("id", id);
    out_.key("nodes");
    out_.open('[');
    for (const Node* node : graph)
      if (!node->is_call(Callee::kGetItem) && !names_subgraph(*node)) write_node(*node, id, groups, rung);
    out_.close(']');
    write_groups(groups);
    out_.close('}');
    for (const Node* node : graph)
      if (names_subgraph(*node)) write(*subgraphs(*node)[0], cat(id, '/', node->target), rung);
  }

 private:
  void write_node(const Node& node, const std::string& id, Groups& groups, const PageRung* rung) {
    out_.open('{');
    out_.member("id", node.name);
    out_.member("label", node.kind == NodeKind::kCall ? callee_text(node) : std::string(node.name));
    out_.member("namespace", groups.of(node));
    write_subgraph_ids(node, id);
    write_attributes(node, rung);
    write_edges(node);
    write_outputs(node);
    out_.close('}');
  }

  void write_subgraph_ids(const Node& node, const std::string& id) {
    out_.key("subgraphIds");
    out_.open('[');
    for_each_operand(node, [&](const Node* operand) {
      if (names_subgraph(*operand)) out_.text(cat(id, '/', operand->target));
    });
    out_.close(']');
  }

  void write_pair(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    out_.open('{');
    out_.member("key", key);
    out_.member("value", value);
    out_.close('}');
  }

  void write_attributes(const Node& node, const PageRung* rung) {
    const Node& source = node.origin != nullptr && node.origin->source != nullptr ? *node.origin->source : node;
    out_.key("attrs");
    out_.open('[');
    if (node.kind == NodeKind::kCall) {
      write_pair("op", target_name(node));
      write_pair("arguments", arguments_text(node));
    }
    write_pair("type", type_text(node.meta));
    if (&source != &node && node.kind == NodeKind::kCall) {
      write_pair("from", cat(source.name, " = ", source.kind == NodeKind::kCall ? callee_text(source) : "input"));
      write_pair("opened by", chain_text(node));
    }
    write_pair("recorded at", place_text(source));
    if (rung != nullptr && rung->outside != nullptr)
      if (auto found = rung->outside->find(&node); found != rung->outside->end()) write_pair("refused", found->second);
    out_.close(']');
  }

  // Outermost first: "aten.linear (composite) > aten.t (decomposition)".
  static std::string chain_text(const Node& node) {
    std::vector<const Frame*> chain;
    for (const Frame* frame = node.origin->chain; frame != nullptr; frame = frame->outer) chain.push_back(frame);
    std::string text;
    for (; !chain.empty(); chain.pop_back())
      text += cat(text.empty() ? "" : " > ", short_name(chain.back()->op), " (", chain.back()->rule, ')');
    return text;
  }

  void write_edges(const Node& node) {
    out_.key("incomingEdges");
    out_.open('[');
    size_t input = 0;
    for_each_operand(node, [&](const Node* operand) {
      const Origination from = maker_of(operand);
      if (names_subgraph(*from.node)) return;
      out_.open('{');
      out_.member("sourceNodeId", from.node->name);
      out_.member("sourceNodeOutputId", cat(from.output));
      out_.member("targetNodeInputId", cat(input++));
      out_.close('}');
    });
    out_.close(']');
  }

  void write_outputs(const Node& node) {
    out_.key("outputsMetadata");
    out_.open('[');
    if (node.meta.kind != ValueMeta::Kind::kList) {
      write_output(0, node.meta);
    } else {
      for (size_t i = 0; i < node.meta.list->size(); ++i) write_output(i, (*node.meta.list)[i]);
    }
    out_.close(']');
  }

  // Model Explorer writes what it finds as "tensor_shape" beside an edge.
  void write_output(size_t index, const ValueMeta& meta) {
    if (meta.kind == ValueMeta::Kind::kNone) return;
    out_.open('{');
    out_.member("id", cat(index));
    out_.key("attrs");
    out_.open('[');
    write_pair("tensor_shape", type_text(meta));
    out_.close(']');
    out_.close('}');
  }

  void write_groups(const Groups& groups) {
    out_.key("groupNodeAttributes");
    out_.open('{');
    for (const auto& [name, facts] : groups.facts()) {
      out_.key(name);
      out_.open('{');
      for (const auto& [key, value] : facts) out_.member(key, value);
      out_.close('}');
    }
    out_.close('}');
  }

  JsonWriter& out_;
};

}  // namespace

std::string model_explorer_json(const ExportedProgram& source, std::string_view title, const PageRung& rung) {
  RUNG_CHECK(rung.program != nullptr, "a rung without a program has no graph");
  JsonWriter out;
  out.open('{');
  out.member("label", title);
  out.key("graphs");
  out.open('[');
  GraphsWriter graphs(out);
  graphs.write(*source.graph, cat(title, ", as exported"), nullptr);
  graphs.write(*rung.program->graph, cat(title, ", on ", rung.name), &rung);
  out.close(']');
  out.close('}');
  return out.take();
}

}  // namespace rung
