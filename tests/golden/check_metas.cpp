// No node is compared with what an earlier one was inferred to be: each starts from what torch recorded.
#include "golden/check_metas.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/error.h"
#include "ir/bind.h"
#include "ir/tensor.h"
#include "pass/lower.h"
#include "pass/numbers.h"
#include "schema/gen/op_ids.h"
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

bool same_items(SymInts a, SymInts b) {
  return std::ranges::equal(a, b, [](SymInt x, SymInt y) { return x.identical(y); });
}

bool same(const ValueMeta& a, const ValueMeta& b) {
  using Kind = ValueMeta::Kind;
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::kList)
    return std::ranges::equal(*a.list, *b.list, [](const ValueMeta& x, const ValueMeta& y) { return same(x, y); });
  if (a.kind == Kind::kSymInt || a.kind == Kind::kSymFloat || a.kind == Kind::kSymBool)
    return a.as_number().identical(b.as_number());
  const TensorMeta *x = a.as_tensor(), *y = b.as_tensor();
  if (x == nullptr || y == nullptr) return x == y;
  return x->dtype == y->dtype && same_items(x->sizes, y->sizes) && same_items(x->strides, y->strides) &&
         x->storage_offset.identical(y->storage_offset);
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
    if (argument.kind == Argument::Kind::kNode) return value_like(argument.node->meta);
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
};

std::string call_text(const Node& node) {
  std::string text;
  auto add = [&](const Argument& argument) { text += cat(text.empty() ? "" : ", ", text_of(argument)); };
  for (const Argument& argument : node.args) add(argument);
  for (const NamedArgument& argument : node.kwargs) add(argument.value);
  return cat(node.name, ": ", target_name(node), "(", text, ")");
}

// What another library defines has its metadata there, too.
bool is_foreign(const Node& node) { return node.callee == Callee::kCustom || node.callee == Callee::kHigherOrder; }

void check(std::string_view program, const Node& node, Inference& inference, bool brief, MetaCount& count) {
  if (is_foreign(node)) {
    ++count.foreign;
    return;
  }
  std::string problem;
  try {
    ValueMeta got = inference.result_of(node);
    if (same(node.meta, got)) {
      ++count.same;
      return;
    }
    ++count.differ;
    problem = text_of(got);
  } catch (const std::exception& error) {
    ++count.refused;
    problem = error.what();
  }
  if (brief) return;
  std::fputs(cat(program, ": ", call_text(node), "\n  expected ", text_of(node.meta), "\n  got      ", problem, "\n").c_str(),
             stdout);
}

void check_graph(std::string_view program, const Graph& graph, Inference& inference, bool brief, MetaCounts& counts) {
  for (const Node* node : graph) {
    if (node->kind != NodeKind::kCall) continue;
    for (const Graph* inner : subgraphs(*node)) check_graph(program, *inner, inference, brief, counts);
    check(program, *node, inference, brief, counts[target_name(*node)]);
  }
}

}  // namespace

void check_metas(std::string_view program_name, const ExportedProgram& program, bool brief, MetaCounts& counts) {
  Arena arena;
  ShapeEnv sizes = shape_env_of(program);
  ShapeEnvScope sizes_scope(sizes);
  Inference inference(arena);
  check_graph(program_name, *program.graph, inference, brief, counts);
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

bool report_metas(const MetaCounts& counts) {
  for (const auto& [op, count] : counts) {
    if (count.differ + count.refused + count.foreign == 0) continue;
    std::string line = cat(op, ": ", count.same, " same");
    if (count.differ > 0) line += cat(", ", count.differ, " differ");
    if (count.refused > 0) line += cat(", ", count.refused, " refused");
    if (count.foreign > 0) line += cat(", ", count.foreign, " of another library");
    std::puts(line.c_str());
  }
  const MetaCount total = total_of(counts);
  std::printf("metas: %d nodes the same, %d differ, %d refused, %d of another library\n", total.same, total.differ,
              total.refused, total.foreign);
  return total.differ + total.refused == 0;
}

}  // namespace rung::golden
