// rung ops: which ops there are, which tables of which torch build hold them, and what rung has for them.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "commands.h"
#include "ir/op_def.h"
#include "options.h"
#include "schema/floor.h"
#include "schema/nearest.h"
#include "schema/schema.h"

namespace rung::tool {
namespace {

constexpr Option kOptions[] = {
    {"--table", "core|all", "only ops that torch's core table, or its table of all decompositions, takes apart"},
    {"--rung", "core|prims|aten", "only ops tagged core, prims and their floor, or ops of aten"},
    {"--build", "2.2|2.13|2.14", "the torch version that is asked about (default 2.13)"},
    {"--count", "", "print numbers instead of names"},
};
constexpr Command kCommand = {
    .name = "ops",
    .positionals = "[OP]",
    .summary = "Lists the ops of torch's dispatcher, or tells what is known of one (aten.silu, aten::add.Tensor).",
    .options = kOptions,
    .max_positionals = 1,
};

constexpr Build kAllBuilds[] = {Build::k2_2, Build::k2_13, Build::k2_14};

struct FlagWord {
  OpFlag flag;
  std::string_view word;
};
constexpr FlagWord kListWords[] = {{kCore, "core"},
                                   {kInCoreTable, "core-table"},
                                   {kInAllTable, "all-table"},
                                   {kCompositeImplicit, "composite"},
                                   {kPreservable, "preservable"}};
constexpr FlagWord kTagWords[] = {{kCore, "core"},
                                  {kPointwise, "pointwise"},
                                  {kReduction, "reduction"},
                                  {kViewCopy, "view_copy"},
                                  {kInplaceView, "inplace_view"},
                                  {kMaybeAliasingOrMutating, "maybe_aliasing_or_mutating"},
                                  {kNondeterministicSeeded, "nondeterministic_seeded"},
                                  {kDynamicOutputShape, "dynamic_output_shape"},
                                  {kDataDependentOutput, "data_dependent_output"},
                                  {kNeedsExactStrides, "needs_exact_strides"},
                                  {kGenerated, "generated"},
                                  {kPt2Compliant, "pt2_compliant_tag"}};
constexpr FlagWord kKernelWords[] = {{kCompositeImplicit, "CompositeImplicit"},
                                     {kCompositeExplicit, "CompositeExplicit"},
                                     {kHasCpuKernel, "CPU"},
                                     {kHasMetaKernel, "Meta"},
                                     {kHasAutograd, "Autograd"}};

Build build_of(const Options& options) { return *build_from_name(options.value_or("--build", "2.13")); }

bool has_body(OpId op, Build build) {
  const OpDef* def = op_def(op);
  return def && (def->body || (build == Build::k2_2 && def->body_2_2));
}
bool has_meta(OpId op) {
  const OpDef* def = op_def(op);
  return def && def->meta;
}

bool has_reference(OpId op) {
  const OpDef* def = op_def(op);
  return def && def->reference;
}
bool has_kernel(OpId op) { return kernel_of(op) != nullptr; }

std::string_view effect_word(Effect effect) {
  constexpr std::string_view kWords[] = {"functional", "view", "write"};
  return kWords[static_cast<size_t>(effect)];
}

void append_word(std::string& text, std::string_view word) { text += cat(text.empty() ? "" : " ", word); }

std::string words_of(const OpSchema& schema, Build build, std::span<const FlagWord> words) {
  std::string text;
  for (const FlagWord& row : words)
    if (schema.has(row.flag, build)) append_word(text, row.word);
  return text;
}

std::string builds_with(const OpSchema& schema, OpFlag flag) {
  std::string text;
  for (Build build : kAllBuilds)
    if (schema.has(flag, build)) append_word(text, build_name(build));
  return text;
}

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// ---- one op

std::string field(std::string_view key, std::string_view value) {
  std::string line(key);
  line.resize(15, ' ');
  return cat(line, value.empty() ? "none" : value, "\n");
}

std::string_view yes_or_no(bool value) { return value ? "yes" : "no"; }

/// The build that was asked for; without --build one that has the op, the default first.
Build build_with(OpId op, const Options& options) {
  const OpSchema& schema = schema_of(op);
  const Build asked = build_of(options);
  if (schema.has(kExists, asked)) return asked;
  if (options.has("--build"))
    fail_input("torch ", build_name(asked), " has no ", short_name(op), ", only ", builds_with(schema, kExists));
  return *std::ranges::find_if(kAllBuilds, [&](Build build) { return schema.has(kExists, build); });
}

void print_op(OpId op, Build build) {
  const OpSchema& schema = schema_of(op);
  print(field("op", torch_name(op)) + field("schema", schema.text[static_cast<size_t>(build)]) +
        field("of torch", build_name(build)) + field("effect", effect_word(schema.effect)) +
        field("tags", words_of(schema, build, kTagWords)) +
        field("torch kernels", words_of(schema, build, kKernelWords)) +
        field("in builds", builds_with(schema, kExists)) + field("tagged core", builds_with(schema, kCore)) +
        field("core table", builds_with(schema, kInCoreTable)) + field("all table", builds_with(schema, kInAllTable)) +
        field("preservable", builds_with(schema, kPreservable)) + field("rung body", yes_or_no(has_body(op, build))) +
        field("rung reference", yes_or_no(has_reference(op))) + field("rung meta", yes_or_no(has_meta(op))) +
        field("rung kernel", yes_or_no(has_kernel(op))));
}

// ---- the list

struct Selection {
  std::vector<OpId> ops;
  std::span<const std::string_view> foreign;  // outside aten and prims: torch's tables hold some
};

const FloorOp* in_floor(OpId op) {
  const auto found = std::ranges::find(prims_floor(), op, &FloorOp::op);
  return found == prims_floor().end() ? nullptr : &*found;
}

bool in_rung(OpId op, std::string_view rung, Build build) {
  const OpSchema& schema = schema_of(op);
  if (rung == "core") return schema.has(kCore, build);
  return schema.ns() == rung || (rung == "prims" && in_floor(op) != nullptr);
}

Selection select(const Options& options) {
  const Build build = build_of(options);
  const auto table = options.value("--table"), rung = options.value("--rung");
  Selection selection;
  for (size_t i = 0; i < all_ops().size(); ++i) {
    const OpSchema& schema = all_ops()[i];
    if (!schema.has(kExists, build)) continue;
    if (table && !schema.has(*table == "core" ? kInCoreTable : kInAllTable, build)) continue;
    if (rung && !in_rung(static_cast<OpId>(i), *rung, build)) continue;
    selection.ops.push_back(static_cast<OpId>(i));
  }
  const BuildFacts& facts = build_facts(build);
  if (table && !rung) selection.foreign = *table == "core" ? facts.foreign_core : facts.foreign_all;
  return selection;
}

/// With `floor`, also why an op of aten stays whole on the way to prims.
void print_list(const Selection& selection, Build build, bool floor) {
  constexpr size_t kPrefix = std::string_view("torch.ops.").size();
  std::string text;
  const auto append_line = [&](std::string name, std::string_view words) {
    if (!words.empty()) name.resize(std::max<size_t>(name.size(), 48), ' ');
    text += cat(name, words.empty() ? "" : " ", words, "\n");
  };
  for (OpId op : selection.ops) {
    const OpSchema& schema = schema_of(op);
    std::string words = words_of(schema, build, kListWords);
    if (schema.effect != Effect::kNone) append_word(words, effect_word(schema.effect));
    if (has_body(op, build)) append_word(words, "body");
    if (has_meta(op)) append_word(words, "meta");
    if (const FloorOp* whole = floor ? in_floor(op) : nullptr) append_word(words, cat("floor: ", whole->reason));
    append_line(torch_name(op).substr(kPrefix), words);
  }
  for (std::string_view name : selection.foreign) append_line(std::string(name), "foreign");
  print(text);
}

// ---- numbers

std::string number_line(size_t number, std::string_view what) {
  const std::string digits = cat(number);
  return cat(std::string(digits.size() < 5 ? 5 - digits.size() : 0, ' '), digits, " ", what, "\n");
}

template <typename Condition>
size_t count(std::span<const OpId> ops, Condition&& condition) {
  return static_cast<size_t>(std::ranges::count_if(ops, condition));
}

size_t count_ns(std::span<const OpId> ops, std::string_view ns) {
  return count(ops, [&](OpId op) { return schema_of(op).ns() == ns; });
}

size_t count_packets(std::span<const OpId> ops, std::string_view ns) {
  std::set<std::string_view> packets;
  for (OpId op : ops)
    if (schema_of(op).ns() == ns) packets.insert(schema_of(op).packet());
  return packets.size();
}

std::string selection_title(const Options& options) {
  std::string title;
  if (const auto rung = options.value("--rung"))
    append_word(title, *rung == "core"    ? "tagged core"
                       : *rung == "prims" ? "of prims and the floor"
                                          : cat("of ", *rung));
  if (const auto table = options.value("--table"))
    append_word(title, *table == "core" ? "in the core table" : "in the table of all decompositions");
  return cat(title, " of torch ", build_facts(build_of(options)).torch);
}

void print_selection_count(const Selection& selection, const Options& options) {
  const Build build = build_of(options);
  std::string text = number_line(selection.ops.size() + selection.foreign.size(), selection_title(options));
  text += number_line(count_ns(selection.ops, "aten"), "of them in aten");
  text += number_line(count_ns(selection.ops, "prims"), "of them in prims");
  text += number_line(selection.foreign.size(), "of them elsewhere, which rung does not hold");
  text +=
      number_line(count(selection.ops, [&](OpId op) { return has_body(op, build); }), "of them have a body in rung");
  text += number_line(count(selection.ops, has_meta), "of them have a meta in rung");
  print(text);
}

/// The lesson's numbers count what dir() shows on import, which is neither all packets nor only ops.
std::string listed_lines(const Listed& listed, std::string_view ns) {
  const std::string names =
      cat("names in dir(torch.ops.", ns, ") right after import: ", listed.packets,
          " packets that Python had touched, and ", listed.names - listed.packets, " module attributes");
  std::string overloads = cat("overloads of these ", listed.packets, " packets");
  if (listed.builtin_overloads)
    overloads += cat(": ", listed.overloads - listed.builtin_overloads, " of the dispatcher, and ",
                     listed.builtin_overloads, " built-ins of TorchScript, which no exported program holds");
  return number_line(listed.names, names) + number_line(listed.overloads, overloads);
}

std::string table_line(size_t ours, size_t foreign, std::string_view table) {
  return number_line(ours + foreign, cat("in ", table, ", ", foreign, " of them outside aten and prims"));
}

void print_all_counts(const Selection& all, Build build) {
  const BuildFacts& facts = build_facts(build);
  const auto having = [&](OpFlag flag) {
    return count(all.ops, [&](OpId op) { return schema_of(op).has(flag, build); });
  };
  std::string text =
      number_line(count_ns(all.ops, "aten"), cat("overloads of aten in the dispatcher of torch ", facts.torch));
  text += number_line(count_packets(all.ops, "aten"), "packets of aten");
  text += number_line(count_ns(all.ops, "prims"), "prims");
  text += number_line(having(kCore), "tagged core");
  text += table_line(having(kInCoreTable), facts.foreign_core.size(), "the core table");
  text += table_line(having(kInAllTable), facts.foreign_all.size(), "the table of all decompositions");
  text += number_line(having(kCompositeImplicit), "with a CompositeImplicit kernel");
  text += number_line(having(kPreservable), "with one, functional and without aliases: a table may keep them");
  text += number_line(count(all.ops, [&](OpId op) { return has_body(op, build); }), "with a body in rung");
  text += number_line(count(all.ops, has_meta), "with a meta in rung");
  text += "\n" + listed_lines(facts.listed_aten, "aten") + listed_lines(facts.listed_prims, "prims");
  print(text);
}

int run(const Options& options) {
  const Build build = build_of(options);
  if (!options.positionals().empty()) {
    if (options.has("--table") || options.has("--rung") || options.has("--count"))
      throw UsageError("OP goes with no other option than --build");
    const OpId op = op_of_spelling(options.positionals()[0]);
    print_op(op, build_with(op, options));
    return 0;
  }
  const Selection selection = select(options);
  if (!options.has("--count")) {
    print_list(selection, build, options.value("--rung") == "prims");
  } else if (options.has("--table") || options.has("--rung")) {
    print_selection_count(selection, options);
  } else {
    print_all_counts(selection, build);
  }
  return 0;
}

}  // namespace

int run_ops(std::span<const std::string_view> args) { return run_command(kCommand, args, run); }

}  // namespace rung::tool
