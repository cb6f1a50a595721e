#!/bin/sh
# The lesson's own program: shown and lowered, it prints both of the lesson's graphs, byte for byte.
# Usage: net.sh RUNG BUILD, in the project's folder
set -eu
rung=$1
build=$2
file=examples/net-$build.pt2
{
  "$rung" show "$file" --build "$build"
  "$rung" lower "$file" --to core --build "$build"
} | diff tests/golden/lesson/net-"$build".txt -
