// A sample as a program: its operands are inputs, or made in it of a number.
#pragma once
#include <unordered_map>

#include "interp/run.h"
#include "rules/samples.h"
#include "rules/trial.h"
#include "unit/build_graph.h"

namespace rung::rule_test {

class TracedCall {
 public:
  /// `samples` made the arguments, and outlives the object.
  TracedCall(OpId op, Arguments args, const Samples& samples);

  /// The result of a body in the graph; by itself, of the call. Fails as the body does.
  Argument trace(Body body = kAsItIs) { return traced(*builder_.program.graph, body, call(), is_above(op_)); }
  Call call() const { return {op_, args_}; }
  /// Ends the program with what was traced, or with one of its results.
  const ExportedProgram& finish(const Argument& result, int only_result = -1);
  const std::vector<interp::Value>& inputs() const { return inputs_; }

 private:
  Arena& arena() { return *builder_.program.arena; }
  void add_inputs(const Argument& value, bool constants);
  Node* made(const Argument& constant, std::string_view name);
  Argument operand(const Argument& value);

  OpId op_;
  const Samples& samples_;
  ProgramBuilder builder_;
  std::unordered_map<const RealTensor*, Node*> nodes_;
  std::vector<interp::Value> inputs_;
  std::vector<Argument> args_;
};

}  // namespace rung::rule_test
