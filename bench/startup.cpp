// The wall time of starting a program and waiting for its end, median of RUNS, in one line of JSON.
// Usage: rung_bench_startup RUNS PROGRAM [ARGUMENT]...
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cstdlib>

#include "bench/measure.h"

extern char** environ;

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: rung_bench_startup RUNS PROGRAM [ARGUMENT]...\n", stderr);
    return 64;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  std::vector<double> times;
  for (int runs = std::atoi(argv[1]); runs > 0; --runs) {
    auto start = rung::bench::Clock::now();
    pid_t child = 0;
    int status = 0;
    if (posix_spawn(&child, argv[2], &actions, nullptr, argv + 2, environ) != 0 ||
        waitpid(child, &status, 0) != child || status != 0) {
      std::fprintf(stderr, "%s failed\n", argv[2]);
      return 1;
    }
    times.push_back(rung::bench::seconds_since(start));
  }
  std::printf("{\"seconds\": %.6f, \"least\": %.6f}\n", rung::bench::median(times),
              *std::min_element(times.begin(), times.end()));
}
