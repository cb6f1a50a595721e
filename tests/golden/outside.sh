#!/bin/sh
# Three operators that an op set lacks: all are told, the exit code is 2, and nothing is written.
# Usage: outside.sh RUNG SET, in the project's folder
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/written"
code=0
"$1" lower tests/unit/files/bessel.pt2 --to "$2" -o "$folder/written/out.pt2" >"$folder/printed" 2>&1 || code=$?
diff "tests/golden/outside/$2.txt" "$folder/printed"
[ "$code" = 2 ] || { echo "exit code $code, not 2"; exit 1; }
[ -z "$(ls -A "$folder/written")" ] || { echo "written:"; ls -A "$folder/written"; exit 1; }
