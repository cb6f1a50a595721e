// Symbolic numbers as nodes: arithmetic where a body does it, the sizes of tensors where an op is given one.
#include <algorithm>
#include <array>
#include <optional>

#include "schema/gen/op_ids.h"
#include "shape/arithmetic.h"
#include "shape/expr.h"
#include "shape/shape_env.h"
#include "trace/tracer.h"

namespace rung {
namespace {

bool gives_float(const Expr* expr) {
  constexpr std::string_view kFloats[] = {"IntTrueDiv", "FloatTrueDiv", "ToFloat",     "TruncToFloat",
                                          "FloatPow",   "RoundDecimal", "RoundToFloat"};
  return expr->name.starts_with("OpaqueUnaryFn_") || std::ranges::find(kFloats, expr->name) != std::end(kFloats);
}

bool is_float(const Expr* value) {
  switch (value->kind) {
    case ExprKind::kFloat:
    case ExprKind::kRational: return true;
    case ExprKind::kSymbol: return value->assumptions.find("integer=True") == value->assumptions.npos;
    case ExprKind::kFunction: return gives_float(value);
    default: return std::ranges::any_of(value->args, is_float);
  }
}

ValueMeta::Kind kind_of_value(const Expr* value) {
  bool truth = value->kind == ExprKind::kRelation || value->kind == ExprKind::kAnd || value->kind == ExprKind::kOr ||
               value->kind == ExprKind::kNot;
  if (truth) return ValueMeta::Kind::kSymBool;
  return is_float(value) ? ValueMeta::Kind::kSymFloat : ValueMeta::Kind::kSymInt;
}

// "_operator.floordiv" -> "floordiv"
std::string_view name_of(SymOp op) {
  std::string_view target = target_of(op);
  return target.substr(target.rfind('.') + 1);
}

bool holds_size(const Argument& argument) {
  if (argument.kind == Argument::Kind::kList) return std::ranges::any_of(argument.list_items(), holds_size);
  return argument.kind == Argument::Kind::kSymInt;
}

}  // namespace

bool reads_size(OpId op) {
  return op == op::aten_sym_size_int || op == op::aten_sym_stride_int || op == op::aten_sym_numel ||
         op == op::aten_sym_storage_offset;
}

ValueMeta number_meta(const Expr* value) {
  ValueMeta meta;
  meta.kind = kind_of_value(value);
  if (meta.kind == ValueMeta::Kind::kSymInt)
    meta.number = SymInt(value);
  else
    meta.expr = value;
  return meta;
}

Argument Tracer::size_operand(SymInt size, std::string_view name) {
  if (size.is_int()) return Argument::of(size);
  if (const SymNode* made = size.node(); made != nullptr && !is_scratch_) {
    bool is_input = made->tensor != nullptr && made->tensor->kind == NodeKind::kPlaceholder;
    if (made->node == nullptr)
      made->node = is_input ? read_of_input(*made) : intermediate(made->value, made->tensor, name);
    return Argument::of(made->node);
  }
  const Expr* value = size.expr();
  if (value->kind == ExprKind::kFloat) return Argument::of(value->number);
  if (value->kind == ExprKind::kConstant) return Argument::of(value->name == "true");
  return Argument::of(intermediate(value, nullptr, name));
}

// A number of an input is what every other value is computed from: a read of it stays a node.
Node* Tracer::read_of_input(const SymNode& number) {
  const TensorMeta& input = *number.tensor->tensor();
  auto place_in = [&](SymInts all) {
    return std::ranges::find_if(all, [&](SymInt each) { return each.node() == &number; }) - all.begin();
  };
  ptrdiff_t rank = static_cast<ptrdiff_t>(input.rank()), size = place_in(input.sizes), stride = place_in(input.strides);
  bool is_size = size < rank, is_stride = !is_size && stride < rank;
  std::string_view name = is_size ? "sym_size_int" : is_stride ? "sym_stride_int" : "sym_numel_default";
  Node* node = append(NodeKind::kCall, Callee::kOp, name);
  node->op = is_size ? op::aten_sym_size_int : is_stride ? op::aten_sym_stride_int : op::aten_sym_numel;
  const Argument args[] = {Argument::of(number.tensor), Argument::of(int64_t{is_size ? size : stride})};
  size_t taken = is_size || is_stride ? 2 : 1;
  set_arguments(*node, arena().copy(std::span<const Argument>(args).first(taken)));
  node->meta = number_meta(number.value);
  return node;
}

// As torch's node would, it keeps the tensor alive.
Node* Tracer::intermediate(const Expr* value, Node* tensor, std::string_view name) {
  Node* node = append(NodeKind::kCall, Callee::kPython, name);
  if (tensor != nullptr) {
    const Argument args[] = {Argument::of(tensor)};
    set_arguments(*node, arena().copy(std::span<const Argument>(args)));
  }
  node->target = kIntermediateSize;
  node->meta = number_meta(value);
  return node;
}

namespace {

// A size with this value among the operands: the sizes of tensors, and numbers.
std::optional<SymInt> find_size(Arguments operands, SymInt size) {
  for (const Argument& operand : operands) {
    if (operand.kind == Argument::Kind::kSymInt && operand.sym().identical(size)) return operand.sym();
    if (operand.kind == Argument::Kind::kNode && operand.node->tensor() != nullptr)
      for (SymInts numbers : {operand.node->tensor()->sizes, operand.node->tensor()->strides})
        for (SymInt known : numbers)
          if (known.identical(size)) return known;
    if (operand.kind == Argument::Kind::kList)
      if (auto found = find_size(operand.list_items(), size)) return found;
  }
  return std::nullopt;
}

bool is_anonymous(SymInt size) { return size.is_symbolic() && size.node() == nullptr; }

// A symbol that had no value when the program was exported: it depends on data.
bool is_symbol_of_data(SymInt number) {
  return number.is_symbolic() && number.expr()->kind == ExprKind::kSymbol && !current_shape_env().hint(number.expr());
}

}  // namespace

// A size that an operand has already stays the same value; any other is one of its own.
ValueMeta Tracer::with_own_sizes(const ValueMeta& meta, Arguments operands, Node* tensor_node) {
  if (meta.kind == ValueMeta::Kind::kList) {
    std::span<ValueMeta> items = arena().copy(*meta.list);
    for (ValueMeta& item : items) item = with_own_sizes(item, operands, nullptr);
    ValueMeta list = meta;
    list.list = arena().make<ValueMetas>(items);
    return list;
  }
  const TensorMeta* tensor = meta.as_tensor();
  if (tensor == nullptr) return meta;
  // Only views hand strides on.
  bool is_view =
      tensor_node != nullptr && tensor_node->is_call(Callee::kOp) && schema_of(tensor_node->op).effect == Effect::kView;
  auto all_known = [](SymInts numbers) { return std::ranges::none_of(numbers, is_anonymous); };
  bool owns_offset = is_anonymous(tensor->storage_offset) && is_symbol_of_data(tensor->storage_offset);
  if (all_known(tensor->sizes) && all_known(tensor->strides) && !owns_offset) return meta;
  auto owned = [&](SymInts numbers, Arguments givers) {
    std::span<SymInt> all = arena().copy(numbers);
    for (SymInt& number : all) {
      if (!is_anonymous(number)) continue;
      std::optional<SymInt> known = find_size(givers, number);
      bool has_identity = known && known->node() != nullptr;
      number = has_identity ? *known : SymInt(arena().make<SymNode>(SymNode{number.expr(), nullptr, tensor_node}));
    }
    return all;
  };
  TensorMeta* own = arena().make<TensorMeta>(*tensor);
  own->sizes = owned(tensor->sizes, operands);
  own->strides = owned(tensor->strides, is_view ? operands : Arguments());
  if (owns_offset)
    own->storage_offset = SymInt(arena().make<SymNode>(SymNode{tensor->storage_offset.expr(), nullptr, tensor_node}));
  return ValueMeta::of(own);
}

ValueMeta Tracer::with_input_sizes(const ValueMeta& meta, Node* placeholder) {
  const TensorMeta* tensor = meta.as_tensor();
  auto is_number = [](SymInt size) { return size.is_int(); };
  if (tensor == nullptr ||
      (std::ranges::all_of(tensor->sizes, is_number) && std::ranges::all_of(tensor->strides, is_number)))
    return meta;
  auto owned = [&](SymInts numbers) {
    std::span<SymInt> all = arena().copy(numbers);
    for (SymInt& number : all)
      if (number.is_symbolic()) number = SymInt(arena().make<SymNode>(SymNode{number.expr(), nullptr, placeholder}));
    return all;
  };
  TensorMeta* own = arena().make<TensorMeta>(*tensor);
  own->sizes = owned(tensor->sizes);
  own->strides = owned(tensor->strides);
  return ValueMeta::of(own);
}

// The sizes of a result that is one of several belong to its getitem.
void Tracer::own_sizes(Node& getitem) {
  const TensorMeta* tensor = getitem.tensor();
  if (tensor == nullptr) return;
  for (SymInts numbers : {tensor->sizes, tensor->strides})
    for (SymInt number : numbers)
      if (const SymNode* size = number.node(); size != nullptr && size->node == nullptr && size->tensor == nullptr)
        size->tensor = &getitem;
}

// torch reads the sizes and strides of whatever it wraps, right away, and asks whether an offset that depends on data
// is one.
void Tracer::read_sizes(const TensorMeta& tensor) {
  for (SymInt size : tensor.sizes)
    if (size.node() != nullptr) size_operand(size);
  for (SymInt stride : tensor.strides)
    if (stride.node() != nullptr) size_operand(stride, "sym_stride_int");
  SymInt offset = tensor.storage_offset;
  if (offset.node() == nullptr || offset.node()->node != nullptr) return;
  size_operand(offset, "sym_storage_offset_default");
  trace(rung::apply(SymOp::kGe, std::array{offset.expr(), make_integer(0)}), SymOp::kGe, offset, 0);
}

// The node is made at once, whether an op will take it or not: torch does the same, and dead code goes later.
SymInt Tracer::trace(const Expr* value, SymOp op, SymInt a, SymInt b) {
  if (is_scratch_) return SymInt(value);
  std::span<Argument> args = arena().array<Argument>(static_cast<size_t>(operand_count(op)));
  args[0] = size_operand(a);
  if (args.size() == 2) args[1] = size_operand(b);
  bool is_constant = value->is_number() || value->kind == ExprKind::kConstant;
  if (is_constant) return SymInt(value);
  Node* node = append(NodeKind::kCall, Callee::kPython, name_of(op));
  node->target = target_of(op);
  set_arguments(*node, args);
  node->meta = number_meta(value);
  return SymInt(arena().make<SymNode>(SymNode{value, node}));
}

Argument Tracer::with_size_nodes(const Argument& argument) {
  if (argument.kind == Argument::Kind::kSymInt) return size_operand(argument.sym());
  if (argument.kind != Argument::Kind::kList || !holds_size(argument)) return argument;
  std::span<Argument> items = arena().array<Argument>(argument.size);
  for (size_t i = 0; i < items.size(); ++i) items[i] = with_size_nodes(argument.items[i]);
  return Argument::list(items);
}

}  // namespace rung
