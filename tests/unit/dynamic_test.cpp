// Programs with dynamic sizes: sizes as nodes, ranges and guards, sizes that depend on data, sizes made static.
#include <doctest/doctest.h>

#include "base/error.h"
#include "ir/print.h"
#include "pass/guards.h"
#include "pass/lower.h"
#include "shape/shape_env.h"
#include "unit/build_graph.h"

namespace rung {
namespace {

const Expr* size_symbol(std::string_view name) { return make_symbol(name, "positive=True, integer=True"); }

SymInt dynamic(ProgramBuilder& builder, std::string_view name, int64_t hint, std::optional<int64_t> max = {}) {
  builder.program.hints[std::string(name)] = hint;
  builder.program.range_constraints.push_back({std::string(name), 2, max});
  return SymInt(size_symbol(name));
}

Node* python(ProgramBuilder& builder, std::string_view target, std::vector<Argument> args, std::string_view name,
             const Expr* value) {
  Node* node = builder.program.graph->append(NodeKind::kCall, name);
  node->callee = Callee::kPython;
  node->target = target;
  node->args = builder.program.arena->copy(args);
  node->meta.kind = ValueMeta::Kind::kSymInt;
  node->meta.number = SymInt(value);
  return node;
}

Argument list_of(ProgramBuilder& builder, std::vector<Argument> items) {
  return Argument::list(builder.program.arena->copy(items));
}

// "name = target(args)" of each call.
std::string calls(const ExportedProgram& program) {
  verify(*program.graph);
  std::string out, text = graph_text(*program.graph);
  for (size_t at = text.find(" = call_function[target="); at != text.npos;
       at = text.find(" = call_function[target=", at)) {
    size_t start = text.rfind('%', at), end = text.find(" : ", start);
    out += text.substr(start + 1, end - start - 1) + " = ";
    at += std::string_view(" = call_function[target=").size();
    out += text.substr(at, text.find(']', at) - at);
    size_t args = text.find("(args = ", at) + std::string_view("(args = ").size();
    out += text.substr(args, text.find(", kwargs", args) - args) + "\n";
  }
  return out;
}

std::string refusal(const ExportedProgram& program, const LowerOptions& options = {}) {
  try {
    lower(program, core_aten_decompositions(), options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string binding_refusal(const ExportedProgram& program, std::vector<SizeBinding> bindings) {
  try {
    resolve_bindings(program, bindings);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kInput);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("a size is read from the first input that has it, and computed where it is first used") {
  ProgramBuilder builder;
  SymInt rows = dynamic(builder, "s0", 3);
  Node* x = builder.input("x", {rows, 4});
  Node* unused = builder.input("y", {dynamic(builder, "s1", 5), rows});
  Node* size = builder.call("aten::sym_size.int", {arg(x), arg(0)}, "sym_size_int");
  size->meta.kind = ValueMeta::Kind::kSymInt;
  size->meta.number = rows;
  const Expr* count = (rows * 4).expr();
  Node* twice = python(builder, "_operator.mul", {arg(size), arg(4)}, "mul", count);
  Node* again = python(builder, "_operator.mul", {arg(4), arg(size)}, "mul_1", count);
  Node* first = builder.call("aten::view", {arg(x), list_of(builder, {arg(twice)})}, "view");
  Node* second = builder.call("aten::view", {arg(x), list_of(builder, {arg(again)})}, "view_1");
  builder.output({first, second, unused});
  ExportedProgram lowered = lower(builder.program, aten_decompositions());
  CHECK(calls(lowered) ==
        "sym_size_int_1 = torch.ops.aten.sym_size.int(%x, 0)\n"
        "mul = operator.mul(%sym_size_int_1, 4)\n"
        "view = torch.ops.aten.view.default(%x, [%mul])\n"
        "view_1 = torch.ops.aten.view.default(%x, [%mul])\n");
  CHECK(range_constraints_text(lowered) == "{s0: VR[2, int_oo], s1: VR[2, int_oo]}");
}

// torch compares the strides of dimensions that a view makes one while it lowers; torch.export leaves their Min().
TEST_CASE("dimensions that a view makes one have the smaller stride") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {dynamic(builder, "s0", 3), dynamic(builder, "s1", 5), 4});
  builder.output({builder.call("aten::view", {arg(x), builder.ints({-1, 4})}, "view")});
  const ExportedProgram lowered = lower(builder.program, aten_decompositions());
  const TensorMeta& view = *lowered.outputs[0].value.node->tensor();
  CHECK(view.sizes[0].str() == "s0*s1");
  CHECK(view.strides[0].str() == "4");
  ShapeEnv exported = shape_env_of(builder.program);
  CHECK(exported.smaller(4, SymInt(size_symbol("s1")) * 4).str() == "4");
  exported.keep_minima();
  CHECK(exported.smaller(4, SymInt(size_symbol("s1")) * 4).str() == "Min(4, 4*s1)");
}

TEST_CASE("sizes that a program needs to be equal become one symbol") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {dynamic(builder, "s0", 3), 4});
  Node* y = builder.input("y", {dynamic(builder, "s1", 3), 4});
  builder.output({builder.call("aten::add.Tensor", {arg(x), arg(y)}, "add")});
  ExportedProgram lowered = lower(builder.program, aten_decompositions());
  CHECK(range_constraints_text(lowered) == "{s0: VR[2, int_oo]}");
  CHECK(lowered.inputs[1].node->tensor()->sizes[0].str() == "s0");
}

TEST_CASE("a size that depends on data is a symbol of its own, with what is known of it asserted") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {6});
  builder.output({builder.call("aten::nonzero", {arg(x)}, "nonzero")});
  ExportedProgram lowered = lower(builder.program, core_aten_decompositions());
  CHECK(calls(lowered) ==
        "nonzero = torch.ops.aten.nonzero.default(%x,)\n"
        "sym_size_int_1 = torch.ops.aten.sym_size.int(%nonzero, 0)\n"
        "ge = operator.ge(%sym_size_int_1, 0)\n"
        "_assert_scalar_default = torch.ops.aten._assert_scalar.default(%ge, Runtime assertion failed for expression "
        "u0 >= 0 on node 'ge')\n"
        "le = operator.le(%sym_size_int_1, 6)\n"
        "_assert_scalar_default_1 = torch.ops.aten._assert_scalar.default(%le, Runtime assertion failed for expression "
        "u0 <= 6 on node 'le')\n");
  CHECK(range_constraints_text(lowered) == "{u0: VR[0, 6]}");
}

