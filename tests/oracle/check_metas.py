"""Recorded programs, when they are there, lowered by live torch, by its core table or by all of its rules: rung infers of
every node of the result the metadata that torch gave it."""
import os
import random
import subprocess
import tempfile

import torch

from check_corpus import dynamic_models, static_models
from check_opinfo import cases as operators
from common import RUNG, Failed

CORPUS_TOOL = os.environ.get("RUNG_CORPUS_TOOL", os.path.join(os.path.dirname(RUNG), "tests", "rung_corpus"))
MODELS = 12  # torch takes a second for each


def cases(count, seed, match=""):
    models = [path for _, path in [*static_models(), *dynamic_models()] if match in os.path.basename(path)]
    models = random.Random(seed).sample(models, min(MODELS, len(models)))
    return [(path, table) for table in ("core", "all") for path in [*models, *operators(count, seed, match)]]


def lowered(path, table):
    """None where torch refuses the program, or cannot write what it made."""
    rules = {**torch.export.default_decompositions(), **torch._decomp.decomposition_table} if table == "all" else None
    try:
        return torch.export.load(path).run_decompositions(rules)
    except Exception:
        return None


def check(case, checks):
    path, table = case
    checks.case = f"{os.path.basename(path)[:-4]}, {table}"
    program = lowered(path, table)
    if program is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            torch.export.save(program, os.path.join(folder, "lowered.pt2"))
        except Exception:
            return

        def metas():
            done = subprocess.run([CORPUS_TOOL, folder, "--keys", "metas"], capture_output=True, text=True)
            if done.returncode != 0:
                raise Failed(done.stdout + done.stderr)

        checks("metadata", metas)
