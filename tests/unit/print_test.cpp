// Printing of graphs: arguments of every kind, deletions, types, sub-graphs, names that shadow Python.
// The expectations were printed by torch 2.13.
#include "ir/print.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>

#include "base/error.h"
#include "shape/expr.h"

using namespace rung;

namespace {

// Builds small graphs in an arena of its own.
struct Builder {
  Arena arena;
  Graph graph{arena};

  Arguments keep(std::initializer_list<Argument> items) {
    return arena.copy(std::span<const Argument>(items.begin(), items.size()));
  }
  Argument list(std::initializer_list<Argument> items) { return Argument::list(keep(items)); }

  Node* input(std::string_view name, DType dtype = DType::kFloat32, std::vector<SymInt> sizes = {2, 3}) {
    Node* node = graph.append(NodeKind::kPlaceholder, name);
    node->target = name;
    node->meta = tensor(dtype, sizes);
    return node;
  }
  ValueMeta tensor(DType dtype, const std::vector<SymInt>& sizes) {
    TensorMeta meta;
    meta.dtype = dtype;
    meta.sizes = arena.copy(sizes);
    return ValueMeta::of(arena.make<TensorMeta>(meta));
  }
  Node* call(std::string_view name, std::string_view op, std::initializer_list<Argument> args) {
    Node* node = graph.append(NodeKind::kCall, name);
    node->callee = Callee::kOp;
    node->op = find_op(op);
    REQUIRE(node->op != kNoOp);
    node->args = keep(args);
    return node;
  }
  Node* foreign(std::string_view name, Callee callee, std::string_view target, std::initializer_list<Argument> args) {
    Node* node = graph.append(NodeKind::kCall, name);
    node->callee = callee;
    node->target = target;
    node->args = keep(args);
    return node;
  }
  Node* item(std::string_view name, Node* source, int64_t index) {
    return foreign(name, Callee::kGetItem, {}, {Argument::of(source), Argument::of(index)});
  }
  void keywords(Node* node, std::initializer_list<NamedArgument> entries) {
    node->kwargs = arena.copy(std::span<const NamedArgument>(entries.begin(), entries.size()));
  }
  void output(std::initializer_list<Argument> values) {
    graph.append(NodeKind::kOutput, "output")->args = keep(values);
  }
};

// A function, because GCC 12 misreads raw texts inside the arguments of a macro.
void check_same(const std::string& got, std::string_view wanted) { CHECK(got == wanted); }

Argument of(Node* node) { return Argument::of(node); }
Argument number(int value) { return Argument::of(int64_t{value}); }

SymInt s0() { return SymInt(make_symbol("s0", "positive=True, integer=True")); }

}  // namespace

TEST_CASE("an empty graph") {
  Builder b;
  CHECK(graph_text(b.graph) == "graph():");
  CHECK(code_text(b.graph) == "\n\n\ndef forward(self):\n    pass\n    ");
  b.output({});
  CHECK(graph_text(b.graph) == "graph():\n    return ()");
  CHECK(code_text(b.graph) == "\n\n\ndef forward(self):\n    return ()\n    ");
  CHECK(readable_text(b.graph) == "class GraphModule(torch.nn.Module):\n    def forward(self):\n        return ()\n");
}

TEST_CASE("a line a node, and values deleted after their last use") {
  Builder b;
  Node* x = b.input("x");
  Node* y = b.input("y");
  Node* add = b.call("add", "aten::add.Tensor", {of(x), of(y)});
  b.call("relu", "aten::relu", {of(add)});
  Node* mul = b.call("mul", "aten::mul.Tensor", {of(add), of(x)});
  b.output({of(mul)});
  check_same(graph_text(b.graph), R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %y : [num_users=1] = placeholder[target=y]
    %add : [num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, %y), kwargs = {})
    %relu : [num_users=0] = call_function[target=torch.ops.aten.relu.default](args = (%add,), kwargs = {})
    %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%add, %x), kwargs = {})
    return (mul,))");
  check_same(code_text(b.graph), R"(


def forward(self, x, y):
    add = torch.ops.aten.add.Tensor(x, y);  y = None
    relu = torch.ops.aten.relu.default(add);  relu = None
    mul = torch.ops.aten.mul.Tensor(add, x);  add = x = None
    return (mul,)
    )");
}

