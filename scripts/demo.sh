#!/bin/sh
# A real model on its way down: shown, counted, lowered to core ATen, counted again, timed.
# Usage: demo.sh [RUNG] [MODEL.pt2], in the project's folder
set -eu

rung=${1:-build/release/rung}
model=${2:-examples/llama.pt2}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
core=$folder/core.pt2

title() { printf '\n== %s\n' "$1"; }
# A graph in short: how many placeholders, the first calls, how many lines in all.
short() {
  awk -v limit="$1" '
    / = placeholder\[/ {++inputs; next}
    inputs > 0 && !told {print "    ... " inputs " placeholders: parameters, buffers, inputs"; told = 1}
    ++shown <= limit {print substr($0, 1, 200); next}
    {last = $0}
    END {if (shown > limit) print "    ... " shown - limit - 1 " more\n" substr(last, 1, 200)}'
}

title "$model as torch.export.save wrote it: rung show $model"
"$rung" show "$model" >"$folder/before.txt"
short 25 <"$folder/before.txt"
title "its operators, and which of them core ATen lacks: rung census $model --to core"
"$rung" census "$model" --to core
title "lowered: rung lower $model --to core"
"$rung" lower "$model" --to core -o "$core" --format graph >"$folder/after.txt"
short 40 <"$folder/after.txt"
title "its operators now: rung census core.pt2 --to core"
"$rung" census "$core" --to core
title "and how long that took: rung lower $model --to core --time"
"$rung" lower "$model" --to core --time --format none 2>&1
