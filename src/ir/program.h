// An exported program: the graph, what its inputs and outputs mean, and the tensors it owns.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace rung {

enum class InputKind : uint8_t {
  kUserInput,
  kParameter,
  kBuffer,
  kTensorConstant,
  kCustomObject,
  kToken,
  kConstantInput
};
enum class OutputKind : uint8_t {
  kUserOutput,
  kLossOutput,
  kBufferMutation,
  kGradientToParameter,
  kGradientToUserInput,
  kUserInputMutation,
  kToken,
  kParameterMutation,
};

/// Parallel to the graph's placeholders.
struct InputSpec {
  InputKind kind = InputKind::kUserInput;
  Node* node = nullptr;     // the placeholder
  std::string_view target;  // name of the parameter, buffer, constant or object; empty for user inputs
  bool persistent = true;   // buffers: in the state dict
  Argument constant;        // kConstantInput: the value fixed at export
};

/// Parallel to the arguments of the output node.
struct OutputSpec {
  OutputKind kind = OutputKind::kUserOutput;
  Argument value;           // a node, or a constant
  std::string_view target;  // the buffer, parameter or user input that the value is written to
};

class MappedFile;

/// Bytes of a storage, in a mapped file or in memory that the program keeps alive. Empty for a tensor that has elements
/// when the program was exported without its weights.
struct Payload {
  std::span<const char> bytes;
  uint32_t crc32 = 0;
  bool has_crc32 = false;
  const MappedFile* file = nullptr;  // where the bytes lie, so that they can be copied file to file
};

/// A parameter, buffer or constant. Several may share a payload (tied weights, views of one storage).
struct StoredTensor {
  std::string name;                  // its fully qualified name
  const TensorMeta* meta = nullptr;  // null for a custom object
  bool is_parameter = false;
  bool pickled = false;    // the payload is Python's, not a storage (custom objects)
  uint32_t payload = 0;    // index into ExportedProgram::payloads
  std::string file_name;   // "weight_0", as the archive called it; may be empty
  json::Value file_facts;  // the config's entry as read
};

struct RangeConstraint {
  std::string symbol;  // "s77", or an expression "2*s44"
  std::optional<int64_t> min, max;
};

/// Memory: `arena` holds every node, meta and text of `graph`; programs lowered from one another share documents and
/// files.
struct ExportedProgram {
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  std::unique_ptr<Graph> graph;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  std::vector<RangeConstraint> range_constraints;
  std::map<std::string, int64_t, std::less<>> hints;  // of symbols: the sizes that the program was traced with

  std::vector<StoredTensor> state;      // parameters and persistent buffers, in the file's order
  std::vector<StoredTensor> constants;  // lifted constants, non-persistent buffers, custom objects
  std::vector<Payload> payloads;

  Build build = Build::k2_13;  // the build whose rules the file follows ("2.2" files are read as such)
  std::string torch_version;
  std::string verifier = "TRAINING";  // "ATEN" once functional
  std::string file_name;              // for messages; empty for a program made in memory
  /// The JSON that the program was read from: signature of calls, versions, guards, unknown fields.
  std::shared_ptr<const json::Document> document;
  /// Sample inputs and extra files, written back as they were: name inside the archive, bytes.
  std::vector<std::pair<std::string, Payload>> other_files;
  /// Mapped files, documents and arenas that the above points into.
  std::vector<std::shared_ptr<const void>> keep_alive;
};

}  // namespace rung
