// Op sets: which operators a back end accepts, and programs lowered to exactly those.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <rung/build.h>
#include <rung/program.h>

namespace rung {
namespace detail {
struct Set;
}

inline namespace v1 {

/// A value that does not change: copies share it, and what was found out of the ways into it, so that a second program
/// with the same calls is lowered faster. What a file may say stands in docs/op-sets.md.
class OpSet {
 public:
  /// Fails with kInput, with the place in the file, where it is no op set.
  static OpSet from_file(const std::string& path);
  /// What --to takes: a set that ships with rung, "executorch_xnnpack" (`rung opset list`), or a file, whose name has a
  /// slash or ends in .json. Fails with kInput.
  static OpSet named(std::string_view name);

  const std::string& name() const;
  /// Whose tables hold: lowering goes by the rules of this torch.
  Build build() const;
  /// How many overloads are accepted, with conditions or without.
  size_t size() const;
  /// Whether any overload of `op` is accepted, be it under conditions. Fails with kInput if there is no such op.
  bool accepts(std::string_view op) const;

 private:
  explicit OpSet(std::shared_ptr<const detail::Set> set) : set_(std::move(set)) {}
  friend struct OpSetAccess;

  std::shared_ptr<const detail::Set> set_;
};

/// Leaves whole what `set` accepts, opens every other op by the rules that lead into the set most cheaply, and holds
/// each call of the result against the set. Fails with kUnsupported where calls are left outside of it, and tells of
/// each the reason, where it came from, and what the rules that were tried would need.
ExportedProgram lower(const ExportedProgram& program, const OpSet& set, const LowerOptions& options = {});

}  // namespace v1
}  // namespace rung
