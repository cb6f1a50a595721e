// Lowering takes time in proportion to the program: twice the blocks, about twice the time.
#include <doctest/doctest.h>
#include <time.h>

#include <algorithm>

#include "pass/lower.h"
#include "unit/chain.h"

namespace rung {
namespace {

// Of this thread only, so that other work of the machine counts little.
double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double fastest_lowering(const ExportedProgram& program, int runs) {
  double fastest = 1e9;
  for (int i = 0; i < runs; ++i) {
    double start = cpu_seconds();
    lower(program, core_aten_decompositions());
    fastest = std::min(fastest, cpu_seconds() - start);
  }
  return fastest;
}

}  // namespace

TEST_CASE("lowering twice as many blocks takes far less than four times as long") {
  ExportedProgram small = chain_program(1000), large = chain_program(2000);
  double ratio = 0;
  for (int attempt = 0; attempt < 10; ++attempt) {  // a busy machine may spoil one
    ratio = fastest_lowering(large, 5) / fastest_lowering(small, 5);
    if (ratio < 3.0) break;
  }
  CHECK(ratio < 3.0);
}

}  // namespace rung