TEST_CASE("bound sizes make a static program") {
  ProgramBuilder builder;
  SymInt rows = dynamic(builder, "s0", 3, 64);
  Node* x = builder.input("x", {rows, 2 * rows});
  builder.output({builder.call("aten::view", {arg(x), builder.ints({-1})}, "view")});
  LowerOptions options{.sizes = resolve_bindings(builder.program, std::vector<SizeBinding>{{"x.1", 10}})};
  ExportedProgram lowered = lower(builder.program, aten_decompositions(), options);
  CHECK(calls(lowered) == "view = torch.ops.aten.view.default(%x, [-1])\n");
  CHECK(lowered.inputs[0].node->tensor()->sizes[0].identical(5));
  CHECK(lowered.graph->output()->args[0].node->tensor()->sizes[0].identical(50));
  CHECK(range_constraints_text(lowered) == "{}");
}

TEST_CASE("bindings that cannot be are refused with both values") {
  ProgramBuilder builder;
  SymInt rows = dynamic(builder, "s0", 3, 64);
  builder.output({builder.input("x", {rows, 4, 2 * rows, rows * rows})});
  const ExportedProgram& program = builder.program;
  CHECK(binding_refusal(program, {{"s9", 3}}) == "there is no symbol or input 's9': its symbols are s0");
  CHECK(binding_refusal(program, {{"s0", 65}}) == "cannot bind s0 to 65: its range is [2, 64]");
  CHECK(binding_refusal(program, {{"s0", 3}, {"x.0", 4}}) == "s0 is bound to 3 and to 4");
  CHECK(binding_refusal(program, {{"x.1", 5}}) == "cannot bind 'x.1' to 5: it is 4, and static");
  CHECK(binding_refusal(program, {{"x.2", 7}}) == "cannot bind 'x.2' to 7: it is 2*s0");
  CHECK(binding_refusal(program, {{"x.3", 9}}) == "'x.3' is the size s0**2: bind its symbols instead");
  CHECK(binding_refusal(program, {{"x.4", 9}}) == "input 'x' has 4 dimensions: there is no dimension 4");
  CHECK(binding_refusal(program, {{"x.a", 9}}) == "'a' is no dimension of input 'x'");
  CHECK(binding_refusal(program, {{"x", 9}}) == "input 'x' is no number: say which dimension, as in 'x.0'");
}

TEST_CASE("guards of a file are Python's arithmetic on sizes") {
  auto holds = [](std::string_view guard) {
    return guard_holds(guard, [](std::string_view input, size_t dim) -> std::optional<int64_t> {
      if (input == "x" && dim < 2) return dim == 0 ? 7 : 12;
      return input == "d_a_b_0" ? std::optional<int64_t>(4) : std::nullopt;
    });
  };
  CHECK(holds("L['x'].size()[0] == 7") == true);
  CHECK(holds("((1 + L['x'].size()[1]) // 2) != 6") == false);
  CHECK(holds("(-3) + L['x'].size()[0] >= 0") == true);
  CHECK(holds("(L['x'].size()[1] % L['d']['A.b'][0].size()[0]) == 0") == true);
  CHECK(holds("torch.sym_max(1, (-3) + L['x'].size()[0]) < min(4, L['x'].size()[1])") == false);
  CHECK(holds("2 <= L['x'].size()[0] <= 2**3 - 1 and L['x'].size()[0] < 8") == true);
  CHECK(holds("L['y'].size()[0] == 7") == std::nullopt);
  CHECK(holds("L['x'].size()[0] // 0 == 7") == std::nullopt);
  CHECK(holds("hasattr(L['x'], 'grad')") == std::nullopt);
  CHECK(holds("L['x'].size()[0] == 7)") == std::nullopt);
  CHECK(holds("9223372036854775807 + L['x'].size()[0] > 0") == std::nullopt);
  CHECK(holds(std::string(5000, '(')) == std::nullopt);
  CHECK(holds("") == std::nullopt);
}

