// No node is compared with what an earlier one was inferred to be: each starts from what torch recorded.
#include "golden/check_metas.h"

#include <algorithm>
#include <cstdio>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "ir/bind.h"
#include "ir/tensor.h"
#include "pass/lower.h"
#include "pass/numbers.h"
#include "schema/gen/op_ids.h"
#include "shape/polynomial.h"
#include "shape/shape_env.h"
#include "trace/tracer.h"

namespace rung::golden {
namespace {

std::string text_of(SymInts items) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += cat(i > 0 ? ", " : "", items[i].str());
  return out + "]";
}

std::string text_of(const ValueMeta& meta) {
  if (const TensorMeta* tensor = meta.as_tensor()) {
    std::string offset = tensor->storage_offset == 0 ? "" : cat(" @", tensor->storage_offset.str());
    return cat(info(tensor->dtype).abbreviation, text_of(tensor->sizes), text_of(tensor->strides), offset);
  }
  using Kind = ValueMeta::Kind;
  if (meta.kind == Kind::kSymInt || meta.kind == Kind::kSymFloat || meta.kind == Kind::kSymBool)
    return meta.as_number().str();
  if (meta.kind != Kind::kList) return "none";
  std::string out = "(";
  for (const ValueMeta& item : *meta.list) out += cat(out.size() > 1 ? ", " : "", text_of(item));
  return out + ")";
}

std::string text_of(const MetaCount& count) {
  std::string text = cat(count.same, " nodes the same, ", count.differ, " differ, ", count.refused, " refused");
  if (count.foreign > 0) text += cat(", ", count.foreign, " left out");
  return text;
}

std::string text_of(const Argument& argument) {
  switch (argument.kind) {
    case Argument::Kind::kNone: return "None";
    case Argument::Kind::kBool: return argument.boolean ? "True" : "False";
    case Argument::Kind::kInt: return cat(argument.integer);
    case Argument::Kind::kFloat: return python_float(argument.number);
    case Argument::Kind::kString: return std::string(argument.string_view());
    case Argument::Kind::kDType: return std::string(info(argument.dtype_value).name);
    case Argument::Kind::kMemoryFormat: return std::string(memory_format_name(argument.format_value));
    case Argument::Kind::kNode: return text_of(argument.node->meta);
    case Argument::Kind::kList: break;
    default: return "...";
  }
  std::string out = "[";
  for (const Argument& item : argument.list_items()) out += cat(out.size() > 1 ? ", " : "", text_of(item));
  return out + "]";
}

// However it is written: torch has 7*s0 + s0*s1 in one place and s0*(s1 + 7) in another.
bool same_number(SymInt a, SymInt b) { return a.identical(b) || expand(a.as_expr()) == expand(b.as_expr()); }

bool same_items(SymInts a, SymInts b) { return std::ranges::equal(a, b, same_number); }

// torch writes offsets since 2.13; its serializer left each 0 before.
bool has_offsets(const ExportedProgram& program) {
  return program.torch_version.starts_with("2.13") || program.torch_version.starts_with("2.14");
}

bool same(const ValueMeta& a, const ValueMeta& b, bool with_offset) {
  using Kind = ValueMeta::Kind;
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::kList)
    return std::ranges::equal(*a.list, *b.list,
                              [&](const ValueMeta& x, const ValueMeta& y) { return same(x, y, with_offset); });
  if (a.kind == Kind::kSymInt) return same_number(a.number, b.number);
  if (a.kind == Kind::kSymFloat || a.kind == Kind::kSymBool) return a.expr == b.expr;
  const TensorMeta *x = a.as_tensor(), *y = b.as_tensor();
  if (x == nullptr || y == nullptr) return x == y;
  return x->dtype == y->dtype && same_items(x->sizes, y->sizes) && same_items(x->strides, y->strides) &&
         (!with_offset || same_number(x->storage_offset, y->storage_offset));
}

