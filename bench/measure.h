// Clocks, medians and memory, for the measuring programs.
#pragma once
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

namespace rung::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of this process, so that what else the machine does counts little.
inline double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// A line of /proc/self/status in KiB: "RssAnon", "VmHWM".
inline long status_kib(const char* key) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  long value = 0;
  size_t length = std::strlen(key);
  while (std::fgets(line, sizeof line, file) != nullptr)
    if (std::strncmp(line, key, length) == 0 && line[length] == ':') std::sscanf(line + length + 1, "%ld", &value);
  std::fclose(file);
  return value;
}

}  // namespace rung::bench
