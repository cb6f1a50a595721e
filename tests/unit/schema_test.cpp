// The generated operator tables: counts of each torch build, defaults, lookup, and what may be kept.
#include "schema/schema.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/strings.h"
#include "schema/gen/op_ids.h"
#include "schema/nearest.h"

namespace rung {
namespace {

constexpr Build kAllBuilds[] = {Build::k2_2, Build::k2_13, Build::k2_14};

long count(OpFlag flag, Build build) {
  return std::ranges::count_if(all_ops(), [&](const OpSchema& schema) { return schema.has(flag, build); });
}

long count_ns(std::string_view ns, Build build) {
  return std::ranges::count_if(all_ops(), [&](const OpSchema& op) { return op.ns() == ns && op.has(kExists, build); });
}

long core_table_size(Build build) {
  return count(kInCoreTable, build) + static_cast<long>(foreign_core_table(build).size());
}

const ArgDef& arg(OpId op, std::string_view name) {
  const auto args = schema_of(op).args;
  const auto found = std::ranges::find(args, name, &ArgDef::name);
  REQUIRE(found != args.end());
  return *found;
}

TEST_CASE("the tables hold what each dispatcher holds") {
  CHECK(count_ns("aten", Build::k2_2) == 3075);
  CHECK(count_ns("prims", Build::k2_2) == 125);
  CHECK(count_ns("aten", Build::k2_13) == 3110);
  CHECK(count_ns("prims", Build::k2_13) == 126);
  CHECK(count_ns("aten", Build::k2_14) == 3113);
  CHECK(count(kCore, Build::k2_2) == 189);
  CHECK(count(kCore, Build::k2_13) == 193);
  CHECK(core_table_size(Build::k2_2) == 373);
  CHECK(core_table_size(Build::k2_13) == 943);
  CHECK(core_table_size(Build::k2_14) == 944);
  CHECK(count(kInAllTable, Build::k2_2) + 1 == 1011);  // one name is a higher-order op
}

TEST_CASE("469 ops of torch 2.13 may be kept although they are CompositeImplicit") {
  CHECK(count(kPreservable, Build::k2_13) == 469);
  CHECK(schema_of(op::aten_silu).has(kPreservable) == false);
  CHECK(schema_of(op::aten_linear).has(kPreservable));
  CHECK(schema_of(op::aten_upsample_nearest2d).has(kPreservable));
  CHECK(schema_of(op::aten_native_batch_norm).has(kPreservable) == false);
  CHECK(schema_of(op::aten_native_batch_norm).has(kCompositeImplicit));
  CHECK(schema_of(op::aten_reshape).has(kPreservable) == false);  // a result may alias
}

TEST_CASE("ops are sorted and each is found by its name") {
  const auto ops = all_ops();
  CHECK(std::ranges::is_sorted(ops, {}, &OpSchema::name));
  for (size_t op = 0; op < ops.size(); ++op) {
    CHECK(find_op(ops[op].name) == op);
    CHECK(find_op_spelling(torch_name(static_cast<OpId>(op))) == op);
    CHECK(find_op_spelling(short_name(static_cast<OpId>(op))) == op);
  }
}

TEST_CASE("a text stands exactly where a build has the op") {
  for (const OpSchema& schema : all_ops())
    for (Build build : kAllBuilds)
      CHECK(schema.has(kExists, build) == schema.text[static_cast<size_t>(build)].starts_with(cat(schema.name, "(")));
}

TEST_CASE("spellings") {
  CHECK(find_op("aten::silu") == op::aten_silu);
  CHECK(find_op("aten::silu.default") == op::aten_silu);
  CHECK(find_op_spelling("torch.ops.aten.add.Tensor") == op::aten_add_Tensor);
  CHECK(find_op_spelling("aten.add.Tensor") == op::aten_add_Tensor);
  CHECK(find_op_spelling("aten::add.Tensor") == op::aten_add_Tensor);
  CHECK(find_op_spelling("prims.mul.default") == op::prims_mul);
  CHECK(find_op_spelling("aten.__and__.Tensor") == op::aten_and__Tensor);
  CHECK(find_op_spelling("aten.add_.Tensor") == op::aten_add__Tensor);
  for (std::string_view wrong :
       {"", "aten", "aten.", "aten::", "aten.add", "silu", "aten.slu", "torch.ops.", "Zten::a"})
    CHECK(find_op_spelling(wrong) == kNoOp);
  CHECK(torch_name(op::aten_silu) == "torch.ops.aten.silu.default");
  CHECK(schema_of(op::aten_sum_dim_IntList).packet() == "sum");
  CHECK(schema_of(op::aten_sum_dim_IntList).overload() == "dim_IntList");
  CHECK(schema_of(op::aten_silu).overload() == "default");
  CHECK(schema_of(op::prims_mul).ns() == "prims");
}

TEST_CASE("builds by name") {
  for (Build build : kAllBuilds) CHECK(build_from_name(build_name(build)) == build);
  CHECK(build_from_name("2.1") == std::nullopt);
}

TEST_CASE("defaults keep their kind") {
  using Kind = Default::Kind;
  CHECK(arg(op::aten_add_Tensor, "self").default_value.kind == Kind::kNoDefault);
  CHECK(arg(op::aten_add_Tensor, "alpha").default_value.kind == Kind::kInt);
  CHECK(arg(op::aten_add_Tensor, "alpha").default_value.ints[0] == 1);
  CHECK(arg(op::aten_elu, "alpha").default_value.kind == Kind::kInt);
  CHECK(arg(op::aten_dropout, "train").default_value.kind == Kind::kNoDefault);
  CHECK(arg(op::aten_huber_loss, "delta").default_value.kind == Kind::kFloat);
  CHECK(arg(op::aten_huber_loss, "delta").default_value.number == 1.0);
  CHECK(arg(op::aten_allclose, "rtol").default_value.number == 1e-05);
  CHECK(arg(op::prims_var, "correction").default_value.kind == Kind::kInt);  // of a float?
  CHECK(arg(op::aten_gelu, "approximate").default_value.text == "none");
  CHECK(arg(op::aten__test_string_default, "a").default_value.text == "\"'\\");
  CHECK(arg(op::aten_clone, "memory_format").default_value.kind == Kind::kNone);
  CHECK(arg(op::aten_contiguous, "memory_format").default_value.kind == Kind::kMemoryFormat);
  CHECK(arg(op::aten_contiguous, "memory_format").default_value.ints[0] == 0);
  CHECK(arg(op::aten_linear, "bias").default_value.kind == Kind::kNone);
  CHECK(arg(op::aten_embedding, "padding_idx").default_value.ints[0] == -1);
  CHECK(arg(op::aten_argsort, "descending").default_value.kind == Kind::kBool);
}

TEST_CASE("one integer stands for a whole list") {
  const Default& padding = arg(op::aten_avg_pool2d, "padding").default_value;
  CHECK(padding.kind == Default::Kind::kInts);
  CHECK(padding.count == 2);
  CHECK(padding.ints[0] == 0);
  CHECK(padding.ints[1] == 0);
  CHECK(arg(op::aten_avg_pool2d, "stride").default_value.count == 0);
  CHECK(arg(op::aten_max_pool3d, "dilation").default_value.count == 3);
  CHECK(arg(op::aten_max_pool3d, "dilation").default_value.ints[2] == 1);
}

TEST_CASE("types, aliases and results") {
  const ArgDef& dim = arg(op::aten_sum_dim_IntList, "dim");
  CHECK((dim.type == ArgType::kInt && dim.list && dim.optional && dim.list_size == 1));
  const ArgDef& indices = arg(op::aten_index_Tensor, "indices");
  CHECK((indices.type == ArgType::kTensor && indices.list && indices.optional_items && !indices.optional));
  const ArgDef& written = arg(op::aten_add__Tensor, "self");
  CHECK((written.alias == 'a' && written.write));
  CHECK(arg(op::aten_add_Tensor, "alpha").keyword_only);
  CHECK(schema_of(op::aten_split_Tensor).returns[0].list);
  CHECK(schema_of(op::aten_native_layer_norm).returns.size() == 3);
  CHECK(schema_of(op::aten_max_dim).returns[1].name == "indices");
  CHECK(schema_of(op::aten__foreach_add__Scalar).returns.empty());
}

TEST_CASE("what a call does beside its results") {
  CHECK(schema_of(op::aten_silu).is_functional());
  CHECK(schema_of(op::aten_view).is_view());
  CHECK(schema_of(op::aten_add__Tensor).is_mutable());
  CHECK(schema_of(op::aten_add_out).is_mutable());
  CHECK(schema_of(op::aten__native_batch_norm_legit).is_mutable());
  CHECK(schema_of(op::aten__native_batch_norm_legit_no_stats).is_functional());
}

TEST_CASE("a build's own arguments") {
  const OpId sdpa = op::aten_scaled_dot_product_attention;
  CHECK(args_of(sdpa, Build::k2_13).size() == 8);
  CHECK(args_of(sdpa, Build::k2_2).size() == 7);
  CHECK(args_of(op::aten_silu, Build::k2_2).data() == schema_of(op::aten_silu).args.data());
  CHECK(args_of(op::aten__cdist_backward, Build::k2_14)[0].name == "grad_output");
  for (size_t i = 0; i < all_ops().size(); ++i)
    for (Build build : kAllBuilds) {
      const OpId op = static_cast<OpId>(i);
      CHECK((args_of(op, build).data() != schema_of(op).args.data()) == schema_of(op).has(kOwnArguments, build));
    }
}

TEST_CASE("what torch lists after import") {
  const BuildFacts& facts = build_facts(Build::k2_2);
  CHECK(facts.listed_aten.names == 817);
  CHECK(facts.listed_aten.overloads == 2124);
  CHECK(facts.listed_prims.names == 132);
  const long of_aten = std::ranges::count_if(
      all_ops(), [](const OpSchema& op) { return op.ns() == "aten" && op.has(kListed, Build::k2_2); });
  CHECK(of_aten + facts.listed_aten.builtin_overloads == 2124);
}

TEST_CASE("a misspelt op gets a suggestion") {
  CHECK(unknown_op_message("aten.slu").starts_with("unknown op 'aten.slu': did you mean aten.silu?"));
  CHECK(
      unknown_op_message("torch.ops.aten.native_layernorm.default").ends_with("did you mean aten.native_layer_norm?"));
  CHECK(unknown_op_message("aten.add").find("aten.add.Tensor") != std::string::npos);
  CHECK(unknown_op_message("xyzzy123456") == "unknown op 'xyzzy123456'");
}

}  // namespace
}  // namespace rung
