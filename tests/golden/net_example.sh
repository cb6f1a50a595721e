#!/bin/sh
# The lesson's program made in C++ prints both of the lesson's graphs, byte for byte, and has torch's weights and input,
# bit for bit. What it computes of them is held against torch by a unit test.
# Usage: net_example.sh NET BUILD, in the project's folder
set -eu
net=$1
build=$2
"$net" --build "$build" | diff tests/golden/lesson/net-"$build".txt -
values=$net.values-$build  # tests of other builds run at the same time
"$net" --values | head -n 3 > "$values"
head -n 3 tests/golden/lesson/net-2.13-values.txt | diff - "$values"
