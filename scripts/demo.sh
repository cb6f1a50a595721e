#!/bin/sh
# A real model on its way down: shown, counted, lowered to core ATen, counted again, timed.
# Usage: demo.sh [RUNG] [MODEL.pt2], in the project's folder
set -eu

rung=${1:-build/release/rung}
model=${2:-examples/llama.pt2}
lowered=$(mktemp -d)
trap 'rm -rf "$lowered"' EXIT
core=$lowered/core.pt2

title() { printf '\n== %s\n' "$1"; }
# The first lines of a long text, and how many there are.
head_of() { awk -v limit="$1" 'NR <= limit {print substr($0, 1, 160)} END {if (NR > limit) print "    ... " NR " lines in all"}'; }

title "$model as torch.export.save wrote it: rung show $model"
"$rung" show "$model" | head_of 24
title "its operators, and which of them core ATen lacks: rung census $model --to core"
"$rung" census "$model" --to core
title "lowered: rung lower $model --to core"
"$rung" lower "$model" --to core -o "$core" --format graph | head_of 40
title "its operators now: rung census core.pt2 --to core"
"$rung" census "$core" --to core
title "and how long that took: rung lower $model --to core --time"
"$rung" lower "$model" --to core --time --format none
