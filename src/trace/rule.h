// How a call may be opened where there is more than one way, and who decides.
#pragma once
#include <string_view>

#include "ir/op_def.h"

namespace rung {

/// One way to open an op. Its body may say `not_decomposed()` where it does not hold for the arguments.
struct Rule {
  std::string_view name;  // in chains of bodies: "decomposition", "number for a tensor"
  Body body;
  /// Where it gives one of several results: its index. The others are None, and the rule holds where nothing uses them.
  int only_result = -1;
  bool may_give_operand = false;  // it may find that nothing needs to be called
};

/// Decides, call by call, by which rule an op that its table opens is opened.
class RuleChooser {
 public:
  virtual ~RuleChooser() = default;
  /// Null where the call stays as it is. `args`: plain values, all arguments in schema order.
  virtual const Rule* choose(OpId op, Arguments args) = 0;
  /// The same of a call of which one result alone is used.
  virtual const Rule* choose_for(int result, OpId op, Arguments args) = 0;
};

}  // namespace rung
