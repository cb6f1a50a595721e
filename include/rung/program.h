// Exported programs: read, lowered, printed, written.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rung/error.h>
#include <rung/table.h>

namespace rung {
namespace detail {
struct Program;
}

inline namespace v1 {

struct LowerOptions {
  /// Torch's own result, even where it leaves an op of the table whole, or refuses a program that rung
  /// lowers. Its refusal is then an Error of kind kUnsupported.
  bool like_torch = false;
  /// Dynamic sizes that become static: {"s77", 8}, or dimension 0 of an input, {"x.0", 8}. Fails with kInput for a
  /// name that the program does not have, and for a size outside of the symbol's range.
  std::vector<std::pair<std::string, int64_t>> bind = {};
};

/// A graph, what its inputs and outputs mean, and the tensors it owns. A cheap handle of something that does
/// not change: copies share it. Weights stay mapped from their file. One program is for one thread at a time.
class ExportedProgram {
 public:
  /// Lowered to core ATen, as run_decompositions() of torch 2.13 does.
  ExportedProgram run_decompositions() const;
  ExportedProgram run_decompositions(const DecompositionTable& table) const;

  /// The texts of torch, byte for byte: str(graph), GraphModule.code, print_readable(), str(graph_signature).
  std::string graph_text() const;
  std::string code() const;
  std::string readable() const;
  std::string signature() const;
  /// Of dynamic sizes, as torch prints them: "{s77: VR[2, int_oo]}".
  std::string range_constraints() const;

  /// Nodes of the graph, without those of sub-graphs.
  size_t node_count() const;
  /// The torch version whose rules the file follows.
  Build build() const;

 private:
  explicit ExportedProgram(std::shared_ptr<const detail::Program> program) : program_(std::move(program)) {}
  friend struct ProgramAccess;

  std::shared_ptr<const detail::Program> program_;
};

/// Reads a .pt2 file that torch.export.save wrote (torch 2.2 to 2.14). Fails with kInput.
ExportedProgram load(const std::string& path);

/// Writes a .pt2 file that torch 2.13 loads. Fails with kInput; then nothing is left at `path` that was not
/// there.
void save(const ExportedProgram& program, const std::string& path);

/// Takes every op apart that `table` opens, down to ops that it does not. Fails with kUnsupported where there
/// is no path, naming the op and the chain that led to it.
ExportedProgram lower(const ExportedProgram& program, const DecompositionTable& table,
                      const LowerOptions& options = {});

}  // namespace v1
}  // namespace rung
