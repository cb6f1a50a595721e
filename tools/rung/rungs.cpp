// Names of the command line to tables.
#include "rungs.h"

#include "base/error.h"
#include "opset/core.h"
#include "opset/reach.h"
#include "opset/read_op_set.h"
#include "trace/table_by_name.h"

namespace rung::tool {

Build build_of(const Options& options) { return build_from_name(options.value_or("--build", "2.13")).value(); }

static OpSet op_set_of(std::string_view name) {
  try {
    return op_set_named(name);
  } catch (const Error& error) {
    if (name.ends_with(".json") || name.find('/') != name.npos) throw;
    fail_input("unknown rung '", name,
               "': use aten, composite, core, prims, an op set (rung opset list) or a file.json");
  }
}

Target target_of(std::string_view rung, Build build, bool like_torch) {
  if (rung == "aten") return {aten_decompositions(build), std::nullopt};
  if (rung == "composite") return {composite_decompositions(build), std::nullopt};
  if (rung == "core")
    return {like_torch ? core_aten_decompositions(build) : closed_core_decompositions(build), std::nullopt};
  if (rung == "prims")
    return {like_torch ? torch_prims_decompositions(build) : prims_decompositions(build), std::nullopt};
  OpSet set = op_set_of(rung);
  DecompositionTable table = table_for(set);
  return {std::move(table), std::move(set)};
}

// Calls `change` for every spelling that was given with an option; errors name the option.
template <typename Change>
static void each(const Options& options, std::string_view option, Change&& change) {
  for (std::string_view spelling : options.values(option)) try {
      change(spelling);
    } catch (const Error& error) {
      throw error.at(option);
    }
}

static void adjust_set(OpSet& set, const Options& options) {
  each(options, "--keep", [&](std::string_view spelling) {
    for (OpId op : ops_of_spelling(spelling)) set.accept(op);
  });
  each(options, "--open", [&](std::string_view spelling) {
    for (OpId op : ops_of_spelling(spelling)) set.refuse(op);
  });
}

void adjust(Target& target, const Options& options) {
  if (target.set) {
    adjust_set(*target.set, options);
    target.table = table_for(*target.set);
    return;
  }
  each(options, "--keep", [&](std::string_view spelling) { keep_by_name(target.table, spelling); });
  each(options, "--open", [&](std::string_view spelling) { open_by_name(target.table, spelling); });
}

}  // namespace rung::tool
