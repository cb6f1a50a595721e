"""Recorded programs of single operators, when they are there: what rung lowers to prims gives the values that eager torch
recorded. A case with an operator that rung cannot open yet is counted, not failed."""
import glob
import os
import random
import re
import subprocess
import tempfile

import numpy as np
import torch
from torch.utils import _pytree as pytree

from common import CORPUS, RUNG, Failed, Refused, compare_values, load, run_module


def cases(count, seed, match=""):
    paths = sorted(glob.glob(os.path.join(CORPUS, "opinfo", "*.pt2")))
    if count and count < len(paths):
        paths = sorted(random.Random(seed).sample(paths, count))
    return [path for path in paths if match in os.path.basename(path)]


def arrays_of(path, kind):
    arrays = np.load(path[:-4] + ".npz")
    return [torch.from_numpy(np.asarray(arrays[f"{kind}{i}"])) for i in range(sum(k.startswith(kind) for k in arrays))]


def is_random(program):
    return any(torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) for node in program.graph.nodes)


def is_uninitialized(program):
    return any(str(node.target).startswith(("aten.empty", "aten.new_empty", "aten.resize")) for node in program.graph.nodes)


def runs(program, inputs):
    """Whether the program itself runs: the recorded inputs may break its own assertions."""
    try:
        run_module(program.module(), inputs)
    except RuntimeError:
        return False
    return True


def check(path, checks):
    checks.case = f"opinfo/{os.path.basename(path)[:-4]}"
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "prims.pt2")
        done = subprocess.run([RUNG, "lower", path, "--to", "prims", "-o", out], capture_output=True, text=True)
        try:
            original = load(path)
        except RuntimeError:  # torch does not load every file that it has written
            return

        def values():
            if done.returncode == 2:
                raise Refused(re.sub(r".*\): ", "", done.stderr.strip()))
            if done.returncode != 0:
                raise Failed(done.stderr.strip()[-400:])
            program = load(out)
            if is_random(original) or is_uninitialized(original):
                return
            inputs = tuple(arrays_of(path, "in"))
            if not runs(original, inputs):
                return
            try:
                result = run_module(program.module(), inputs)[0]
            # torch prints a complex nan as nanj, also in its own core program, and computes prims.xor_sum by inductor only
            except (NameError, NotImplementedError) as error:
                raise Refused(f"torch cannot run it: {error}") from error
            got = [v for v in pytree.tree_leaves(result) if isinstance(v, torch.Tensor)]
            expected = [x.view(y.dtype) if y.dtype == torch.bfloat16 and x.dtype == torch.uint16 else x
                        for x, y in zip(arrays_of(path, "out"), got, strict=True)]
            compare_values(expected, got)

        checks("prims: values", values)
