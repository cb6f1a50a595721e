// The tracer: every op that a body calls on Tensor handles comes here, and becomes a node, or the nodes of its own
// body.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/current_arena.h"
#include "ir/graph.h"
#include "ir/names.h"
#include "ir/op_def.h"
#include "ir/trace_serial.h"
#include "shape/sym_trace.h"
#include "trace/functional.h"
#include "trace/table.h"

namespace rung {

/// The target of a node that stands for a size of a tensor on the way, until settle_sizes() computes it from the sizes
/// of the inputs.
constexpr std::string_view kIntermediateSize = "size of an intermediate tensor";

/// What torch's TorchRefsMode alone opens: the references of torch's functions that no decomposition table holds. Null
/// if there is none. Defined with the ops.
Body torch_function_reference(OpId op);

/// Whether an op only asks for a size, a stride or an offset: its result is known while tracing.
bool reads_size(OpId op);

/// Metadata of a symbolic number: an integer, a float or a truth value.
ValueMeta number_meta(const Expr* value);

/// Appends nodes to one graph. Two levels, as in torch: above, views and writes are followed and made functional, and
/// CompositeImplicit ops are opened; below, the table's other decompositions run on plain values.
class Tracer : private SymTracer {
 public:
  /// With `like_torch`, metadata is what torch's fake tensors say, even where torch's kernels do otherwise.
  /// Where a table leaves a choice of rules, `chooser`, or one that the table makes, chooses.
  Tracer(Graph& graph, const DecompositionTable& table, bool like_torch, RuleChooser* chooser = nullptr);
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// The tracer that calls reach; null if there is none.
  static Tracer* current();

  /// How a body is tried: who chooses among rules (null: the table's own are taken), whether it runs above
  /// functionalization, as the bodies of CompositeImplicit ops of a program do, and whether nodes need names of their
  /// own.
  struct TrialOptions {
    RuleChooser* chooser = nullptr;
    bool is_above = false;
    bool like_torch = false;
    bool has_names = true;
  };
  /// What `body` makes of a call of plain values, in a graph that is thrown away, by the rules of `table`.
  static Argument trial(Graph& scratch, const DecompositionTable& table, const TrialOptions& options, Body body,
                        const Call& call);
  /// Whether what is called now is above functionalization: CompositeImplicit ops that must be opened are.
  bool is_above() const { return functional_; }

  Graph& graph() { return graph_; }
  Arena& arena() { return *graph_.arena; }
  const DecompositionTable& table() const { return table_; }
  bool like_torch() const { return like_torch_; }

  /// From now on calls are traced as make_fx traces them: views and writes as they come, CompositeImplicit ops opened,
  /// and nothing made functional. With `refs`, references take apart what has one, down to prims.
  void trace_as_called(bool refs);
  /// From now on calls are traced as torch.export traces them: as above, but CompositeImplicit ops stay whole.
  void trace_as_exported();
  /// Whether calls of torch's functions go to their references at the moment.
  bool routes_to_references() const { return refs_ != nullptr; }
  /// Tensors with values that were used in the trace, by the name of their attribute.
  using Constants = std::vector<std::pair<std::string, Tensor>>;
  const Constants& constants() const { return constants_; }
  /// A number that no other tracer of the process has; 0 while calls are not traced as they come.
  uint32_t serial() const { return serial_; }

  /// Calls an op. `args`: all arguments in schema order, nothing left out.
  /// Returns a tensor, a kList of results, or kNone for an op without results.
  Argument call(OpId op, Arguments args);
  /// A node that calls something else than an op of the schema table, with a result like `like`'s.
  Argument call_foreign(const Node& like, Arguments args, std::span<const NamedArgument> kwargs);