// A trace as torch.export's, in which each call of a program is made anew, of values that are as they were recorded. No
// node is named as its source, so that nothing is taken over.
class Inference {
 public:
  explicit Inference(Arena& arena) : graph_(arena), table_(aten_decompositions()), tracer_(graph_, table_, true) {
    tracer_.trace_as_exported();
  }

  ValueMeta result_of(const Node& node) {
    TracerScope scope(tracer_);
    symbols_.expect(node.meta);
    note_gradient(node);
    if (node.callee == Callee::kGetItem) return item_of(node);
    std::vector<Argument> args, all;
    for (const Argument& argument : node.args) args.push_back(value(argument));
    if (node.callee == Callee::kPython) return meta_of(compute_python(node.target, args));
    std::vector<NamedArgument> kwargs;
    for (const NamedArgument& argument : node.kwargs) kwargs.push_back({argument.name, value(argument.value)});
    bind_arguments(schema_of(node.op), args, kwargs, tracer_.arena(), all);
    if (reads_size(node.op)) return meta_of(read_size(node.op, Tensor(all[0]).meta(), all));
    if (node.op == op::aten__assert_scalar) assert_number(all[0]);
    return meta_of(call(node.op, all));
  }

 private:
  // A file says of inputs alone that their gradients are recorded. What is computed from them has gradients too, and
  // attention goes by that of its mask.
  void note_gradient(const Node& node) {
    bool has_gradient = false;
    for_each_operand(node, [&](const Node* operand) { has_gradient = has_gradient || needs_gradient(*operand); });
    if (has_gradient) with_gradient_.insert(&node);
  }
  bool needs_gradient(const Node& node) const {
    const TensorMeta* tensor = node.tensor();
    return (tensor != nullptr && tensor->requires_grad) || with_gradient_.contains(&node);
  }
  ValueMeta with_mark(const Node& node) {
    const TensorMeta* tensor = node.tensor();
    if (tensor == nullptr || !is_floating(tensor->dtype) || !needs_gradient(node)) return node.meta;
    TensorMeta* marked = tracer_.arena().make<TensorMeta>(*tensor);
    marked->requires_grad = true;
    return ValueMeta::of(marked);
  }

  // A function that is traced cannot ask for a number of a tensor; a program that was exported can.
  Argument call(OpId op, Arguments args) {
    if (!schema_of(op).has(kDataDependentOutput)) return tracer_.call(op, args);
    std::vector<Argument> values;
    for (const Argument& argument : args) values.push_back(tracer_.plain(argument));
    Tracer reader(graph_, table_, true);
    TracerScope scope(reader);
    return reader.call(op, values);
  }

  ValueMeta item_of(const Node& node) {
    const ValueMeta& tuple = node.args[0].node->meta;
    const size_t index = static_cast<size_t>(node.args[1].integer);
    if (tuple.kind != ValueMeta::Kind::kList || index >= tuple.list->size()) fail_input("there is no item ", index);
    return (*tuple.list)[index];
  }

  Argument value(const Argument& argument) {
    if (argument.kind == Argument::Kind::kNode) return value_like(with_mark(*argument.node));
    if (argument.kind != Argument::Kind::kList) return argument;
    std::span<Argument> items = tracer_.arena().array<Argument>(argument.size);
    for (size_t i = 0; i < items.size(); ++i) items[i] = value(argument.items[i]);
    return Argument::list(items);
  }

  Argument value_like(const ValueMeta& meta) {
    using Kind = ValueMeta::Kind;
    switch (meta.kind) {
      case Kind::kTensor:
      case Kind::kToken: return tracer_.held(Argument::of(tracer_.add_placeholder("x", meta)));
      case Kind::kSymInt:
      case Kind::kSymFloat:
      case Kind::kSymBool: return Argument::of(meta.as_number());
      case Kind::kList: {
        std::span<Argument> items = tracer_.arena().array<Argument>(meta.list->size());
        for (size_t i = 0; i < items.size(); ++i) items[i] = value_like((*meta.list)[i]);
        return Argument::list(items);
      }
      case Kind::kNone:
      case Kind::kObject: break;
    }
    return Argument::none();
  }