TEST_CASE("a node that is used twice by one user counts once and dies once") {
  Builder b;
  Node* x = b.input("x");
  Node* mul = b.call("mul", "aten::mul.Tensor", {of(x), of(x)});
  b.output({of(mul)});
  CHECK(graph_text(b.graph).find("%x : [num_users=1]") != std::string::npos);
  CHECK(code_text(b.graph).find("mul = torch.ops.aten.mul.Tensor(x, x);  x = None\n") != std::string::npos);
}

TEST_CASE("arguments of every kind") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Builder b;
  Node* x = b.input("x");
  ComplexNumber complex{1, 2};
  Device cpu, cuda{"cuda", 1};
  NamedArgument entries[] = {{"k", Argument::of(1.5)}, {"n", of(x)}};
  Node* call = b.call("full", "aten::full",
                      {b.list({number(2), Argument::none(), of(x)}), Argument::of(kInfinity), Argument::string("it's"),
                       Argument::of(&complex), Argument::of(true), Argument::dict(entries), Argument::of(s0())});
  b.keywords(call, {{"dtype", Argument::of(DType::kFloat64)},
                    {"layout", Argument::of(Layout::kStrided)},
                    {"device", Argument::of(&cpu)},
                    {"other", Argument::of(&cuda)},
                    {"memory_format", Argument::of(MemoryFormat::kPreserve)},
                    {"op", Argument::object("torch.ops.aten.sin.default")}});
  b.output({of(call), Argument::none(), number(3), Argument::of(2.5), Argument::string("a'b"), Argument::of(&cuda)});
  CHECK(graph_text(b.graph) ==
        "graph():\n"
        "    %x : [num_users=1] = placeholder[target=x]\n"
        "    %full : [num_users=1] = call_function[target=torch.ops.aten.full.default](args = ([2, None, "
        "%x], inf, it's, "
        "(1+2j), True, {k: 1.5, n: %x}, s0), kwargs = {dtype: torch.float64, layout: torch.strided, device: "
        "cpu, "
        "other: cuda:1, memory_format: torch.preserve_format, op: aten.sin.default})\n"
        "    return (full, None, 3, 2.5, \"a'b\", device(type='cuda', index=1))");
  CHECK(code_text(b.graph) ==
        "\n\n\ndef forward(self, x):\n"
        "    full = torch.ops.aten.full.default([2, None, x], inf, \"it's\", (1+2j), True, {'k': 1.5, 'n': "
        "x}, s0, "
        "dtype = torch.float64, layout = torch.strided, device = device(type='cpu'), other = "
        "device(type='cuda', "
        "index=1), memory_format = torch.preserve_format, op = torch.ops.aten.sin.default);  x = None\n"
        "    return (full, None, 3, 2.5, \"a'b\", device(type='cuda', index=1))\n    ");
}

TEST_CASE("functions of Python print as operators, or as what stands for them in the code") {
  Builder b;
  Node* x = b.input("x");
  Node* size = b.call("sym_size_int", "aten::sym_size.int", {of(x), number(0)});
  Node* half = b.foreign("floordiv", Callee::kPython, "_operator.floordiv", {of(size), number(2)});
  Node* negative = b.foreign("neg", Callee::kPython, "_operator.neg", {of(half)});
  Node* whole = b.foreign("trunc", Callee::kPython, "math.trunc", {of(negative)});
  Node* larger = b.foreign("sym_max", Callee::kPython, "torch.sym_max", {of(whole), of(size)});
  Node* rounded = b.foreign("round_1", Callee::kPython, "builtins.round", {of(larger)});
  Node* custom = b.foreign("my", Callee::kCustom, "lib::my.default", {of(rounded)});
  Node* first = b.item("getitem", custom, 0);
  b.output({of(first)});
  check_same(code_text(b.graph), R"(


def forward(self, x):
    sym_size_int = torch.ops.aten.sym_size.int(x, 0);  x = None
    floordiv = sym_size_int // 2
    neg = -floordiv;  floordiv = None
    trunc = math_trunc(neg);  neg = None
    sym_max = torch.sym_max(trunc, sym_size_int);  trunc = sym_size_int = None
    round_1 = round(sym_max);  sym_max = None
    my = torch.ops.lib.my.default(round_1);  round_1 = None
    getitem = my[0];  my = None
    return (getitem,)
    )");
  std::string text = graph_text(b.graph);
  for (const char* target : {"operator.floordiv", "operator.neg", "math.trunc", "torch.sym_max", "builtins.round",
                             "torch.ops.lib.my.default", "operator.getitem"})
    CHECK(text.find(cat("[target=", target, "]")) != std::string::npos);
}

