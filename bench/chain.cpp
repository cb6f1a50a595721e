// Time and memory of lowering a chain of n blocks (Linear, SiLU, LayerNorm). One line of JSON:
//   {"blocks": 10, "nodes_in": 73, "nodes_out": 194, "seconds": 1e-4, "first_seconds": 2e-4, "kib": 120}
// "seconds": of the CPU, in the median of several runs; "first_seconds": of the first one, which gets its memory from
// the system; "kib": resident memory that lowering added at its peak.
// Usage: rung_bench_chain BLOCKS [RUNS]    without RUNS: as many as fit into a second, at least seven
#include <malloc.h>

#include <cstdlib>
#include <limits>

#include "bench/measure.h"
#include "pass/lower.h"
#include "unit/chain.h"

using namespace rung;

// Memory that is free goes back to the system, and the peak begins anew.
static long reset_peak_kib() {
  malloc_trim(0);
  if (std::FILE* file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
  return bench::status_kib("VmHWM");
}

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fputs("usage: rung_bench_chain BLOCKS [RUNS]\n", stderr);
    return 64;
  }
  // What a run has freed stays with the process, as where one program is lowered after another: else each run of a
  // large chain would measure how fast the system clears pages.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  size_t blocks = std::strtoul(argv[1], nullptr, 10);
  ExportedProgram program = chain_program(blocks);
  DecompositionTable table = core_aten_decompositions();
  long before = reset_peak_kib();
  double first = bench::cpu_seconds();
  size_t nodes = lower(program, table).graph->size;
  first = bench::cpu_seconds() - first;
  long kib = bench::status_kib("VmHWM") - before;
  size_t runs = argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 0;
  std::vector<double> times;
  auto start = bench::Clock::now();
  while (times.size() < std::max<size_t>(runs, 1) ||
         (runs == 0 && (times.size() < 7 || bench::seconds_since(start) < 1.0))) {
    double begin = bench::cpu_seconds();
    lower(program, table);
    times.push_back(bench::cpu_seconds() - begin);
  }
  std::printf(
      "{\"blocks\": %zu, \"nodes_in\": %zu, \"nodes_out\": %zu, \"seconds\": %.9f, \"first_seconds\": %.9f, \"kib\": "
      "%ld}\n",
      blocks, program.graph->size, nodes, bench::median(times), first, kib);
}
