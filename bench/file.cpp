// What a file costs from end to end: load + lower + save, against parsing its JSON with simdjson and copying the file.
// Usage: rung_bench_file FILE.pt2 MODEL.json OUT.pt2 [RUNS]
//   MODEL.json: the program's JSON taken out of the archive; OUT.pt2 is written and removed again and again.
#include <simdjson.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "bench/measure.h"
#include "export/load.h"
#include "export/save.h"
#include "pass/lower.h"

using namespace rung;

namespace {

struct Times {
  std::vector<double> load, lower, save, total, parse, copy;
};

void run_rung(const std::string& file, const std::string& out, Times& times) {
  std::filesystem::remove(out);
  auto start = bench::Clock::now();
  ExportedProgram program = load(file);
  times.load.push_back(bench::seconds_since(start));
  auto loaded = bench::Clock::now();
  ExportedProgram lowered = lower(program, core_aten_decompositions());
  times.lower.push_back(bench::seconds_since(loaded));
  auto done = bench::Clock::now();
  save(lowered, out);
  times.save.push_back(bench::seconds_since(done));
  times.total.push_back(bench::seconds_since(start));
}

// A fresh parser each time, as a program that reads one file has.
void run_plain(const std::string& file, const std::string& json, const std::string& out, Times& times) {
  std::filesystem::remove(out);
  auto start = bench::Clock::now();
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.load(json).get(root) != simdjson::SUCCESS) fail_input(json, ": not JSON");
  times.parse.push_back(bench::seconds_since(start));
  auto parsed = bench::Clock::now();
  std::filesystem::copy_file(file, out);
  times.copy.push_back(bench::seconds_since(parsed));
}

// The most memory of our own while load, lower and save run: without the pages of mapped files.
long peak_anonymous_kib(const std::string& file, const std::string& out) {
  std::atomic<bool> done = false;
  long peak = 0;
  std::thread watch([&] {
    while (!done) {
      peak = std::max(peak, bench::status_kib("RssAnon"));
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  Times ignored;
  run_rung(file, out, ignored);
  done = true;
  watch.join();
  return peak;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fputs("usage: rung_bench_file FILE.pt2 MODEL.json OUT.pt2 [RUNS]\n", stderr);
    return 64;
  }
  std::string file = argv[1], json = argv[2], out = argv[3];
  int runs = argc > 4 ? std::atoi(argv[4]) : 7;
  try {
    long peak = peak_anonymous_kib(file, out);
    Times times;
    for (int i = 0; i < runs; ++i) {
      run_plain(file, json, out, times);
      run_rung(file, out, times);
    }
    std::filesystem::remove(out);
    std::printf(
        "{\"bytes\": %ju, \"json_bytes\": %ju, \"load\": %.6f, \"lower\": %.6f, \"save\": %.6f, \"total\": %.6f, "
        "\"parse\": %.6f, \"copy\": %.6f, \"anonymous_kib\": %ld, \"peak_kib\": %ld}\n",
        static_cast<uintmax_t>(std::filesystem::file_size(file)),
        static_cast<uintmax_t>(std::filesystem::file_size(json)), bench::median(times.load), bench::median(times.lower),
        bench::median(times.save), bench::median(times.total), bench::median(times.parse), bench::median(times.copy),
        peak, bench::status_kib("VmHWM"));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
