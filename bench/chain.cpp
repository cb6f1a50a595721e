// Time and memory of lowering a chain of n blocks (Linear, SiLU, LayerNorm). One line of JSON:
//   {"blocks": 10, "nodes_in": 73, "nodes_out": 194, "seconds": 1e-4, "first_seconds": 2e-4, "kib": 120}
// "seconds": of the CPU, in the median of several runs; "first_seconds": of the first one, which gets its memory from
// the system; "kib": resident memory that lowering added at its peak.
// Usage: rung_bench_chain BLOCKS [dynamic]    dynamic: the number of rows is a symbol
#include <malloc.h>

#include <cstdlib>
#include <limits>

#include "bench/measure.h"
#include "pass/lower.h"
#include "shape/expr.h"
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
  bool is_dynamic = argc == 3 && std::strcmp(argv[2], "dynamic") == 0;
  if (argc != 2 && !is_dynamic) {
    std::fputs("usage: rung_bench_chain BLOCKS [dynamic]\n", stderr);
    return 64;
  }
  // What a run has freed stays with the process, as where one program is lowered after another: else each run of a
  // large chain would measure how fast the system clears pages.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  size_t blocks = std::strtoul(argv[1], nullptr, 10);
  SymInt rows = is_dynamic ? SymInt(make_symbol("s0", "positive=True, integer=True")) : SymInt(4);
  ExportedProgram program = chain_program(blocks, rows);
  DecompositionTable table = core_aten_decompositions();
  long before = reset_peak_kib();
  double first = bench::cpu_seconds();
  size_t nodes = lower(program, table).graph->size;
  first = bench::cpu_seconds() - first;
  long kib = bench::status_kib("VmHWM") - before;
  std::vector<double> times;
  auto start = bench::Clock::now();
  while (times.size() < 7 || bench::seconds_since(start) < 1.0) {
    double begin = bench::cpu_seconds();
    lower(program, table);
    times.push_back(bench::cpu_seconds() - begin);
  }
  std::printf(
      "{\"blocks\": %zu, \"nodes_in\": %zu, \"nodes_out\": %zu, \"seconds\": %.9f, \"first_seconds\": %.9f, \"kib\": "
      "%ld}\n",
      blocks, program.graph->size, nodes, bench::median(times), first, kib);
}
