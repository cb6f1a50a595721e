// Two runs, all values of both, and one walk over the program.
#include "interp/verify.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/error.h"
#include "interp/distance.h"
#include "interp/repro.h"
#include "ops/gen/aten.h"
#include "ref/data.h"

namespace rung::interp {
namespace {

using Values = std::unordered_map<const Node*, Value>;

bool writes(const Graph& graph) {
  for (const Node* node : graph) {
    if (node->is_call(Callee::kOp) && schema_of(node->op).is_mutable()) return true;
    for (const Graph* inner : subgraphs(*node))
      if (writes(*inner)) return true;
  }
  return false;
}

// As it is now: what is written later goes elsewhere.
Value frozen(const Value& value) {
  Value copy = value;
  if (copy.tensor.is_real()) copy.tensor = aten::clone(copy.tensor);
  for (Value& item : copy.items) item = frozen(item);
  return copy;
}

RunResult run_and_keep(const ExportedProgram& program, const std::vector<Value>& inputs, RunOptions options,
                       uint64_t seed, Values& values) {
  const bool copies = writes(*program.graph);
  options.observe = [&](const Node& node, const Value& value) { values[&node] = copies ? frozen(value) : value; };
  manual_seed(seed);
  return run(program, inputs, options);
}

class Comparison {
 public:
  Comparison(Verification& result, double allowed) : result_(result), allowed_(allowed) {}

  void outputs(const RunResult& expected, const RunResult& got) {
    for (size_t i = 0; i < expected.outputs.size(); ++i) {
      const Value& a = expected.outputs[i];
      const Value b = i < got.outputs.size() ? got.outputs[i] : Value();
      ++result_.outputs;
      compare(cat("out", i), a, b);
    }
    for (const auto& [name, tensor] : expected.mutated) {
      ++result_.mutated;
      auto found = std::ranges::find(got.mutated, name, [](const auto& each) { return each.first; });
      compare(cat("mutated.", name), tensor, found == got.mutated.end() ? Value() : Value(found->second));
    }
  }

 private:
  static double far(const Value& a, const Value& b) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (a.tensor.is_real() != b.tensor.is_real()) return kInfinity;
    if (a.tensor.is_real()) return distance(a.tensor, b.tensor);
    return same_argument(a.number, b.number) ? 0 : kInfinity;
  }

  void compare(const std::string& name, const Value& a, const Value& b) {
    const double apart = far(a, b);
    result_.distance = std::max(result_.distance, apart);
    if (apart <= allowed_ || !result_.same) return;
    result_.same = false;
    result_.what = name;
  }

  Verification& result_;
  double allowed_;
};

// The first node whose result parts from that of the node that stands for it.
void find_parting(const ExportedProgram& program, const std::vector<const Node*>& made, const Values& values,
                  const Values& lowered_values, double allowed, Verification& result) {
  for (const Node* node : *program.graph) {
    const Node* lowered = node->index < made.size() ? made[node->index] : nullptr;
    auto expected = values.find(node), got = lowered_values.find(lowered);
    if (expected == values.end() || got == lowered_values.end()) continue;
    const Tensor &a = expected->second.tensor, &b = got->second.tensor;
    if (!a.is_real() || !b.is_real()) continue;
    const double apart = distance(a, b);
    if (apart <= allowed) continue;
    // one of several results: the node that has them all
    const Node* source = node->callee == Callee::kGetItem ? node->args[0].node : node;
    result.parting = Parting{source, lowered, a, b, apart, {}};
    for_each_operand(*source, [&](const Node* operand) {
      if (auto value = values.find(operand); value != values.end())
        result.operands.emplace_back(operand, value->second);
    });
    return;
  }
}

// Two programs that should give the same, run on the same inputs.
bool parts(const ExportedProgram& program, const ExportedProgram& lowered, const std::vector<Value>& inputs,
           const std::vector<const Node*>& made, const RunOptions& options, uint64_t seed, Verification& result) {
  Values values, lowered_values;
  const RunResult expected = run_and_keep(program, inputs, options, seed, values);
  const double allowed = allowed_distance(*program.graph);
  try {
    Comparison(result, allowed).outputs(expected, run_and_keep(lowered, inputs, options, seed, lowered_values));
  } catch (const Error& error) {  // what was computed before it failed may tell why
    if (error.kind() != ErrorKind::kInput) throw;
    result.same = false;
    result.what = cat("the lowered program fails: ", error.what());
  }
  if (!result.same) find_parting(program, made, values, lowered_values, allowed, result);
  return !result.same;
}

// Which body goes wrong: the node alone is opened one body at a time, and what comes out is checked in its turn.
void name_bodies(const DecompositionTable& table, const RunOptions& options, uint64_t seed, Verification& result) {
  constexpr size_t kDeepest = 30;
  const Node* node = result.parting->source;
  std::vector<std::pair<const Node*, Value>> operands = result.operands;
  std::vector<ExportedProgram> kept;  // the nodes that are looked at lie in them
  std::vector<OpId>& bodies = result.parting->bodies;
  while (bodies.size() < kDeepest && node->callee == Callee::kOp) {
    if (!table.opens(node->op) && !table.must_open(node->op)) return;
    bodies.push_back(node->op);
    Repro repro = one_call(*node, operands, table.build());
    std::vector<Value> inputs;
    for (const auto& [name, tensor] : repro.inputs) inputs.emplace_back(tensor);
    Verification step, rest;
    std::vector<const Node*> made;
    ExportedProgram opened = lower(repro.program, table.only(node->op), {.made = &made});
    if (parts(repro.program, opened, inputs, made, options, seed, step)) return;
    ExportedProgram lowered = lower(opened, table, {.made = &made});
    if (!parts(opened, lowered, inputs, made, options, seed, rest) || !rest.parting) return;
    node = rest.parting->source;
    operands = rest.operands;
    kept.push_back(std::move(repro.program));
    kept.push_back(std::move(opened));
  }
}

}  // namespace

Verification verify(const ExportedProgram& program, const DecompositionTable& table, const std::vector<Value>& inputs,
                    const RunOptions& options, uint64_t seed) {
  Verification result;
  std::vector<const Node*> made;
  result.lowered = lower(program, table, {.made = &made});
  const bool differs = parts(program, result.lowered, inputs, made, options, seed, result);
  if (differs && result.parting) name_bodies(table, options, seed, result);
  return result;
}

}  // namespace rung::interp