TEST_CASE("a symbol that no input has, and sizes that do not go together, are refused") {
  ProgramBuilder builder;
  Node* x = builder.input("x", {dynamic(builder, "s0", 3), 4});
  const Expr* stray = size_symbol("s9");
  Node* size = python(builder, "_operator.add", {arg(1), arg(2)}, "add", stray);
  Node* sum = python(builder, "_operator.pow2", {arg(size), arg(2)}, "pow", stray);
  builder.output({builder.call("aten::mul.Tensor", {arg(x), arg(sum)}, "mul")});
  CHECK(refusal(builder.program) ==
        "node 2 'pow' (operator.pow2): rung does not compute _operator.pow2 of symbolic numbers");

  ProgramBuilder unfit;
  Node* a = unfit.input("a", {dynamic(unfit, "s0", 3), 4});
  Node* b = unfit.input("b", {dynamic(unfit, "s1", 5), 4});
  unfit.output({unfit.call("aten::add.Tensor", {arg(a), arg(b)}, "add")});
  CHECK(refusal(unfit.program).find("s0") != std::string::npos);
}

TEST_CASE("ten thousand sizes added up take no stack and no quadratic time") {
  ProgramBuilder builder;
  SymInt rows = dynamic(builder, "s0", 3);
  Node* x = builder.input("x", {rows, 4});
  Node* size = builder.call("aten::sym_size.int", {arg(x), arg(0)}, "sym_size_int");
  size->meta.kind = ValueMeta::Kind::kSymInt;
  size->meta.number = rows;
  SymInt total = rows;
  Node* sum = size;
  for (int i = 1; i <= 10000; ++i) {
    total = total + i;
    sum =
        python(builder, "_operator.add", {arg(sum), arg(i)}, builder.program.arena->copy(cat("add_", i)), total.expr());
  }
  builder.output({builder.call("aten::full", {list_of(builder, {arg(sum)}), arg(1)}, "full")});
  ExportedProgram lowered = lower(builder.program, aten_decompositions());
  CHECK(lowered.graph->output()->args[0].node->tensor()->sizes[0].str() == "s0 + 50005000");
}

TEST_CASE("a size that is a sum of ten thousand symbols, and one that is nested deeply") {
  ProgramBuilder builder;
  std::vector<const Expr*> terms;
  for (int i = 0; i < 10000; ++i) {
    std::string name = cat("s", i);
    builder.program.hints[name] = 2;
    terms.push_back(size_symbol(name));
  }
  Node* x = builder.input("x", {SymInt(make_add(terms)), 4});
  Node* y = builder.call("aten::relu", {arg(x)}, "relu");
  builder.output({builder.call("aten::view", {arg(y), builder.ints({-1, 2})}, "view")});
  CHECK(lower(builder.program, core_aten_decompositions()).graph->size == 4);

  const ExprFunction* floor_div = find_function("FloorDiv");
  const Expr* nested = size_symbol("s0");
  auto nest = [&](uint32_t times) {
    for (uint32_t i = 0; i < times; ++i) {
      const Expr* args[] = {size_symbol("s1"), nested};
      nested = make_function(floor_div, args);
    }
  };
  nest(kMaxExprDepth - 10);
  ProgramBuilder deep;
  deep.program.hints = {{"s0", 7}, {"s1", 9}};
  Node* z = deep.input("z", {SymInt(nested), 4});
  deep.output({deep.call("aten::view", {arg(z), deep.ints({-1})}, "view")});
  CHECK(lower(deep.program, core_aten_decompositions()).graph->size == 3);
  CHECK_THROWS_WITH(nest(20), "a symbolic expression is nested more than 1000 deep");
}

TEST_CASE("what ranges and hints decide") {
  ShapeEnv env;
  ShapeEnvScope scope(env);
  env.add_symbol("s0", {2, 64}, 7);
  SymInt s(size_symbol("s0"));
  CHECK(s > 1);
  CHECK(s != 1);
  CHECK_FALSE(s == 65);
  CHECK(env.guards().empty());
  CHECK(s < 8);
  CHECK(str(env.guards().at(0)) == "s0 < 8");
  CHECK(s == 7);  // a guard, which makes the symbol a number
  CHECK(env.replaced(s.expr())->is_integer(7));

  SymInt number(env.fresh(ShapeEnv::Sort::kInteger, {}));
  CHECK_THROWS_WITH((void)(number < 3), "whether u0 < 3 cannot be decided: the number depends on data");
  SymInt count(env.fresh(ShapeEnv::Sort::kSize, {0, std::nullopt}));
  CHECK_FALSE(count == 1);
  CHECK(count > 1);
}

}  // namespace rung
