// Every overload of aten and prims that torch's dispatcher knows, as plain constant data: the facts that PyTorch
// authors. What rung adds to an op (body, meta) stands in src/ops.
#pragma once
#include <rung/build.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rung {

/// An index into the sorted table of overloads.
using OpId = uint16_t;
constexpr OpId kNoOp = 0xffff;

enum class ArgType : uint8_t {
  kTensor,
  kInt,
  kSymInt,
  kFloat,
  kBool,
  kScalar,
  kString,
  kScalarType,
  kLayout,
  kDevice,
  kMemoryFormat,
  kGenerator,
  kDimname,
  kStorage,
  kStream,
  kObject,
};

/// A default value of a schema; `int[2] x=0` is already spread to [0, 0].
struct Default {
  enum class Kind : uint8_t {
    kNoDefault,
    kNone,
    kBool,
    kInt,
    kFloat,
    kString,
    kInts,
    kScalarType,
    kLayout,
    kMemoryFormat
  };
  Kind kind = Kind::kNoDefault;
  uint8_t count = 0;     // of ints
  int64_t ints[3] = {};  // kBool, kInt: the first; enumerations: c10's own number (ScalarType 4 is int64)
  double number = 0;
  std::string_view text = {};
};

struct ArgDef {
  std::string_view name = {};
  ArgType type = ArgType::kTensor;
  bool optional = false;        // T?
  bool list = false;            // T[]
  bool optional_items = false;  // T?[]
  int8_t list_size = 0;         // int[2]: 2; a single int stands for all of them
  bool keyword_only = false;
  char alias = 0;      // Tensor(a): 'a'; 0 if none
  bool write = false;  // Tensor(a!)
  Default default_value = {};
};

struct ReturnDef {
  std::string_view name = {};
  ArgType type = ArgType::kTensor;
  bool list = false;
  bool optional = false;
  char alias = 0;
  bool write = false;
};

/// What torch's tables and dispatcher say of an overload in one build; a set of these flags.
enum OpFlag : uint32_t {
  kExists = 1u << 0,             // the build's dispatcher has it
  kCore = 1u << 1,               // tagged core
  kInCoreTable = 1u << 2,        // torch._decomp.core_aten_decompositions() has a rule
  kInAllTable = 1u << 3,         // torch._decomp.decomposition_table has a rule
  kCompositeImplicit = 1u << 4,  // has a CompositeImplicitAutograd kernel (C++ or Python)
  kCompositeExplicit = 1u << 5,
  kPreservable = 1u << 6,  // CompositeImplicit that a table may keep: functional, no alias, not maybe-aliasing
  kPointwise = 1u << 7,
  kReduction = 1u << 8,
  kNondeterministicSeeded = 1u << 9,
  kDynamicOutputShape = 1u << 10,
  kDataDependentOutput = 1u << 11,
  kInplaceView = 1u << 12,
  kMaybeAliasingOrMutating = 1u << 13,
  kViewCopy = 1u << 14,
  kListed = 1u << 15,  // its packet is what dir(torch.ops.aten) shows right after import
  kHasCpuKernel = 1u << 16,
  kHasMetaKernel = 1u << 17,
  kGenerated = 1u << 18,
  kPt2Compliant = 1u << 19,
  kHasAutograd = 1u << 20,
  kNeedsExactStrides = 1u << 21,
  kOwnArguments = 1u << 22,  // the build's arguments are not OpSchema::args
};

/// What a call does beside computing results.
enum class Effect : uint8_t {
  kNone,
  kView,   // a result aliases an argument, and nothing is written
  kWrite,  // writes to an argument
};

struct OpSchema {
  std::string_view name;         // "aten::add.Tensor"
  std::span<const ArgDef> args;  // as torch 2.13 has them; see args_of()
  std::span<const ReturnDef> returns;
  Effect effect = Effect::kNone;
  uint32_t flags[kBuilds] = {};
  std::string_view text[kBuilds] = {};  // the schema as each build prints it; empty where the build lacks it

  std::string_view ns() const { return name.substr(0, name.find("::")); }
  /// "add" of aten::add.Tensor.
  std::string_view packet() const;
  /// "Tensor" of aten::add.Tensor, "default" where the schema names none.
  std::string_view overload() const;
  bool has(OpFlag flag, Build build = Build::k2_13) const { return flags[static_cast<size_t>(build)] & flag; }
  bool is_mutable() const { return effect == Effect::kWrite; }
  bool is_view() const { return effect == Effect::kView; }
  bool is_functional() const { return effect == Effect::kNone; }
};

namespace gen {
extern const OpSchema kOps[];
extern const size_t kOpCount;
}  // namespace gen

/// All overloads of all builds, sorted by name; OpId is the index.
inline std::span<const OpSchema> all_ops() { return {gen::kOps, gen::kOpCount}; }
inline const OpSchema& schema_of(OpId op) { return gen::kOps[op]; }

/// The arguments that `build` itself gives the op: they differ from OpSchema::args for some 60 ops.
std::span<const ArgDef> args_of(OpId op, Build build);

/// "aten::add.Tensor" -> its id, kNoOp if there is none. "default" may be spelt out: aten::silu.default.
OpId find_op(std::string_view name);
/// The spelling of users and of FX: torch.ops.aten.add.Tensor, aten.add.Tensor, aten::add.Tensor, aten.silu,
/// prims.mul.default.
OpId find_op_spelling(std::string_view text);

/// "torch.ops.aten.add.Tensor", as FX prints a target.
std::string torch_name(OpId op);

/// What dir(torch.ops.NAMESPACE) lists right after "import torch": only packets that Python had touched until then.
struct Listed {
  uint32_t names = 0;  // the packets, and attributes that every module has
  uint32_t packets = 0;
  uint32_t overloads = 0;  // of these packets
  // Of these, what are built-ins of TorchScript: they have no kernel, and are not in all_ops().
  uint32_t builtin_packets = 0;
  uint32_t builtin_overloads = 0;
};

/// What a build says beside its ops.
struct BuildFacts {
  std::string_view torch;  // "2.13.0+cpu"
  // What its tables hold outside aten and prims: "quantized.linear_unpack.default".
  std::span<const std::string_view> foreign_core;
  std::span<const std::string_view> foreign_all;
  Listed listed_aten, listed_prims;
};
const BuildFacts& build_facts(Build build);

/// Names that a build's core table holds outside aten and prims (quantized, _test, ...), for its count.
inline std::span<const std::string_view> foreign_core_table(Build build) { return build_facts(build).foreign_core; }

}  // namespace rung
