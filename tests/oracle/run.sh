#!/bin/sh
# Compares rung with live torch 2.13: tests/oracle/run.sh [--seed N] [--only models,roundtrip,eager,functions,...] ...
# PYTHON: the interpreter that has torch. RUNG: the binary (default build/release/rung).
set -eu
folder=$(dirname "$0")
python=${PYTHON:-python3}
if ! "$python" -c 'import torch, sys; sys.exit(not torch.__version__.startswith("2.13."))' 2>/dev/null; then
  echo "oracle: $python has no torch 2.13.0 (pip install torch==2.13.0, or set PYTHON)" >&2
  exit 1
fi
export PYTHONDONTWRITEBYTECODE=1
exec "$python" "$folder/main.py" "$@"
