#!/bin/sh
# Formats every C++ file that is not generated, with the one version of clang-format that the project pins.
# Usage: format.sh [--check]
set -eu
cd "$(dirname "$0")/.."

version=22.1.0
sh scripts/setup.sh python
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip -q --disable-pip-version-check install "clang-format==$version"

list() { find src include tools tests bench examples \( -name '*.cpp' -o -name '*.h' \) -not -path '*/gen/*' 2>/dev/null | sort; }
if [ "${1:-}" = --check ]; then
  list | xargs .venv/bin/clang-format --dry-run -Werror
  echo "$(list | wc -l) files are formatted"
else
  list | xargs .venv/bin/clang-format -i
fi
