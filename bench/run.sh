#!/bin/sh
# Measures rung beside torch 2.13, prints the tables, and writes docs/performance.md. Options: see bench.py.
# PYTHON: the interpreter that has torch.
set -eu
folder=$(dirname "$0")
export PYTHONDONTWRITEBYTECODE=1
exec "${PYTHON:-python3}" "$folder/bench.py" "$@"