TEST_CASE("names that shadow Python are changed in code, and push later names on") {
  Builder b;
  Node* sum = b.input("sum");
  Node* input = b.input("input");
  Node* sum_1 = b.call("sum_1", "aten::sum", {of(sum)});
  Node* add = b.call("add", "aten::add.Tensor", {of(sum_1), of(input)});
  b.output({of(add)});
  check_same(code_text(b.graph), R"(


def forward(self, sum, input):
    sum_1 = sum
    input_1 = input
    sum_2 = torch.ops.aten.sum.default(sum_1);  sum_1 = None
    add = torch.ops.aten.add.Tensor(sum_2, input_1);  sum_2 = input_1 = None
    return (add,)
    )");
  CHECK(graph_text(b.graph).find("%add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = "
                                 "(%sum_1, %input)") != std::string::npos);
}

TEST_CASE("attributes that are no identifiers, defaults, and a bare return") {
  Builder b;
  Node* x = b.input("x_1");
  x->target = "x";
  Node* y = b.input("y");
  y->args = b.keep({number(3)});
  Node* weight = b.graph.append(NodeKind::kGetAttr, "weight");
  weight->target = "sub.mod.0.weight";
  Node* mul = b.call("mul", "aten::mul.Tensor", {of(x), of(weight)});
  b.output({of(mul)});
  b.graph.is_single_tensor_return = true;
  check_same(code_text(b.graph), R"(


def forward(self, x, y = 3):
    x_1 = x
    weight = getattr(self.sub.mod, "0").weight
    mul = torch.ops.aten.mul.Tensor(x_1, weight);  x_1 = weight = None
    return mul
    )");
  check_same(graph_text(b.graph), R"(graph():
    %x_1 : [num_users=1] = placeholder[target=x]
    %y : [num_users=0] = placeholder[target=y](default=3)
    %weight : [num_users=1] = get_attr[target=sub.mod.0.weight]
    %mul : [num_users=1] = call_function[target=torch.ops.aten.mul.Tensor](args = (%x_1, %weight), kwargs = {})
    return mul)");
}

TEST_CASE("readable code has types, and the source line wherever it changes") {
  auto document = json::Document::parse(R"({
      "one": {"stack_trace": "  File \"a.py\", line 3, in forward\n    y = f(x)\n  File \"b \", line 2, in x.py\", line 7, in f\n    return x + 1  "},
      "two": {"stack_trace": "no frame here"},
      "three": {"custom": "{\"k\": [1, 2.0, true, null], \"long\": \"0123456789012345678901234567890123456789x\"}"}})");
  Builder b;
  Node* x = b.input("x", DType::kBFloat16, {s0(), 3});
  Node* n = b.graph.append(NodeKind::kPlaceholder, "n");
  n->target = "n";
  Node* size = b.call("sym_size_int", "aten::sym_size.int", {of(x), number(0)});
  size->meta.kind = ValueMeta::Kind::kSymInt;
  size->meta.number = s0();
  Node* sum = b.call("sum_1", "aten::sum", {of(x)});
  sum->meta = b.tensor(DType::kFloat32, {});
  sum->metadata = document->root().at("one");
  Node* top = b.call("topk", "aten::topk", {of(x), number(2)});
  top->metadata = document->root().at("one");
  Node* sin = b.call("sin", "aten::sin", {of(sum)});
  sin->metadata = document->root().at("two");
  Node* cos = b.call("cos", "aten::cos", {of(sum)});
  cos->metadata = document->root().at("three");
  b.output({of(size), of(top), of(sin), of(cos)});
  check_same(readable_text(b.graph), R"py(class GraphModule(torch.nn.Module):
    def forward(self, x: "bf16[s0, 3]", n):
        # No stacktrace found for following nodes
        sym_size_int: "Sym(s0)" = torch.ops.aten.sym_size.int(x, 0)

        # File: b ", line 2, in x.py:7 in f, code: return x + 1
        sum_1: "f32[]" = torch.ops.aten.sum.default(x)
        topk = torch.ops.aten.topk.default(x, 2);  x = None

        # No stacktrace found for following nodes
        sin = torch.ops.aten.sin.default(sum_1)

        # Annotation: {'k': [1, 2.0, True, None], 'long': '0123456789012345678901234567890123456789...'} No stacktrace found for following nodes
        cos = torch.ops.aten.cos.default(sum_1);  sum_1 = None
        return (sym_size_int, topk, sin, cos)
)py");
}