  /// `name` outlives the graph, and is not kept from calls.
  Node* add_placeholder(std::string_view name, ValueMeta meta);
  /// The tensor of a placeholder, whose views and writes are followed from now on.
  Argument track(Node* placeholder);
  /// Fails with kInput where a handle that a user holds is of another trace.
  void check_held(const Argument& argument) const;
  /// A handle of a value of this trace, or of several, that users hold.
  Argument held(const Argument& value);
  /// `argument` without wrappers; aliases of what was written to are made anew first.
  Argument plain(const Argument& argument);
  /// `argument` with nodes in place of the symbolic numbers that no node stands for yet.
  Argument with_size_nodes(const Argument& argument);
  bool was_written(const Argument& tracked) const;
  /// Whether anything was written to.
  bool has_written() const { return has_written_; }
  /// A node at the end that is named as torch names it.
  Node* append(NodeKind kind, Callee callee, std::string_view candidate);

  /// From now on an op that is there for what it does, and gives nothing, takes a token and gives one, so that all of
  /// them keep their order.
  void order_effects() { orders_effects_ = true; }
  /// The first token, an input of the graph, and the last one; both null where nothing has an effect.
  struct Tokens {
    Node* first = nullptr;
    Node* last = nullptr;
  };
  const Tokens& tokens() const { return tokens_; }

  Names& names() { return names_; }
  /// The next name of a sub-graph of this graph: true_graph_0, true_graph_1, ...
  std::string_view subgraph_name(std::string_view stem);
  bool has_subgraphs() const { return !subgraph_count_.empty(); }

  /// The node of the source program whose ops are being called; new nodes take their origin and metadata from it.
  /// `only_result`: the index of the one result of several that the source program uses; -1 where it uses others.
  void set_source(const Node* source, int only_result = -1) {
    source_ = source;
    only_result_ = only_result;
  }
  /// The bodies that are running, the innermost first.
  const Frame* frame() const { return frame_; }
  /// Whether calls of one op may be opened by different rules.
  bool has_choice() const { return chooser_ != nullptr; }

 private:
  friend class FrameScope;
  friend class TracerScope;
  friend class UnroutedScope;
  bool has_lazy_arguments(OpId op, Arguments args) const;
  Argument call_resolved(OpId op, Arguments args);
  Argument call_functional(OpId op, Arguments args);
  Argument call_plain(OpId op, Arguments args);
  Argument call_as_called(OpId op, Arguments args);
  Argument call_below_modes(OpId op, Arguments args);
  Argument with_constants(const Argument& argument);
  Argument constant(const Tensor& tensor);
  std::optional<Argument> open_as_called(OpId op, Arguments args);
  std::optional<Argument> open_by_reference(OpId op, Arguments args);
  Argument run_own_body(const OwnBody& body, OpId op, Arguments args);
  Argument follow(OpId op, Arguments args, const Argument& result);
  Argument follow_one(const OpSchema& schema, size_t i, Arguments args, const Argument& result);
  ValueMeta infer_write(const Node& node, OpId op, Arguments args);
  Argument call_view(const OpSchema& schema, OpId op, Arguments args, Arguments values);
  Argument call_mutating(const OpSchema& schema, OpId op, Arguments args, Arguments values);
  Argument call_inplace_view(OpId op, Arguments args);
  Argument call_resize(Arguments args, Arguments values);
  Argument run_body(Body body, OpId op, Arguments args, std::string_view rule);
  const Rule* chosen_rule(OpId op, Arguments args);
  /// A CompositeImplicit op above functionalization.
  Argument call_chosen_composite(OpId op, Arguments args);
  /// The op's rule in the table.
  Body body_of(OpId op) const;
  /// What the op's own kernel does, whatever the table says.
  Body composite_body_of(OpId op) const;
  /// Throws kUnsupported: which op is stuck, and the chain of bodies that needed it.
  [[noreturn]] void fail_stuck(OpId op, std::string_view what) const;

