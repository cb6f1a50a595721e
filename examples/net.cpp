// The network of the lesson, without Python: made, run, exported and lowered in C++.
//
//   net                      prints the program that torch.export makes of it, and that program lowered to core ATen
//   net --build 2.2          as torch 2.2 printed them
//   net --values             prints its weights, an input, and what it makes of it
//   net --save FILE.pt2      writes the program to a file that torch.export.load reads
#include <rung/rung.h>

#include <cstdio>
#include <cstring>
#include <iostream>

using namespace rung;

struct Net : nn::Module {
  nn::Linear fc{3, 4};

  Net() { register_module("fc", fc); }
  Tensor forward(Tensor x) { return nn::functional::silu(fc(x)); }
};

static void print_values(const char* name, const Tensor& tensor) {
  std::printf("%s [", name);
  const char* separator = "";
  for (float value : to_vector<float>(tensor)) {
    std::printf("%s'%.13a'", separator, static_cast<double>(value));  // as Python's float.hex()
    separator = ", ";
  }
  std::printf("]\n");
}

static void print_net(Net& net) {
  print_values("fc.weight", net.fc.weight);
  print_values("fc.bias", net.fc.bias);
  manual_seed(1);
  Tensor x = torch::randn({2, 3});
  print_values("x (manual_seed(1), randn(2, 3))", x);
  print_values("net(x)", net.forward(x));
}

int main(int argc, char** argv) try {
  ExportOptions options;
  const char* path = nullptr;
  bool wants_values = false;
  for (int i = 1; i < argc; ++i) {
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (std::strcmp(argv[i], "--values") == 0) {
      wants_values = true;
    } else if (std::strcmp(argv[i], "--save") == 0 && *value != 0) {
      path = argv[++i];
    } else if (std::strcmp(argv[i], "--build") == 0 && build_from_name(value)) {
      options.build = *build_from_name(argv[++i]);
    } else {
      std::cerr << "usage: net [--build 2.2|2.13|2.14] [--values] [--save FILE.pt2]\n";
      return 64;
    }
  }

  manual_seed(0);
  Net net;
  if (wants_values) {
    print_net(net);
    return 0;
  }
  ExportedProgram program = export_program(net, {torch::randn({2, 3})}, options);
  if (path != nullptr) {
    save(program, path);
    return 0;
  }
  std::cout << program.graph_text() << '\n';
  std::cout << program.run_decompositions(core_aten_decompositions(options.build)).graph_text() << '\n';
  return 0;
} catch (const Error& error) {
  std::cerr << "net: " << error.what() << '\n';
  return 1;
}
