// Small programs for tests, put together by hand.
#pragma once
#include <initializer_list>
#include <string_view>
#include <vector>

#include "ir/bind.h"
#include "ir/program.h"

namespace rung {

/// Builds an exported program node by node. Metadata of calls is left out: lowering infers it.
class ProgramBuilder {
 public:
  ProgramBuilder() { program.graph = std::make_unique<Graph>(*program.arena); }

  Node* input(std::string_view name, std::vector<SymInt> sizes, InputKind kind = InputKind::kUserInput,
              DType dtype = DType::kFloat32) {
    Node* node = program.graph->append(NodeKind::kPlaceholder, name);
    node->target = node->name;
    TensorMeta* meta = program.arena->make<TensorMeta>();
    meta->dtype = dtype;
    std::vector<SymInt> strides(sizes.size());
    SymInt step = 1;
    for (size_t i = sizes.size(); i-- > 0; step *= sizes[i]) strides[i] = step;
    meta->sizes = program.arena->copy(sizes);
    meta->strides = program.arena->copy(strides);
    node->meta = ValueMeta::of(meta);
    InputSpec spec;
    spec.kind = kind;
    spec.node = node;
    if (kind != InputKind::kUserInput) spec.target = node->name;
    program.inputs.push_back(spec);
    return node;
  }

  Node* call(std::string_view op, std::vector<Argument> args, std::string_view name) {
    Node* node = program.graph->append(NodeKind::kCall, name);
    node->callee = Callee::kOp;
    node->op = find_op(op);
    node->args = program.arena->copy(args);
    return node;
  }

  Argument ints(std::initializer_list<int64_t> values) {
    std::vector<Argument> items;
    for (int64_t value : values) items.push_back(Argument::of(value));
    return Argument::list(program.arena->copy(items));
  }

  void output(std::vector<Node*> nodes) {
    std::vector<Argument> values;
    for (Node* node : nodes) {
      values.push_back(Argument::of(node));
      program.outputs.push_back({OutputKind::kUserOutput, values.back(), {}});
    }
    program.graph->append(NodeKind::kOutput, "output")->args = program.arena->copy(values);
  }

  ExportedProgram program;
};

inline Argument arg(Node* node) { return Argument::of(node); }
inline Argument arg(int value) { return Argument::of(static_cast<int64_t>(value)); }
inline Argument arg(double value) { return Argument::of(value); }

}  // namespace rung
