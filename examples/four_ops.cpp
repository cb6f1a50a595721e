// Five functions of a network on three rungs: what the core set keeps, what it opens, and what has a reference.
//
//   four_ops [--build 2.2|2.13|2.14]
#include <rung/rung.h>

#include <iostream>
#include <string_view>

using namespace rung;
namespace F = rung::nn::functional;

namespace {

// Without the empty lines around it.
std::string stripped(std::string code) {
  code.erase(0, code.find_first_not_of('\n'));
  code.erase(code.find_last_not_of(" \n") + 1);
  return code;
}

template <typename Function>
void print_ladder(std::string_view name, Function f, const std::vector<Input>& inputs, Build build) {
  const DecompositionTable core = core_aten_decompositions(build);
  std::cout << "== " << name << '\n';
  std::cout << "aten:\n" << stripped(make_fx(f, inputs, {.build = build}).code()) << '\n';
  std::cout << "core aten:\n" << stripped(make_fx(f, inputs, {.decomposition_table = core}).code()) << '\n';
  std::cout << "prims:\n" << stripped(make_fx(f, inputs, {.refs = true, .build = build}).code()) << '\n';
}

void print_all(Build build) {
  const Input x = fake({2, 3}).named("x");
  print_ladder("silu", [](Tensor a) { return F::silu(a); }, {x}, build);
  print_ladder("hardswish", [](Tensor a) { return F::hardswish(a); }, {x}, build);
  print_ladder("softmax", [](Tensor a) { return F::softmax(a, -1); }, {x}, build);
  print_ladder("layer_norm", [](Tensor a) { return F::layer_norm(a, {3}); }, {x}, build);
  print_ladder(
      "linear", [](Tensor a, Tensor w, Tensor b) { return F::linear(a, w, b); },
      {x, fake({4, 3}).named("w"), fake({4}).named("b")}, build);
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_given = argc == 3 && std::string_view(argv[1]) == "--build";
  const std::optional<Build> build = build_from_name(is_given ? argv[2] : "2.2");
  if ((argc != 1 && !is_given) || !build) {
    std::cerr << "usage: four_ops [--build 2.2|2.13|2.14]\n";
    return 64;
  }
  print_all(*build);
}
