#!/usr/bin/env python3
"""Writes src/opset/gen/shipped_gen.cpp: the op sets of data/opsets, as text in the library.

Usage: gen_opsets.py            writes it
       gen_opsets.py --check    exits with 1 if it is not what would be written
"""
import sys

from generated import ROOT, write_or_check

TARGET = "src/opset/gen/shipped_gen.cpp"
HEAD = """// Written by scripts/gen_opsets.py from data/opsets; do not edit.
#include "opset/read_op_set.h"

namespace rung {

std::span<const ShippedSet> shipped_sets() {
  static constexpr ShippedSet kSets[] = {
"""


def main():
    rows = []
    for path in sorted((ROOT / "data" / "opsets").glob("*.json")):
        rows.append(f'    {{"{path.stem}",\n     R"json({path.read_text()})json"}},\n')
    text = HEAD + "".join(rows) + "  };\n  return kSets;\n}\n\n}  // namespace rung\n"
    return write_or_check({TARGET: text})


if __name__ == "__main__":
    sys.exit(main())
