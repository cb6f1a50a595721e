// Effects in order. A graph without writes may drop or move a call whose results nobody asks for; one that is there for
// what it does takes the token that the one before gave, and gives the next. The last token is a result of the program.
#include "base/error.h"
#include "base/strings.h"
#include "schema/gen/op_ids.h"
#include "trace/tracer.h"

namespace rung {
namespace {

// A tensor without elements.
ValueMeta token_meta(Arena& arena) {
  static constexpr SymInt kNone[] = {0}, kOne[] = {1};
  return ValueMeta::of(arena.make<TensorMeta>(TensorMeta{.sizes = kNone, .strides = kOne}));
}

// "token", or with the first number that makes it another name than the inputs'.
std::string_view token_name(const Graph& graph) {
  std::string name = "token";
  auto is_taken = [&] {
    for (const Node* node = graph.first; node != nullptr && node->kind == NodeKind::kPlaceholder; node = node->next)
      if (node->name == name) return true;
    return false;
  };
  for (int number = 1; is_taken(); ++number) name = cat("token_", number);
  return graph.arena->copy(std::string_view(name));
}

}  // namespace

// torch 2.2 has no effects: it drops such calls.
bool Tracer::has_ordered_effect(OpId op) const {
  return op == op::aten__linalg_check_errors && !as_called_ && !is_scratch_ && table_.build() != Build::k2_2;
}

void Tracer::add_token_input() {
  Node* token = graph_.insert_before(graph_.first, NodeKind::kPlaceholder, token_name(graph_));
  token->target = token->name;
  token->meta = token_meta(arena());
  token->meta.kind = ValueMeta::Kind::kToken;
  tokens_ = {token, token};
}

Argument Tracer::emit_effect(OpId op, Arguments args, std::span<const NamedArgument> kwargs) {
  if (!orders_effects_) fail_stuck(op, "has an effect, which cannot be ordered inside of a sub-graph");
  if (tokens_.first == nullptr) add_token_input();
  const std::string name = torch_name(op);
  std::vector<Argument> operands = {Argument::of(tokens_.last), Argument::object(arena().copy(std::string_view(name)))};
  operands.insert(operands.end(), args.begin(), args.end());
  Node* node = append(NodeKind::kCall, Callee::kHigherOrder, "with_effects");
  node->target = "with_effects";
  set_arguments(*node, arena().copy(Arguments(operands)), kwargs);
  const ValueMeta results[] = {token_meta(arena()), ValueMeta()};
  node->meta.kind = ValueMeta::Kind::kList;
  node->meta.list = arena().make<ValueMetas>(arena().copy(ValueMetas(results)));
  tokens_.last = results_of(node).items[0].node;
  return Argument::none();
}

}  // namespace rung
