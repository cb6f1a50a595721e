// Ops that rung cannot infer are counted.
#include "golden/check_metas.h"

#include <cstdio>

#include "base/error.h"
#include "ir/bind.h"
#include "ir/current_arena.h"
#include "ir/op_def.h"
#include "ops/box.h"
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
  if (meta.kind != ValueMeta::Kind::kList) return "none";
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
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!a[i].identical(b[i])) return false;
  return true;
}

// A fresh tensor starts at offset 0; torch records none other, so offsets are compared for views.
bool same(const ValueMeta& a, const ValueMeta& b, bool is_view) {
  if (a.kind == ValueMeta::Kind::kList && b.kind == ValueMeta::Kind::kList) {
    if (a.list->size() != b.list->size()) return false;
    for (size_t i = 0; i < a.list->size(); ++i)
      if (!same((*a.list)[i], (*b.list)[i], is_view)) return false;
    return true;
  }
  const TensorMeta *x = a.as_tensor(), *y = b.as_tensor();
  if (x == nullptr || y == nullptr) return x == y;
  bool offset_fits = !is_view || x->storage_offset.identical(y->storage_offset);
  return x->dtype == y->dtype && same_items(x->sizes, y->sizes) && same_items(x->strides, y->strides) && offset_fits;
}

ValueMeta meta_of(const Argument& result) {
  if (result.kind == Argument::Kind::kNode) return result.node->meta;
  std::vector<const TensorMeta*> items;
  for (const Argument& item : result.list_items()) items.push_back(item.node->tensor());
  return meta_list(items);
}

// By the op's meta; without one, from what its body makes, as in a trace that keeps the op whole.
ValueMeta inferred(OpId op, Arguments args) {
  if (Meta meta = op_def(op)->meta) return meta({op, args});
  Graph scratch(current_arena());
  DecompositionTable nothing = aten_decompositions();
  Tracer tracer(scratch, nothing, true);
  TracerScope scope(tracer);
  return meta_of(tracer.plain(tracer.call(op, args)));
}

// Views and writes need tensors that are followed; without a meta they are left out.
bool can_infer(OpId op) {
  const OpDef* def = op_def(op);
  return def != nullptr && (def->meta != nullptr || (def->body != nullptr && schema_of(op).is_functional()));
}

void check(std::string_view program_name, const Node& node, bool brief, MetaCount& count) {
  const OpSchema& schema = schema_of(node.op);
  if (!can_infer(node.op)) {
    ++count.without_meta;
    return;
  }
  std::vector<Argument> args;
  std::string problem;
  try {
    bind_arguments(schema, node.args, node.kwargs, current_arena(), args);
    ValueMeta got = inferred(node.op, args);
    if (same(node.meta, got, schema.is_view())) {
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
  std::string operands;
  for (const Argument& argument : args) operands += cat(operands.empty() ? "" : ", ", text_of(argument));
  std::printf("%.*s: %s %s(%s)\n  expected %s\n  got      %s\n", static_cast<int>(program_name.size()),
              program_name.data(), std::string(node.name).c_str(), std::string(schema.name).c_str(), operands.c_str(),
              text_of(node.meta).c_str(), problem.c_str());
}

void check_graph(std::string_view program_name, const Graph& graph, bool brief,
                 std::map<std::string, MetaCount>& counts) {
  for (const Node* node : graph) {
    if (node->is_call(Callee::kHigherOrder))
      for (const Graph* inner : subgraphs(*node)) check_graph(program_name, *inner, brief, counts);
    if (!node->is_call(Callee::kOp) || node->meta.kind == ValueMeta::Kind::kNone) continue;
    check(program_name, *node, brief, counts[std::string(schema_of(node->op).name)]);
  }
}

}  // namespace

void check_metas(std::string_view program_name, const ExportedProgram& program, bool brief,
                 std::map<std::string, MetaCount>& counts) {
  Arena arena;
  ArenaScope scope(arena);
  check_graph(program_name, *program.graph, brief, counts);
}

bool report_metas(const std::map<std::string, MetaCount>& counts) {
  MetaCount total;
  for (const auto& [op, count] : counts) {
    total.same += count.same;
    total.differ += count.differ;
    total.refused += count.refused;
    total.without_meta += count.without_meta;
    if (count.differ + count.refused + count.without_meta == 0) continue;
    std::printf("%-48s %5d same", op.c_str(), count.same);
    if (count.differ > 0) std::printf(", %d differ", count.differ);
    if (count.refused > 0) std::printf(", %d refused", count.refused);
    if (count.without_meta > 0) std::printf(", %d without a meta", count.without_meta);
    std::printf("\n");
  }
  if (!counts.empty())
    std::printf("metas: %d the same, %d differ, %d refused, %d without a meta\n", total.same, total.differ,
                total.refused, total.without_meta);
  return total.differ == 0;
}

}  // namespace rung::golden
