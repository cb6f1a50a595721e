// One export for two back ends: the set of operators is chosen for each compilation. docs/two-back-ends.md
//
//   two_back_ends MODEL.pt2 SET...     a SET: one that ships with rung, or a file.json
#include <rung/rung.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string_view>

using namespace rung;

namespace {

size_t calls_of(std::string_view op, const ExportedProgram& program) {
  const std::string code = program.code(), call = "torch.ops." + std::string(op);
  size_t calls = 0;
  for (size_t at = code.find(call); at != code.npos; at = code.find(call, at + 1)) ++calls;
  return calls;
}

float largest_difference(const Tensor& a, const Tensor& b) {
  const std::vector<float> left = to_vector<float>(a), right = to_vector<float>(b);
  float largest = 0;
  for (size_t i = 0; i < left.size(); ++i) largest = std::max(largest, std::abs(left[i] - right[i]));
  return largest;
}

void compile(const ExportedProgram& program, const OpSet& set) {
  const ExportedProgram lowered = lower(program, set);  // or an Error that names what the set lacks
  std::cout << set.name() << ": " << lowered.node_count() << " nodes, "
            << calls_of("aten.scaled_dot_product_attention", lowered) << " of attention; ";

  const std::vector<Tensor> image{torch::randn({5, 3, 16, 16})};  // exported with a batch of 2, which is dynamic
  const Tensor expected = run(program, image).outputs[0], computed = run(lowered, image).outputs[0];
  std::cout << (largest_difference(expected, computed) < 1e-6F ? "the same values" : "OTHER VALUES") << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: two_back_ends MODEL.pt2 SET...\n";
    return 64;
  }
  const ExportedProgram program = load(argv[1]);
  manual_seed(0);
  for (int i = 2; i < argc; ++i) compile(program, OpSet::named(argv[i]));
  return 0;
} catch (const Error& error) {
  std::cerr << "two_back_ends: " << error.what() << '\n';
  return error.kind() == ErrorKind::kUnsupported ? 2 : 1;
}