TEST_CASE("sub-graphs are nested classes, indented once a level") {
  Builder b;
  Node* x = b.input("x");
  Graph* inner = b.arena.make<Graph>(b.arena);
  inner->name = "true_graph_0";
  Node* argument = inner->append(NodeKind::kPlaceholder, "x");
  argument->target = "x";
  inner->append(NodeKind::kOutput, "output")->args = b.keep({of(argument)});
  Node* attribute = b.graph.append(NodeKind::kGetAttr, "true_graph_0");
  attribute->target = "true_graph_0";
  attribute->args = b.keep({Argument::of(inner)});
  Node* cond = b.foreign("cond", Callee::kHigherOrder, "cond", {of(x), of(attribute), b.list({of(x)})});
  b.output({of(cond)});
  check_same(graph_text(b.graph), R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %true_graph_0 : [num_users=1] = get_attr[target=true_graph_0]
    %cond : [num_users=1] = call_function[target=torch.ops.higher_order.cond](args = (%x, %true_graph_0, [%x]), kwargs = {})
    return (cond,))");
  check_same(readable_text(b.graph), R"(class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 3]"):
        # No stacktrace found for following nodes
        true_graph_0 = self.true_graph_0
        cond = torch.ops.higher_order.cond(x, true_graph_0, [x]);  x = true_graph_0 = None
        return (cond,)

    class true_graph_0(torch.nn.Module):
        def forward(self, x):
            return (x,)
)");
}

TEST_CASE("signatures say what each value is for") {
  ExportedProgram program;
  program.graph = std::make_unique<Graph>(*program.arena);
  auto input = [&](std::string_view name, InputKind kind, std::string_view target) {
    InputSpec spec;
    spec.kind = kind;
    spec.node = program.graph->append(NodeKind::kPlaceholder, name);
    spec.target = target;
    program.inputs.push_back(spec);
    return spec.node;
  };
  input("p_fc_weight", InputKind::kParameter, "fc.weight");
  input("b_b", InputKind::kBuffer, "b");
  program.inputs.back().persistent = false;
  Node* x = input("x", InputKind::kUserInput, {});
  program.outputs.push_back({OutputKind::kBufferMutation, Argument::of(x), "b"});
  program.outputs.push_back({OutputKind::kUserOutput, Argument::of(int64_t{3}), {}});
  check_same(signature_text(program), R"(
# inputs
p_fc_weight: PARAMETER target='fc.weight'
b_b: BUFFER target='b' persistent=False
x: USER_INPUT

# outputs
x: BUFFER_MUTATION target='b'
: USER_OUTPUT
)");
  CHECK(signature_text(ExportedProgram()) == "\n# inputs\n\n\n# outputs\n\n");
}

TEST_CASE("printing takes time in proportion to the graph") {
  Builder b;
  Node* last = b.input("x");
  std::vector<std::string> names;
  names.reserve(200000);
  for (int i = 0; i < 200000; ++i) {
    names.push_back(cat("add_", i));
    last = b.call(names.back(), "aten::add.Tensor", {of(last), of(last)});
  }
  b.output({of(last)});
  CHECK(graph_text(b.graph).size() > 200000 * 60);
  CHECK(code_text(b.graph).size() > 200000 * 40);
  CHECK(readable_text(b.graph).size() > 200000 * 40);
}
