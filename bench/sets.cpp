// How much longer lowering to an op set takes than lowering to core. A line of JSON for each program and set:
//   {"file": "llama.pt2", "set": "onnx_torchlib", "nodes": 1.2, "core": 1e-4, "anew": 2e-4, "again": 1e-4}
// "nodes": how many times as many calls are left as on core. Seconds of the CPU, the least of several runs that take
// turns. "anew" searches with nothing known; "again" and "core"
// are later runs by the same table, which keeps what it found.
// Usage: rung_bench_sets FILE.pt2...
#include <limits>

#include "base/error.h"
#include "bench/measure.h"
#include "export/load.h"
#include "opset/core.h"
#include "opset/reach.h"
#include "opset/read_op_set.h"
#include "pass/lower.h"

using namespace rung;

namespace {

constexpr int kRuns = 7;

double calls_of(const ExportedProgram& lowered) {
  double calls = 0;
  for (const Node* node : *lowered.graph) calls += node->kind == NodeKind::kCall;
  return calls;
}

double seconds_of(const ExportedProgram& program, const DecompositionTable& table) {
  const double start = bench::cpu_seconds();
  lower(program, table);
  return bench::cpu_seconds() - start;
}

void measure(const char* file) {
  const ExportedProgram program = load(file);
  const DecompositionTable core_table = closed_core_decompositions();
  const double core_calls = calls_of(lower(program, core_table));
  for (const ShippedSet& shipped : shipped_sets()) {
    const OpSet set = op_set_named(shipped.name);
    double core = std::numeric_limits<double>::max(), anew = core, again = core;
    for (int run = 0; run < kRuns; ++run) {
      const DecompositionTable table = table_for(set);
      core = std::min(core, seconds_of(program, core_table));
      anew = std::min(anew, seconds_of(program, table));
      again = std::min(again, seconds_of(program, table));
    }
    const double nodes = calls_of(lower(program, table_for(set))) / core_calls;
    std::printf(
        "{\"file\": \"%s\", \"set\": \"%.*s\", \"nodes\": %.3f, \"core\": %.9f, \"anew\": %.9f, \"again\": %.9f}\n",
        file, static_cast<int>(shipped.name.size()), shipped.name.data(), nodes, core, anew, again);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  for (int i = 1; i < argc; ++i) measure(argv[i]);
  return argc > 1 ? 0 : 64;
} catch (const Error& error) {
  std::fprintf(stderr, "rung_bench_sets: %s\n", error.what());
  return 1;
}
