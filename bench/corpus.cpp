// A folder of programs in one process, each loaded and lowered to core once, as JSON: seconds of CPU time in all, and
// of the lowering of each. Usage: rung_bench_corpus FOLDER
#include <filesystem>

#include "base/error.h"
#include "bench/measure.h"
#include "export/load.h"
#include "pass/lower.h"

namespace {

struct Times {
  size_t programs = 0, nodes = 0;
  double load = 0, lower = 0;
  std::string by_file;
};

void measure(const std::filesystem::path& path, const rung::DecompositionTable& table, Times& times) {
  const double start = rung::bench::cpu_seconds();
  const rung::ExportedProgram program = rung::load(path.string());
  const double loaded = rung::bench::cpu_seconds();
  times.nodes += rung::lower(program, table).graph->size;
  const double lowered = rung::bench::cpu_seconds();
  ++times.programs;
  times.load += loaded - start;
  times.lower += lowered - loaded;
  times.by_file += rung::cat(times.by_file.empty() ? "" : ", ", '"', path.filename().string(),
                             "\": ", std::to_string(lowered - loaded));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  Times times;
  try {
    const rung::DecompositionTable table = rung::core_aten_decompositions();
    for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
      if (entry.path().extension() == ".pt2") measure(entry.path(), table, times);
  } catch (const rung::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::printf("{\"programs\": %zu, \"nodes_out\": %zu, \"load\": %.6f, \"lower\": %.6f, \"by_file\": {%s}}\n",
              times.programs, times.nodes, times.load, times.lower, times.by_file.c_str());
}
