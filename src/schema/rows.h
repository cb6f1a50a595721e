// What the generated tables are written with: short makers of constant data, and the tables' declarations.
#pragma once
#include <iterator>

#include "schema/schema.h"

namespace rung::gen {

using enum ArgType;
using enum Effect;
using namespace std::string_view_literals;

/// Arguments of an op in a build, where they differ from OpSchema::args; sorted by op, then build.
struct OwnArguments {
  OpId op;
  Build build;
  std::span<const ArgDef> args;
};
extern const OwnArguments kOwnArgumentRows[];
extern const size_t kOwnArgumentCount;

extern const BuildFacts kBuildFacts[kBuilds];

inline constexpr Default none = {.kind = Default::Kind::kNone};
constexpr Default boolean(bool value) { return {.kind = Default::Kind::kBool, .ints = {value}}; }
constexpr Default integer(int64_t value) { return {.kind = Default::Kind::kInt, .ints = {value}}; }
constexpr Default real(double value) { return {.kind = Default::Kind::kFloat, .number = value}; }
constexpr Default text(std::string_view value) { return {.kind = Default::Kind::kString, .text = value}; }
constexpr Default scalar_type(int64_t c10) { return {.kind = Default::Kind::kScalarType, .ints = {c10}}; }
constexpr Default memory_format(int64_t c10) { return {.kind = Default::Kind::kMemoryFormat, .ints = {c10}}; }
constexpr Default integers() { return {.kind = Default::Kind::kInts}; }
constexpr Default integers(int64_t a) { return {.kind = Default::Kind::kInts, .count = 1, .ints = {a}}; }
constexpr Default integers(int64_t a, int64_t b) { return {.kind = Default::Kind::kInts, .count = 2, .ints = {a, b}}; }
constexpr Default integers(int64_t a, int64_t b, int64_t c) {
  return {.kind = Default::Kind::kInts, .count = 3, .ints = {a, b, c}};
}

/// A value for each build; one value stands for all three.
template <typename T>
struct PerBuild {
  T values[kBuilds];
  constexpr PerBuild(T all) : values{all, all, all} {}
  constexpr PerBuild(T in_2_2, T in_2_13, T in_2_14) : values{in_2_2, in_2_13, in_2_14} {}
};

constexpr OpSchema row(std::string_view name, std::span<const ArgDef> args, std::span<const ReturnDef> returns,
                       Effect effect, PerBuild<uint32_t> flags, PerBuild<std::string_view> schema) {
  OpSchema op = {.name = name, .args = args, .returns = returns, .effect = effect};
  for (size_t build = 0; build < kBuilds; ++build) {
    op.flags[build] = flags.values[build];
    if (flags.values[build] & kExists) op.text[build] = schema.values[build];
  }
  return op;
}

}  // namespace rung::gen
