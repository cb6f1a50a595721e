#!/usr/bin/env python3
"""Writes src/page/gen/page_template_gen.cpp: the files of data/explain_page, put together, as text in the library.

Usage: gen_page.py            writes it
       gen_page.py --check    exits with 1 if it is not what would be written
"""
import sys

from generated import ROOT, write_or_check

TARGET = "src/page/gen/page_template_gen.cpp"
HEAD = """// Written by scripts/gen_page.py from data/explain_page; do not edit.
#include "page/page_template.h"

namespace rung {

std::string_view page_template() {
  static constexpr std::string_view kPage = R"page("""
TAIL = """)page";
  return kPage;
}

}  // namespace rung
"""


def main():
    folder = ROOT / "data" / "explain_page"
    page = (folder / "page.html").read_text()
    for mark, name in (("{{style}}", "style.css"), ("{{script}}", "script.js")):
        page = page.replace(mark, (folder / name).read_text())
    return write_or_check({TARGET: HEAD + page + TAIL})


if __name__ == "__main__":
    sys.exit(main())
