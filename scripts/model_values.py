#!/usr/bin/env python3
"""Writes docs/values.md: how far what rung computes of recorded models is from what torch computed, on every rung.

Usage: model_values.py RUNG FOLDER          FOLDER has NAME.pt2 and NAME.npz with in0, ... and out0, ...; needs numpy
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNGS = ("aten", "core", "prims")
HEAD = """# Values of models

Written by `scripts/model_values.py`; do not edit. Each recorded model, run by `rung run` as exported and on each rung, on
the inputs that torch ran it on: the largest difference of an output from torch's, relative to the largest element of that
output. float32 has a last place of 1.2e-07.

"""


def distance(got, expected):
    """Relative to the largest element; infinite where shapes or dtypes differ."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return float("inf")
    got, expected = got.astype(np.float64), expected.astype(np.float64)
    scale = np.abs(expected).max(initial=0)
    return float(np.abs(got - expected).max(initial=0) / (scale or 1))


def values(rung, path, arrays, step, folder):
    program, made = folder / "lowered.pt2", folder / "out.npz"
    if step is None:
        program = path
    else:
        subprocess.run([rung, "lower", path, "--to", step, "-o", program], check=True)
    subprocess.run([rung, "run", program, "--inputs", path.with_suffix(".npz"), "-o", made], check=True)
    got = np.load(made)
    names = [name for name in arrays.files if name.startswith("out")]
    return max(distance(got[name], arrays[name]) for name in names)


def main():
    rung, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    lines, worst = [], 0
    for path in sorted(folder.glob("*.pt2")):
        if not path.with_suffix(".npz").exists():
            continue
        arrays = np.load(path.with_suffix(".npz"))
        with tempfile.TemporaryDirectory() as scratch:
            far = [values(rung, path, arrays, step, pathlib.Path(scratch)) for step in (None, *RUNGS)]
        worst = max(worst, *far)
        lines.append(f"| {path.stem} | " + " | ".join(f"{x:.1e}" for x in far) + " |")
    table = "| model | as exported | " + " | ".join(RUNGS) + " |\n|---|" + "--:|" * (1 + len(RUNGS)) + "\n"
    text = HEAD + f"{len(lines)} models, at most {worst:.1e}.\n\n" + table + "\n".join(lines) + "\n"
    (ROOT / "docs" / "values.md").write_text(text)
    print(f"{len(lines)} models, at most {worst:.1e}")


if __name__ == "__main__":
    main()
