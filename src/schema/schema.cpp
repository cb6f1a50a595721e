// Finding an op by any of its spellings, and the parts of its name.
#include "schema/schema.h"

#include <algorithm>

#include "base/strings.h"
#include "schema/rows.h"

namespace rung {
namespace {

constexpr std::string_view kBuildNames[kBuilds] = {"2.2", "2.13", "2.14"};

/// "add.Tensor" of aten::add.Tensor.
std::string_view without_namespace(std::string_view name) {
  const size_t colons = name.find("::");
  return colons == name.npos ? name : name.substr(colons + 2);
}

std::string_view without_default(std::string_view name) {
  constexpr std::string_view kDefault = ".default";
  return name.ends_with(kDefault) ? name.substr(0, name.size() - kDefault.size()) : name;
}

}  // namespace

std::optional<Build> build_from_name(std::string_view name) {
  for (size_t build = 0; build < kBuilds; ++build)
    if (name == kBuildNames[build]) return static_cast<Build>(build);
  return std::nullopt;
}

std::string_view build_name(Build build) { return kBuildNames[static_cast<size_t>(build)]; }

std::string_view OpSchema::packet() const {
  const std::string_view rest = without_namespace(name);
  return rest.substr(0, rest.find('.'));
}

std::string_view OpSchema::overload() const {
  const std::string_view rest = without_namespace(name);
  const size_t dot = rest.find('.');
  return dot == rest.npos ? "default" : rest.substr(dot + 1);
}

std::span<const ArgDef> args_of(OpId op, Build build) {
  const OpSchema& schema = schema_of(op);
  if (!schema.has(kOwnArguments, build)) return schema.args;
  const std::span rows(gen::kOwnArgumentRows, gen::kOwnArgumentCount);
  auto row = std::ranges::lower_bound(rows, op, {}, &gen::OwnArguments::op);
  while (row->build != build) ++row;
  return row->args;
}

OpId find_op(std::string_view name) {
  name = without_default(name);
  const std::span<const OpSchema> ops = all_ops();
  const auto found = std::ranges::lower_bound(ops, name, {}, &OpSchema::name);
  return found != ops.end() && found->name == name ? static_cast<OpId>(found - ops.begin()) : kNoOp;
}

OpId find_op_spelling(std::string_view text) {
  constexpr std::string_view kPrefix = "torch.ops.";
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  if (text.find("::") != text.npos) return find_op(text);
  const size_t dot = text.find('.');
  if (dot == text.npos) return kNoOp;
  return find_op(cat(text.substr(0, dot), "::", text.substr(dot + 1)));
}

std::string torch_name(OpId op) {
  const OpSchema& schema = schema_of(op);
  return cat("torch.ops.", schema.ns(), ".", schema.packet(), ".", schema.overload());
}

const BuildFacts& build_facts(Build build) { return gen::kBuildFacts[static_cast<size_t>(build)]; }

}  // namespace rung
