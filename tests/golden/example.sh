#!/bin/sh
# Holds what an example prints against torch: example.sh PROGRAM GOLDEN BUILD [ENTRIES]
# ENTRIES: how many rules torch's table has after a bare import; Python's script counts those of libraries that it
# imports, too.
set -eu
golden=$(cat "$2")
[ $# -lt 4 ] || golden=$(echo "$golden" | sed "s/^\(core_aten_decompositions entries:\) .*/\1 $4/")
printed=$("$1" --build "$3")
if [ "$printed" != "$golden" ]; then
  echo "expected:"; echo "$golden"; echo "got:"; echo "$printed"
  exit 1
fi
