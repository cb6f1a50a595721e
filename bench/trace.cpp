// Time of make_fx on a function of many calls. One line of JSON:
//   {"calls": 10000, "nodes": 10002, "seconds": 1e-3, "core_seconds": 2e-3}
// "core_seconds": with the table of core ATen. Of the CPU, in the median of several runs.
// Usage: rung_bench_trace CALLS    a multiple of 4
#include <cstdlib>

#include <rung/rung.h>

#include "bench/measure.h"

using namespace rung;

static double traced_seconds(const auto& function, const MakeFxOptions& options, size_t& nodes) {
  std::vector<double> times;
  auto start = bench::Clock::now();
  while (times.size() < 7 || bench::seconds_since(start) < 1.0) {
    double begin = bench::cpu_seconds();
    nodes = make_fx(function, {fake({4, 8})}, options).node_count();
    times.push_back(bench::cpu_seconds() - begin);
  }
  return bench::median(times);
}

int main(int argc, char** argv) {
  size_t calls = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (calls == 0 || calls % 4 != 0) {
    std::fputs("usage: rung_bench_trace CALLS\n", stderr);
    return 64;
  }
  auto function = [&](Tensor x) {
    for (size_t i = 0; i < calls / 4; ++i) {
      Tensor y = nn::functional::silu(x);
      x = y * x;
      x = x + 1;
      x = torch::sin(x);
    }
    return x;
  };
  size_t nodes = 0;
  double core = traced_seconds(function, {.decomposition_table = core_aten_decompositions()}, nodes);
  double seconds = traced_seconds(function, {}, nodes);
  std::printf("{\"calls\": %zu, \"nodes\": %zu, \"seconds\": %.9f, \"core_seconds\": %.9f}\n", calls, nodes, seconds,
              core);
}
