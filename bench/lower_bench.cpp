// How long lowering to core takes in process: each program is loaded once and lowered again and again.
// Usage: rung_bench_lower FILE.pt2... [--benchmark_format=json] ...
#include <benchmark/benchmark.h>

#include "base/error.h"
#include "export/load.h"
#include "pass/lower.h"

namespace {

void lower_to_core(benchmark::State& state, const std::string& path) {
  try {
    rung::ExportedProgram program = rung::load(path);
    rung::DecompositionTable table = rung::core_aten_decompositions();
    size_t nodes = 0;
    for (auto _ : state) nodes = rung::lower(program, table).graph->size;
    state.counters["nodes_in"] = static_cast<double>(program.graph->size);
    state.counters["nodes_out"] = static_cast<double>(nodes);
  } catch (const rung::Error& error) {
    state.SkipWithError(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i)
    benchmark::RegisterBenchmark(argv[i], lower_to_core, std::string(argv[i]))->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
}
