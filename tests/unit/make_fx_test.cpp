// Functions traced by make_fx: the graphs that torch 2.13 makes of them, and what is refused.
#include <rung/rung.h>

#include <doctest/doctest.h>

namespace rung {
namespace {

namespace F = nn::functional;

// The lines of the code after "def", without those around it.
template <typename Function>
std::string body_of(Function f, const std::vector<Input>& inputs, const MakeFxOptions& options = {}) {
  std::string code = make_fx(f, inputs, options).code();
  code.erase(0, code.find(":\n") + 2);
  code.erase(code.find_last_not_of(' ') + 1);
  return code;
}

template <typename Function>
std::string message_of(Function f, const std::vector<Input>& inputs, const MakeFxOptions& options = {}) {
  try {
    make_fx(f, inputs, options);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kInput);
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

const Input x = fake({2, 3}).named("x");

struct State {
  Tensor hidden, cell;
};

}  // namespace

template <>
struct Fields<State> {
  static auto of(auto& state) { return std::tie(state.hidden, state.cell); }
};

namespace {

TEST_CASE("writes and views are traced as they come, and dead nodes stay") {
  auto f = [](Tensor a) {
    Tensor copy = a.clone();
    copy.view({-1}).add_(1);
    a.sin();
    return copy;
  };
  CHECK(body_of(f, {x}) == R"(    clone = torch.ops.aten.clone.default(x_1)
    view = torch.ops.aten.view.default(clone, [-1])
    add_ = torch.ops.aten.add_.Tensor(view, 1);  view = add_ = None
    sin = torch.ops.aten.sin.default(x_1);  x_1 = sin = None
    return clone
)");
}

TEST_CASE("what was written to goes on under the node of the write") {
  auto f = [](Tensor a) {
    Tensor same = a;
    a.mul_(2);
    return same + 1;
  };
  CHECK(body_of(f, {x}) == R"(    mul_ = torch.ops.aten.mul_.Tensor(x_1, 2);  x_1 = None
    add = torch.ops.aten.add.Tensor(mul_, 1);  mul_ = None
    return add
)");
  auto turned = [](Tensor a) {
    a.t_();
    CHECK(a.size(0) == 3);
    return a;
  };
  CHECK(body_of(turned, {x}) == "    t_ = torch.ops.aten.t_.default(x_1);  x_1 = None\n    return t_\n");
}

TEST_CASE("numbers meet tensors as in Python") {
  CHECK(contains(body_of([](Tensor a) { return 2 * a; }, {x}), "aten.mul.Tensor(x_1, 2)"));
  CHECK(contains(body_of([](Tensor a) { return 2 - a; }, {x}), "aten.rsub.Scalar(x_1, 2)"));
  CHECK(contains(body_of([](Tensor a) { return a > 0.5; }, {x}), "aten.gt.Scalar(x_1, 0.5)"));
  CHECK(contains(body_of([](Tensor a) { return 1 < a; }, {x}), "aten.gt.Scalar(x_1, 1)"));
  CHECK(contains(body_of([](Tensor a) { return a % 2; }, {x}), "aten.remainder.Scalar(x_1, 2)"));
  CHECK(contains(body_of([](Tensor a) { return torch::pow(a, 2); }, {x}), "aten.pow.Tensor_Scalar(x_1, 2)"));
  CHECK(contains(body_of([](Tensor a) { return torch::max(a, a); }, {x}), "aten.maximum.default(x_1, x_1)"));
  CHECK(contains(body_of([](Tensor a) { return std::get<0>(torch::max(a, 1)); }, {x}), "aten.max.dim(x_1, 1)"));
  CHECK(contains(body_of([](Tensor a) { return a.sum({0, 1}); }, {x}), "aten.sum.dim_IntList(x_1, [0, 1])"));
  CHECK(contains(body_of([](Tensor) { return torch::zeros({4}); }, {x}),
                 "aten.zeros.default([4], device = device(type='cpu'), pin_memory = False)"));
}

TEST_CASE("inputs and results are numbers, tuples, lists, dicts and structs") {
  CHECK(body_of([](Tensor a, double k) { return std::tuple(a * k, a); }, {x, 3}) ==
        "    mul = torch.ops.aten.mul.Tensor(x_1, 3.0)\n    return (mul, x_1)\n");
  CHECK(body_of([](Tensor a) { return std::vector<Tensor>{a, a}; }, {x}) == "    return [x_1, x_1]\n");
  auto f = [](std::map<std::string, Tensor> d, std::vector<Tensor> l) {
    return std::map<std::string, Tensor>{{"a", d["p"] + l[0]}};
  };
  const Input one = fake({2, 3});
  CHECK(make_fx(f, {Input::dict({{"p", one}}).named("d"), Input::list({one, one}).named("l")}).code() == R"(


def forward(self, d, l):
    d_1, l_1, l_2, = fx_pytree.tree_flatten_spec([d, l], self._in_spec)
    add = torch.ops.aten.add.Tensor(d_1, l_1);  d_1 = l_1 = None
    return pytree.tree_unflatten([add], self._out_spec)
    )");
  auto step = [](State state) { return State{state.cell, state.hidden}; };
  CHECK(body_of(step, {Input::list({one, one}).named("s")}) ==
        "    s_1, s_2, = fx_pytree.tree_flatten_spec([s], self._in_spec)\n"
        "    return pytree.tree_unflatten([s_2, s_1], self._out_spec)\n");
}

TEST_CASE("tensors from outside become constants of the graph") {
  Tensor c = tensor({1.0f, 2.0f, 3.0f}), d = tensor({4.0f, 5.0f, 6.0f});
  GraphModule module = make_fx([&](Tensor a) { return (a + c) * c + d; }, {x});
  CHECK(module.code() == R"(


def forward(self, x_1):
    _tensor_constant0 = self._tensor_constant0
    add = torch.ops.aten.add.Tensor(x_1, _tensor_constant0);  x_1 = _tensor_constant0 = None
    _tensor_constant0_1 = self._tensor_constant0
    mul = torch.ops.aten.mul.Tensor(add, _tensor_constant0_1);  add = _tensor_constant0_1 = None
    _tensor_constant1 = self._tensor_constant1
    add_1 = torch.ops.aten.add.Tensor(mul, _tensor_constant1);  mul = _tensor_constant1 = None
    return add_1
    )");
  REQUIRE(module.constants().size() == 2);
  CHECK(module.constants()[1].first == "_tensor_constant1");
  CHECK(to_vector<float>(module.constants()[1].second) == std::vector<float>{4, 5, 6});
  auto writes = [&](Tensor a) {
    c.add_(1);
    return a + c;
  };
  CHECK(body_of(writes, {x}) == R"(    _tensor_constant0 = self._tensor_constant0
    add_ = torch.ops.aten.add_.Tensor(_tensor_constant0, 1);  _tensor_constant0 = None
    add = torch.ops.aten.add.Tensor(x_1, add_);  x_1 = add_ = None
    return add
)");
  CHECK(to_vector<float>(c) == std::vector<float>{1, 2, 3});  // only the graph writes
}

TEST_CASE("an input with values is traced by its sizes") {
  const Tensor values = tensor<float>({1, 2, 3, 4, 5, 6}, {2, 3}).t();
  CHECK(body_of([](Tensor a) { return a.reshape({-1}); }, {Input(values).named("x")}) ==
        body_of([](Tensor a) { return a.reshape({-1}); }, {fake({3, 2}).strided({1, 3}).named("x")}));
}

TEST_CASE("tables open, and a user's own decomposition comes first") {
  auto f = [](Tensor a) { return F::silu(a); };
  DecompositionTable core = core_aten_decompositions();
  CHECK(contains(body_of(f, {x}, {.decomposition_table = core}), "sigmoid = torch.ops.aten.sigmoid.default(x_1)"));
  core.register_decomposition("aten.silu", [](Tensor a) { return a / (1 + torch::exp(-a)); });
  CHECK(body_of(f, {x}, {.decomposition_table = core}) == R"(    neg = torch.ops.aten.neg.default(x_1)
    exp = torch.ops.aten.exp.default(neg);  neg = None
    add = torch.ops.aten.add.Tensor(exp, 1);  exp = None
    div = torch.ops.aten.div.Tensor(x_1, add);  x_1 = add = None
    return div
)");
}

TEST_CASE("references take apart what has one, and nothing inside of what has none") {
  auto gelu = [](Tensor a) { return F::gelu(a); };
  CHECK(contains(body_of(gelu, {x}, {.refs = true}), "erf = torch.ops.prims.erf.default(mul_1)"));
  CHECK(body_of([](Tensor a) { return F::silu(a); }, {x}, {.refs = true}) ==
        "    silu = torch.ops.aten.silu.default(x_1);  x_1 = None\n    return silu\n");
  auto linear = [](Tensor a, Tensor w) { return F::linear(a, w); };
  CHECK(contains(body_of(linear, {x, fake({4, 3})}, {.refs = true}), "aten.t.default"));
}

struct Counter : Mode {
  std::vector<std::string> seen;
  Argument on_call(const OpCall& call) override {
    seen.emplace_back(call.name());
    return call.pass_on();
  }
};

TEST_CASE("a mode sees each call, may answer it, and is off while it does") {
  Counter counter;
  struct Doubler : Mode {
    Argument on_call(const OpCall& call) override {
      if (call.name() != "aten::relu") return call.pass_on();
      return (Tensor(call.arg("self")) * 2).argument();
    }
  } doubler;
  auto f = [](Tensor a, Tensor w) { return F::relu(F::linear(a, w)); };
  std::string code;
  {
    ModeScope outer(counter);
    ModeScope inner(doubler);
    code = body_of(f, {x, fake({4, 3})});
  }
  CHECK(contains(code, "mul = torch.ops.aten.mul.Tensor(mm, 2)"));
  CHECK(counter.seen == std::vector<std::string>{"aten::t", "aten::mm", "aten::mul.Tensor"});
}

TEST_CASE("a tensor of another trace is refused before it is looked at") {
  Tensor kept;
  auto keep = [&](Tensor a) {
    kept = a;
    return a;
  };
  auto use = [&](Tensor a) { return a + kept; };
  auto look = [&](Tensor a) { return a * Tensor(Scalar(kept.size(0))); };
  make_fx(keep, {x});
  CHECK(contains(message_of(use, {x}), "a tensor of another trace was used"));
  CHECK(contains(message_of(look, {x}), "a tensor of another trace was looked at"));
  CHECK_THROWS_AS(kept.sizes(), Error);
  auto mixed = [&](Tensor a) {
    make_fx([&](Tensor b) { return a + b; }, {x});
    return a;
  };
  CHECK(contains(message_of(mixed, {x}), "a tensor of another trace was used"));
  auto returned = [&](Tensor) { return kept; };
  CHECK(contains(message_of(returned, {x}), "a tensor of another trace was used"));
}

TEST_CASE("what depends on data is refused") {
  auto branch = [](Tensor a) { return a.sum() > 0 ? a : -a; };
  CHECK(contains(message_of(branch, {x}), "keep the choice in the graph with torch::where"));
  auto item = [](Tensor a) {
    aten::item(a);
    return a;
  };
  CHECK(contains(message_of(item, {x}), "aten::_local_scalar_dense asks for the value of a tensor"));
}

TEST_CASE("wrong types and shapes are refused in torch's words") {
  auto add_in_place = [](Tensor a, Tensor b) { return a.add_(b); };
  CHECK(contains(message_of(add_in_place, {fake({3}, DType::kInt64), fake({3})}),
                 "result type float32 can't be cast to the desired output type int64"));
  CHECK(contains(message_of(add_in_place, {fake({3}), x}),
                 "output with shape [3] doesn't match the broadcast shape [2, 3]"));
  CHECK(contains(message_of([](Tensor a, Tensor b) { return a.mm(b); }, {x, x}), "mm"));
  CHECK(contains(message_of([](Tensor a) { return a; }, {}), "the function takes 1 arguments, got 0 inputs"));
  CHECK(contains(message_of([](std::vector<Tensor> a) { return a[0]; }, {x}),
                 "a parameter of the function is a list, and was given a tensor"));
  CHECK_THROWS_AS(fake({-1}), Error);
}

TEST_CASE("a number stands for a list of sizes, of as many as the operator takes") {
  const Input picture = fake({1, 2, 6, 6});
  auto numbers = [](Tensor a) { return torch::max_pool2d(a, 2, 2, 1); };
  auto lists = [](Tensor a) { return F::max_pool2d(a, {2, 2}, {2, 2}, {1, 1}); };
  CHECK(body_of(numbers, {picture}) == body_of(lists, {picture}));
  CHECK(contains(body_of(numbers, {picture}), "max_pool2d_with_indices.default(arg0_1, [2, 2], [2, 2], [1, 1])"));
  CHECK(contains(body_of([](Tensor a) { return F::unfold(a, 3); }, {picture}), "[3, 3], [1, 1], [0, 0], [1, 1]"));
  CHECK(contains(body_of([](Tensor a) { return std::get<0>(torch::sort(a, -1, true)); }, {picture}),
                 "sort.default(arg0_1, -1, True)"));
}

TEST_CASE("functions that torch writes in Python refuse what it refuses") {
  const Input picture = fake({1, 2, 6, 6});
  auto bad_mode = [](Tensor a) { return F::interpolate(a, 3, std::nullopt, "cubic"); };
  CHECK(contains(message_of(bad_mode, {picture}), "interpolate has no mode 'cubic'"));
  auto bad_rank = [](Tensor a) { return F::interpolate(a, 3, std::nullopt, "linear"); };
  CHECK(contains(message_of(bad_rank, {picture}), "got an input of rank 4, but mode 'linear' needs rank 3"));
  auto both = [](Tensor a) { return F::interpolate(a, 3, 2.0); };
  CHECK(contains(message_of(both, {picture}), "only one of size or scale_factor should be given"));
  auto too_large = [](Tensor a, Tensor places) { return F::max_unpool2d(a, places, 2, 2, 0, {1, 2, 20, 12}); };
  CHECK(contains(message_of(too_large, {picture, fake({1, 2, 6, 6}, DType::kInt64)}),
                 "invalid output_size [20, 12]: dimension 0 must be between 10 and 14"));
  auto by_values = [](Tensor a) { return F::gaussian_nll_loss(a, a, a); };
  CHECK(contains(message_of(by_values, {picture}), "asks for the values of var"));
  auto bad_reduction = [](Tensor a) { return F::soft_margin_loss(a, a, "average"); };
  CHECK(contains(message_of(bad_reduction, {picture}), "'average' is not a valid value for reduction"));
}

TEST_CASE("losses broadcast before they compare") {
  auto loss = [](Tensor a, Tensor b) { return F::mse_loss(a, b, "sum"); };
  CHECK(body_of(loss, {x, fake({3}).named("y")}) ==
        R"(    expand = torch.ops.aten.expand.default(y_1, [2, 3]);  y_1 = None
    mse_loss = torch.ops.aten.mse_loss.default(x_1, expand, 2);  x_1 = expand = None
    return mse_loss
)");
}

TEST_CASE("a decomposition of another signature, or that calls itself, is refused") {
  DecompositionTable table;
  std::string message;
  try {
    table.register_decomposition("aten.silu", [](Tensor a, double) { return a; });
  } catch (const Error& error) {
    message = error.what();
  }
  CHECK(contains(message, "the schema is aten::silu(Tensor self) -> Tensor"));
  CHECK(contains(message, "the function takes (Tensor, float)"));
  table.register_decomposition("aten.silu", [](Tensor a) { return F::silu(a); });
  CHECK(contains(message_of([](Tensor a) { return F::silu(a); }, {x}, {.decomposition_table = table}),
                 "the decomposition of aten::silu calls aten::silu itself"));
  const MakeFxOptions two_builds{.decomposition_table = core_aten_decompositions(), .build = Build::k2_2};
  CHECK(contains(message_of([](Tensor a) { return a; }, {x}, two_builds), "make the table for the same build"));
}

TEST_CASE("torch 2.2 leaves values alone that are never used") {
  auto f = [](Tensor a) { return std::get<0>(torch::max(a, 1)); };
  CHECK(contains(body_of(f, {x}), "getitem_1 = max_1[1];  max_1 = getitem_1 = None"));
  CHECK(contains(body_of(f, {x}, {.build = Build::k2_2}), "getitem_1 = max_1[1];  max_1 = None"));
}

}  // namespace
}  // namespace rung