  ValueMeta meta_of(const Argument& result) {
    const Argument plain = tracer_.plain(result);
    if (plain.kind == Argument::Kind::kNone) return {};
    if (plain.kind == Argument::Kind::kNode) return plain.node->meta;
    if (plain.kind != Argument::Kind::kList) return number_meta(number_of(plain).as_expr());
    std::span<ValueMeta> items = tracer_.arena().array<ValueMeta>(plain.size);
    for (size_t i = 0; i < items.size(); ++i) items[i] = meta_of(plain.items[i]);
    ValueMeta list;
    list.kind = ValueMeta::Kind::kList;
    list.list = tracer_.arena().make<ValueMetas>(items);
    return list;
  }

  Graph graph_;
  DecompositionTable table_;
  Tracer tracer_;
  DataSymbols symbols_;
  std::unordered_set<const Node*> with_gradient_;
};

std::string call_text(const Node& node) {
  std::string text;
  auto add = [&](const Argument& argument) { text += cat(text.empty() ? "" : ", ", text_of(argument)); };
  for (const Argument& argument : node.args) add(argument);
  for (const NamedArgument& argument : node.kwargs) add(argument.value);
  return cat(node.name, ": ", target_name(node), "(", text, ")");
}

// What another library defines has its metadata there, too; the results of a higher-order operator are those of its
// sub-graphs, whose nodes are compared.
bool is_foreign(const Node& node) { return node.callee == Callee::kCustom || node.callee == Callee::kHigherOrder; }

class Check {
 public:
  Check(std::string_view name, const ExportedProgram& program, bool brief, MetaCounts& counts)
      : name_(name), with_offset_(has_offsets(program)), brief_(brief), counts_(counts), inference_(arena_) {}

  void check(const Graph& graph) {
    for (const Node* node : graph) {
      if (node->kind != NodeKind::kCall) continue;
      for (const Graph* inner : subgraphs(*node)) check(*inner);
      check(*node, counts_[target_name(*node)]);
    }
  }

 private:
  void check(const Node& node, MetaCount& count) {
    if (is_foreign(node)) {
      ++count.foreign;
      return;
    }
    try {
      const ValueMeta got = inference_.result_of(node);
      if (same(node.meta, got, with_offset_)) {
        ++count.same;
        return;
      }
      ++count.differ;
      tell(node, text_of(got));
    } catch (const std::exception& error) {
      ++count.refused;
      tell(node, error.what());
    }
  }

  void tell(const Node& node, std::string_view got) const {
    if (brief_) return;
    const std::string text =
        cat(name_, ": ", call_text(node), "\n  expected ", text_of(node.meta), "\n  got      ", got);
    std::puts(text.c_str());
  }

  std::string_view name_;
  bool with_offset_, brief_;
  MetaCounts& counts_;
  Arena arena_;
  Inference inference_;
};

}  // namespace

void check_metas(std::string_view program_name, const ExportedProgram& program, bool brief, MetaCounts& counts) {
  ShapeEnv sizes = shape_env_of(program);
  if (program.verifier == "TRAINING") sizes.keep_minima();  // as torch.export left it
  ShapeEnvScope sizes_scope(sizes);
  Check(program_name, program, brief, counts).check(*program.graph);
}

MetaCount total_of(const MetaCounts& counts) {
  MetaCount total;
  for (const auto& [op, count] : counts) {
    total.same += count.same;
    total.differ += count.differ;
    total.refused += count.refused;
    total.foreign += count.foreign;
  }
  return total;
}

bool report_metas(std::string_view title, const MetaCounts& counts) {
  for (const auto& [op, count] : counts) {
    if (count.differ + count.refused + count.foreign == 0) continue;
    std::puts(cat("  ", op, ": ", text_of(count)).c_str());
  }
  const MetaCount total = total_of(counts);
  std::puts(cat("metas ", title, ": ", text_of(total)).c_str());
  return total.differ + total.refused == 0;
}

}  // namespace rung::golden