  Argument emit(OpId op, Arguments args);
  bool has_ordered_effect(OpId op) const;
  Argument emit_effect(OpId op, Arguments args, std::span<const NamedArgument> kwargs);
  void add_token_input();
  ValueMeta infer(const Node& node, OpId op, Arguments args);
  ValueMeta infer_by_body(Body body, OpId op, Arguments args);
  bool source_fits(const Node& node, OpId op);
  ValueMeta without_grad(const ValueMeta& meta);
  Argument results_of(Node* node);
  Argument size_operand(SymInt size, std::string_view name = "sym_size_int");
  Node* intermediate(const Expr* value, Node* tensor, std::string_view name);
  Node* read_of_input(const SymNode& number);
  void read_sizes(const TensorMeta& tensor);
  ValueMeta with_own_sizes(const ValueMeta& meta, Arguments operands, Node* tensor_node);
  ValueMeta with_input_sizes(const ValueMeta& meta, Node* placeholder);
  void own_sizes(Node& getitem);
  SymInt trace(const Expr* value, SymOp op, SymInt a, SymInt b) override;

  Argument wrap(const Argument& plain_value);
  FunctionalTensor* wrap_node(Node* node);
  FunctionalStorage& storage_of(FunctionalTensor& tensor);
  void sync(FunctionalTensor& tensor);
  void write(FunctionalTensor& tensor, const Argument& value);
  void see(FunctionalTensor& tensor, const Node* value) const;
  Node* replay(const ViewStep& step, Node* base);
  Node* apply_write(const PendingWrite& write, Node* base);

  Graph& graph_;
  const DecompositionTable& table_;
  Names names_;
  std::map<std::string, int, std::less<>> subgraph_count_;  // by stem
  std::unique_ptr<RuleChooser> own_chooser_;
  RuleChooser* chooser_;  // null: every op has one rule
  const Node* source_ = nullptr;
  int only_result_ = -1;
  const Frame* frame_ = nullptr;
  const Origin* origin_ = nullptr;  // of the latest node: its neighbours often share it
  bool functional_ = true;
  bool has_written_ = false;
  bool is_scratch_ = false;  // the graph is thrown away: sizes that have nodes in another one are not asked for them
  bool like_torch_;
  bool has_names_ = true;
  bool as_called_ = false;
  bool keeps_composites_ = false;
  bool orders_effects_ = false;
  Tokens tokens_;
  uint32_t serial_ = 0;
  std::optional<DecompositionTable> routes_;  // what references open
  const DecompositionTable* refs_ = nullptr;  // routes_, while calls are routed
  Constants constants_;
  struct KnownConstant {
    std::string_view attribute;
    Node* written = nullptr;  // what was last written to it
  };
  std::unordered_map<const RealTensor*, KnownConstant> known_constants_;
  std::vector<const ValueMeta*> recorded_;  // scratch of source_fits
};

/// A body that runs: what it calls is inside `op`.
class FrameScope {
 public:
  FrameScope(Tracer& tracer, OpId op, std::string_view rule);
  ~FrameScope();
  FrameScope(const FrameScope&) = delete;
  FrameScope& operator=(const FrameScope&) = delete;

 private:
  Tracer& tracer_;
  const Frame* outer_;
};

/// For the life of the object, calls are not routed to references: what torch's mode does inside of a function that has
/// none. Null stands for no tracer.
class UnroutedScope {
 public:
  explicit UnroutedScope(Tracer* tracer) : tracer_(tracer), outer_(tracer == nullptr ? nullptr : tracer->refs_) {
    if (tracer_ != nullptr) tracer_->refs_ = nullptr;
  }
  ~UnroutedScope() {
    if (tracer_ != nullptr) tracer_->refs_ = outer_;
  }
  UnroutedScope(const UnroutedScope&) = delete;
  UnroutedScope& operator=(const UnroutedScope&) = delete;

 private:
  Tracer* tracer_;
  const DecompositionTable* outer_;
};

/// Makes `tracer` the one that calls on Tensor handles reach, for the life of the object.
class TracerScope {
 public:
  explicit TracerScope(Tracer& tracer);
  ~TracerScope();
  TracerScope(const TracerScope&) = delete;
  TracerScope& operator=(const TracerScope&) = delete;

 private:
  ArenaScope arena_;
  SymTraceScope sizes_;
  TraceSerialScope serial_;
  Tracer* outer_;
};

}  // namespace rung
