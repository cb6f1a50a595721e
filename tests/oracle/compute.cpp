// Computes a .pt2 with rung's kernels: compute FILE.pt2 IN.safetensors OUT.safetensors. Inputs are in the order of the
// file; results that are tensors are called out0, out1, ...
#include <iostream>

#include "base/error.h"
#include "export/load.h"
#include "interp/run.h"
#include "nn/safetensors.h"
#include "ops/gen/aten.h"

using namespace rung;

static void compute(const std::string& program, const std::string& inputs, const std::string& outputs) {
  std::vector<Tensor> given;
  for (auto& [name, tensor] : nn::load_safetensors(inputs)) given.push_back(aten::clone(tensor));
  nn::StateDict results;
  for (const interp::Value& result : interp::run(load(program), {given.begin(), given.end()}).outputs)
    if (result.tensor.is_real()) results.emplace_back(cat("out", results.size()), result.tensor);
  nn::save_safetensors(results, outputs);
}

// Any number of triples: a failing one is reported, and the next goes on.
int main(int argc, char** argv) {
  for (int i = 1; i + 2 < argc; i += 3) {
    try {
      compute(argv[i], argv[i + 1], argv[i + 2]);
    } catch (const std::exception& error) {
      std::cout << argv[i] << ": " << error.what() << '\n';
    }
  }
}
