// Dispatch of calls: which level, which body, or a node of its own.
#include "trace/tracer.h"

#include "base/error.h"
#include "ir/bind.h"
#include "schema/gen/op_ids.h"
#include "trace/argument_buffer.h"
#include "trace/compute.h"
#include "trace/dispatch.h"
#include "trace/like_torch.h"

namespace rung {
namespace {

thread_local Tracer* current_tracer = nullptr;

// What an argument points at lies where the graph keeps it already: the contract of dispatch().
void check_plain(const Argument& argument) {
  RUNG_CHECK(argument.kind != Argument::Kind::kFunctional, "a followed tensor reached the graph");
  if (argument.kind == Argument::Kind::kList)
    for (const Argument& item : argument.list_items()) check_plain(item);
}

ValueMeta meta_of(const Argument& result, Arena& arena) {
  if (result.kind == Argument::Kind::kNode) return result.node->meta;
  RUNG_CHECK(result.kind == Argument::Kind::kList, "a body returned neither a tensor nor a list");
  std::span<ValueMeta> metas = arena.array<ValueMeta>(result.size);
  for (size_t i = 0; i < metas.size(); ++i) metas[i] = meta_of(result.items[i], arena);
  ValueMeta list;
  list.kind = ValueMeta::Kind::kList;
  list.list = arena.make<ValueMetas>(metas);
  return list;
}

}  // namespace

TracerScope::TracerScope(Tracer& tracer)
    : arena_(tracer.arena()), sizes_(&tracer), serial_(tracer.serial()), outer_(current_tracer) {
  current_tracer = &tracer;
}
TracerScope::~TracerScope() { current_tracer = outer_; }

Tracer* Tracer::current() { return current_tracer; }

Argument dispatch(OpId op, Arguments args) {
  return current_tracer != nullptr ? current_tracer->call(op, args) : compute(op, args);
}

bool is_like_torch() { return current_tracer != nullptr && current_tracer->like_torch(); }
bool follows_kernels() { return current_tracer != nullptr && current_tracer->serial() != 0; }

FrameScope::FrameScope(Tracer& tracer, OpId op, std::string_view rule) : tracer_(tracer), outer_(tracer.frame_) {
  tracer.frame_ = tracer.arena().make<Frame>(Frame{op, rule, outer_});
}
FrameScope::~FrameScope() { tracer_.frame_ = outer_; }

Tracer::Tracer(Graph& graph, const DecompositionTable& table, bool like_torch, RuleChooser* chooser)
    : graph_(graph),
      table_(table),
      names_(*graph.arena),
      own_chooser_(chooser == nullptr ? table.make_chooser() : nullptr),
      chooser_(chooser == nullptr ? own_chooser_.get() : chooser),
      like_torch_(like_torch) {}

Argument Tracer::call(OpId op, Arguments args) {
  RUNG_CHECK(args.size() == schema_of(op).args.size(), schema_of(op).name, " called with ", args.size(), " arguments");
  if (as_called_)
    for (const Argument& argument : args) check_held(argument);
  if (has_lazy_arguments(op, args)) return call_resolved(op, args);
  if (as_called_) return call_as_called(op, args);
  return functional_ ? call_functional(op, args) : call_plain(op, args);
}

Body Tracer::body_of(OpId op) const {
  const OpDef* def = op_def(op);
  bool has_reference = table_.leads_to_prims() && def != nullptr && def->reference != nullptr;
  return has_reference ? def->reference : composite_body_of(op);
}

Body Tracer::composite_body_of(OpId op) const {
  const OpDef* def = op_def(op);
  return def == nullptr ? nullptr : body_in(*def, table_.build());
}

Argument Tracer::run_body(Body body, OpId op, Arguments args, std::string_view rule) {
  FrameScope scope(*this, op, rule);
  BodyScope ours(true);
  return body({op, args});
}

// What the source program uses of a call's results is known of its own calls alone.
const Rule* Tracer::chosen_rule(OpId op, Arguments args) {
  const bool is_own = source_ != nullptr && frame_ == nullptr && source_->op == op;
  return is_own && only_result_ >= 0 ? chooser_->choose_for(only_result_, op, args) : chooser_->choose(op, args);
}

// Below functionalization every op that the table opens is opened, whatever its kind.
Argument Tracer::call_plain(OpId op, Arguments args) {
  if (table_.opens(op) || table_.must_open(op)) {
    if (const OwnBody* own = table_.own_body(op)) return run_own_body(*own, op, args);
    Rule rule = {"decomposition", body_of(op)};
    if (chooser_ != nullptr) {
      const Rule* chosen = chosen_rule(op, args);
      if (chosen == nullptr) return emit(op, args);
      rule = *chosen;
    }
    if (rule.body == nullptr) fail_stuck(op, "has no decomposition");
    Argument result = run_body(rule.body, op, args, rule.name);
    if (!is_not_decomposed(result)) return result;
    if (table_.is_closed()) fail_stuck(op, "has no decomposition for these arguments");
  }
  return emit(op, args);
}

Argument Tracer::emit(OpId op, Arguments args) {
  const OpSchema& schema = schema_of(op);
  ArgumentBuffer given(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    given[i] = with_size_nodes(args[i]);
    check_plain(given[i]);
  }
  NormalArguments normal = schema.has(kOwnArguments, table_.build())
                               ? normal_arguments(op, given, table_.build(), arena())
                               : normal_arguments(schema, given, arena());
  // the kernel of embedding_bag hands its missing weights on as a tensor that is undefined, which is not their default
  bool tells_none = as_called_ && (op == op::aten__embedding_bag || op == op::aten__embedding_bag_forward_only);
  constexpr size_t kUpToWeights = 7;
  if (tells_none && normal.args.size() < kUpToWeights) normal.args = arena().copy(Arguments(given).first(kUpToWeights));
  if (has_ordered_effect(op)) return emit_effect(op, normal.args, normal.kwargs);
  Node* node = append(NodeKind::kCall, Callee::kOp, op_base_name(op));
  node->op = op;
  set_arguments(*node, normal.args, normal.kwargs);
  node->meta = with_own_sizes(infer(*node, op, args), args, node);
  return results_of(node);
}

Node* Tracer::append(NodeKind kind, Callee callee, std::string_view candidate) {
  Node* node = graph_.append(kind, has_names_ ? names_.create(candidate) : candidate);
  node->callee = callee;
  if (source_ != nullptr && kind != NodeKind::kPlaceholder) {
    node->metadata = source_->metadata;
    if (origin_ == nullptr || origin_->source != source_ || origin_->chain != frame_)
      origin_ = arena().make<Origin>(Origin{source_, frame_});
    node->origin = origin_;
  }
  return node;
}

std::string_view Tracer::subgraph_name(std::string_view stem) {
  int number = subgraph_count_[std::string(stem)]++;
  return arena().copy(std::string_view(cat(stem, '_', number)));
}

// torch asks each result of a tuple or list for its own node right away, used or not.
Argument Tracer::results_of(Node* node) {
  if (node->meta.kind == ValueMeta::Kind::kNone)
    return schema_of(node->op).returns.empty() ? Argument::none() : Argument::of(node);
  if (node->meta.kind != ValueMeta::Kind::kList) return Argument::of(node);
  const ValueMetas& metas = *node->meta.list;
  std::span<Argument> results = arena().array<Argument>(metas.size());
  for (size_t i = 0; i < metas.size(); ++i) {
    Node* item = append(NodeKind::kCall, Callee::kGetItem, "getitem");
    const Argument operands[] = {Argument::of(node), Argument::of(static_cast<int64_t>(i))};
    set_arguments(*item, arena().copy(std::span<const Argument>(operands)));
    item->meta = metas[i];
    own_sizes(*item);
    results[i] = Argument::of(item);
  }
  return Argument::list(results);
}

static bool is_like(const ValueMeta& now, const ValueMeta& recorded) {
  if (now.kind != recorded.kind) return false;
  if (now.kind == ValueMeta::Kind::kSymInt) return now.number.identical(recorded.number);
  return now.kind == ValueMeta::Kind::kTensor &&
         (now.tensor == recorded.tensor || same_meta(*now.tensor, *recorded.tensor));
}

// Where nothing upstream has changed, the file's own metadata holds, and nothing is inferred. Attention is an
// exception: which kernel it takes, and so its strides, depends on whether its mask needs a gradient, which it did
// when the file was recorded and does not here.
bool Tracer::source_fits(const Node& node, OpId op) {
  if (op == op::aten_scaled_dot_product_attention) return false;
  if (op == op::aten__conj || op == op::aten__neg_view) return false;  // a file does not say what is lazily conjugated
  if (source_ == nullptr || frame_ != nullptr || source_->op != op || source_->meta.kind == ValueMeta::Kind::kNone)
    return false;
  recorded_.clear();
  for_each_operand(*source_, [&](Node* operand) { recorded_.push_back(&operand->meta); });
  bool fits = true;
  size_t next = 0;
  for_each_operand(node, [&](Node* operand) {
    fits = fits && next < recorded_.size() && is_like(operand->meta, *recorded_[next]);
    ++next;
  });
  return fits && next == recorded_.size();
}

// Nothing that is traced needs a gradient: only inputs keep the mark.
ValueMeta Tracer::without_grad(const ValueMeta& meta) {
  if (meta.kind == ValueMeta::Kind::kTensor && meta.tensor->requires_grad) {
    TensorMeta* plain_meta = arena().make<TensorMeta>(*meta.tensor);
    plain_meta->requires_grad = false;
    return ValueMeta::of(plain_meta);
  }
  if (meta.kind != ValueMeta::Kind::kList) return meta;
  std::span<ValueMeta> items = arena().array<ValueMeta>(meta.list->size());
  for (size_t i = 0; i < items.size(); ++i) items[i] = without_grad((*meta.list)[i]);
  ValueMeta list = meta;
  list.list = arena().make<ValueMetas>(items);
  return list;
}

ValueMeta Tracer::infer(const Node& node, OpId op, Arguments args) {
  if (schema_of(op).returns.empty()) return {};
  SymTraceScope no_trace(nullptr);
  if (source_fits(node, op)) return without_grad(source_->meta);
  if (as_called_ && schema_of(op).is_mutable()) return infer_write(node, op, args);
  const OpDef* def = op_def(op);
  if (def != nullptr && def->kernel_meta != nullptr && !like_torch_) return def->kernel_meta({op, args});
  if (def != nullptr && def->meta != nullptr) return def->meta({op, args});
  if (Body body = body_of(op); body != nullptr) return infer_by_body(body, op, args);
  if (is_scratch_ && schema_of(op).is_mutable()) return infer_write(node, op, args);
  fail_stuck(op, "has no meta");
}

namespace {

SymInts plain_sizes(SymInts sizes, Arena& arena) {
  std::span<SymInt> plain = arena.copy(sizes);
  for (SymInt& size : plain) size = size.plain();  // the nodes of a graph that is thrown away go with it
  return plain;
}

// `meta` with all that it holds, in another arena.
ValueMeta kept_meta(const ValueMeta& meta, Arena& arena) {
  if (meta.kind == ValueMeta::Kind::kTensor) {
    TensorMeta* tensor = arena.make<TensorMeta>(*meta.tensor);
    tensor->sizes = plain_sizes(tensor->sizes, arena);
    tensor->strides = plain_sizes(tensor->strides, arena);
    tensor->storage_offset = tensor->storage_offset.plain();
    tensor->device.type = arena.copy(tensor->device.type);
    return ValueMeta::of(tensor);
  }
  if (meta.kind != ValueMeta::Kind::kList) return meta;
  std::span<ValueMeta> items = arena.array<ValueMeta>(meta.list->size());
  for (size_t i = 0; i < items.size(); ++i) items[i] = kept_meta((*meta.list)[i], arena);
  ValueMeta list = meta;
  list.list = arena.make<ValueMetas>(items);
  return list;
}

}  // namespace

Argument Tracer::trial(Graph& scratch, const DecompositionTable& table, const TrialOptions& options, Body body,
                       const Call& call) {
  Tracer tracer(scratch, table, options.like_torch, options.chooser);
  tracer.functional_ = options.is_above;
  tracer.is_scratch_ = true;
  tracer.has_names_ = options.has_names;
  TracerScope scope(tracer);
  BodyScope ours(true);
  std::vector<Argument> args(call.args.begin(), call.args.end());
  if (tracer.functional_)
    for (Argument& argument : args) argument = tracer.wrap(argument);
  Argument result = tracer.plain(body({call.op, args}));
  // what is thrown away uses nothing of the graph that the operands are of
  for (Node* node : scratch) for_each_operand(*node, [](Node* operand) { --operand->uses; });
  return result;
}

// A composite without a meta of its own has that of what its body makes.
ValueMeta Tracer::infer_by_body(Body body, OpId op, Arguments args) {
  DecompositionTable nothing_more = aten_decompositions(table_.build());
  Arena scratch_arena;
  Graph scratch(scratch_arena);
  Argument result = trial(scratch, nothing_more, {.like_torch = like_torch_}, body, {op, args});
  if (is_not_decomposed(result)) fail_stuck(op, "has no meta");
  return kept_meta(meta_of(result, scratch_arena), arena());
}

void Tracer::fail_stuck(OpId op, std::string_view what) const {
  std::string message = cat("no path to '", table_.rung(), "': ", schema_of(op).name, ' ', what);
  for (const Frame* frame = frame_; frame != nullptr; frame = frame->outer)
    message += cat(frame == frame_ ? " (needed by " : ", needed by ", schema_of(frame->op).name,
                   frame->outer == nullptr ? ")" : "");
  throw Error(ErrorKind::kUnsupported, message);
}

Argument Tracer::call_foreign(const Node& like, Arguments args, std::span<const NamedArgument> kwargs) {
  std::span<Argument> kept = arena().array<Argument>(args.size());
  for (size_t i = 0; i < args.size(); ++i) kept[i] = with_size_nodes(plain(args[i]));
  std::span<NamedArgument> named = arena().array<NamedArgument>(kwargs.size());
  for (size_t i = 0; i < kwargs.size(); ++i) named[i] = {kwargs[i].name, with_size_nodes(plain(kwargs[i].value))};
  std::string_view name = like.target;
  if (name.find("::") != name.npos) name = name.substr(name.find("::") + 2);
  if (name.rfind('.') != name.npos && like.callee == Callee::kCustom) name = name.substr(0, name.rfind('.'));
  if (name.rfind('.') != name.npos) name = name.substr(name.rfind('.') + 1);
  Node* node = append(NodeKind::kCall, like.callee, name);
  node->target = like.target;
  set_arguments(*node, kept, named);
  node->meta = without_grad(like.meta);
  return functional_ ? wrap(results_of(node)) : results_of(node);
}

Node* Tracer::add_placeholder(std::string_view name, ValueMeta meta) {
  Node* node = graph_.append(NodeKind::kPlaceholder, name);
  node->target = node->name;
  node->meta = with_input_sizes(meta, node);
  return node;
}

}  // namespace rung
