// One function, traced three times: as it is, with the core table, and by torch's references.
//
//   ladder [--build 2.2|2.13|2.14]
#include <rung/rung.h>

#include <iostream>
#include <string_view>

using namespace rung;

namespace {

Tensor f(Tensor x) { return nn::functional::gelu(x); }

// Without the empty lines around it.
std::string stripped(std::string code) {
  code.erase(0, code.find_first_not_of('\n'));
  code.erase(code.find_last_not_of(" \n") + 1);
  return code;
}

void print_ladder(Build build) {
  const Input x = fake({3}).named("x");
  const DecompositionTable core = core_aten_decompositions(build);
  std::cout << "aten:\n" << stripped(make_fx(f, {x}, {.build = build}).code()) << '\n';
  std::cout << "core aten:\n" << stripped(make_fx(f, {x}, {.decomposition_table = core}).code()) << '\n';
  std::cout << "prims:\n" << stripped(make_fx(f, {x}, {.refs = true, .build = build}).code()) << '\n';
  std::cout << "core_aten_decompositions entries: " << core.size() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_given = argc == 3 && std::string_view(argv[1]) == "--build";
  const std::optional<Build> build = build_from_name(is_given ? argv[2] : "2.2");
  if ((argc != 1 && !is_given) || !build) {
    std::cerr << "usage: ladder [--build 2.2|2.13|2.14]\n";
    return 64;
  }
  print_ladder(*build);
}
