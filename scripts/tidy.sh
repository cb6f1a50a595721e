#!/bin/sh
# clang-tidy over the sources, as .clang-tidy says. Usage: tidy.sh [FILE.cpp]...      needs build/release
set -eu
cd "$(dirname "$0")/.."

version=22.1.0
sh scripts/setup.sh python
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/python -m pip -q --disable-pip-version-check install "clang-tidy==$version"
[ $# -gt 0 ] || set -- $(find src tools -name '*.cpp' -not -path '*/gen/*' | sort)
printf '%s\n' "$@" | xargs -P 2 -n 8 .venv/bin/clang-tidy -p build/release --quiet
