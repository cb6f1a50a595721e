// Reads a program and writes it again: rung_resave IN.pt2 OUT.pt2 ...
#include <cstdio>

#include "base/error.h"
#include "export/load.h"
#include "export/save.h"

int main(int argc, char** argv) {
  if (argc < 3 || argc % 2 == 0) {
    std::fputs("usage: rung_resave IN.pt2 OUT.pt2 [IN.pt2 OUT.pt2]...\n", stderr);
    return 64;
  }
  try {
    for (int i = 1; i < argc; i += 2) rung::save(rung::load(argv[i]), argv[i + 1]);
    return 0;
  } catch (const rung::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
