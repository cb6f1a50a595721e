"""Op sets of back ends: what torch's own tables, minus a set, leave outside of it is what docs/opsets.md says; and what
rung lowers to a set computes the same."""
import glob
import os
import random
import subprocess
import tempfile

import numpy as np
import torch
from torch._decomp import core_aten_decompositions, decomposition_table

import check_corpus
import models
from common import ROOT, RUNG, Failed, Refused, compare_values, load, run_module

OPSETS = os.environ.get("RUNG_OPSETS", os.path.join(os.path.dirname(RUNG), "tests", "rung_opsets"))
SETS = sorted(os.path.basename(path)[:-5] for path in glob.glob(os.path.join(ROOT, "data", "opsets", "*.json")))
BLOCK = os.path.join(ROOT, "tests", "unit", "files", "block.pt2")
NOT_COUNTED = {"aten._assert_tensor_metadata", "aten.sym_size.int", "aten.sym_stride.int", "aten.sym_numel", "aten.sym_storage_offset", "aten._assert_scalar",
               "aten.sym_constrain_range", "aten.sym_constrain_range_for_size"}


class OpsetCase(tuple):
    def __str__(self):
        return f"{self[0]}/{self[1] if self[0] == 'fresh' else os.path.basename(self[1])[:-4]}"


def cases(seed, match=""):
    """The block, two golden programs against torch's tables, and the values of three models."""
    draw = random.Random(seed)
    golden = sorted(glob.glob(os.path.join(ROOT, "tests", "golden", "models", "*.pt2")) + glob.glob(os.path.join(ROOT, "tests", "golden", "dynamic", "*.pt2")))
    recorded = [("values", path) for _, path in check_corpus.static_models()]
    fresh = [("fresh", name) for name in models.PROGRAMS]
    drawn = [("left", path) for path in draw.sample(golden, 2)] + draw.sample(recorded or fresh, 3)
    return [case for case in map(OpsetCase, [("left", BLOCK), *drawn]) if match in str(case)]


class CheckOpsets:
    def __init__(self, seed):
        self.seed = seed

    def __call__(self, case, checks):
        kind, name = case
        if kind == "left":
            return check_left(name, checks)
        with tempfile.TemporaryDirectory() as folder:
            path, inputs, options = recorded(name) if kind == "values" else exported(name, folder, self.seed)
            check_values(path, inputs, folder, checks, **options)


# ------------------------------------------------------------------ what is left


def opsets(*args):
    done = subprocess.run([OPSETS, ROOT, *args], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise Failed(done.stderr.strip()[-600:])
    return done.stdout.splitlines()


def short(target):
    return str(target).removesuffix(".default")


def accepted_ops(name):
    return set(opsets("--ops", name))


def left_by_torch(program, accepted):
    """None where torch refuses."""
    table = {op: rule for op, rule in (decomposition_table | dict(core_aten_decompositions())).items() if short(op) not in accepted}
    try:
        lowered = program.run_decompositions(table)
    except Exception:
        return None
    graphs = [module.graph for module in lowered.graph_module.modules() if isinstance(module, torch.fx.GraphModule)]
    called = {short(node.target) for graph in graphs for node in graph.nodes if isinstance(node.target, torch._ops.OpOverload)}
    return called - accepted - NOT_COUNTED


def check_left(path, checks):
    names = ["core", "prims", *SETS]
    mine = {}
    for line in opsets("--left", path, *names):
        name, by, *ops = line.split(" ")
        mine[name, by] = None if ops[:1] == ["refused:"] else set(ops)
    for name in names:
        accepted = accepted_ops(name)
        checks(f"{name}: left by torch", same_left, left_by_torch(load(path), accepted), mine[name, "torch"], accepted)


def same_left(torchs, said, accepted):
    """Some of torch's references call each other past the table, so torch may leave more; where it leaves nothing, rung
    says so. A call of an accepted operator may break a condition, of which torch's table knows nothing."""
    if torchs is None or said is None:
        if torchs is not said:
            raise Failed(f"torch leaves {torchs and sorted(torchs)}, rung says {said and sorted(said)} (None: refused)")
        return
    said = said - accepted
    if not said <= torchs or bool(said) != bool(torchs):
        raise Failed(f"only torch leaves {sorted(torchs - said)}, only rung says {sorted(said - torchs)}")


# ------------------------------------------------------------------ values


def recorded(path):
    arrays = np.load(path[:-4] + ".npz")
    inputs = tuple(torch.from_numpy(arrays[f"in{i}"]) for i in range(sum(k.startswith("in") for k in arrays)))
    return path, (inputs, {}), {}


def exported(name, folder, seed):
    case = models.build(name, seed)
    path = os.path.join(folder, f"{name}.pt2")
    torch.export.save(torch.export.export(case.module, case.args, case.kwargs, strict=False), path)
    return path, (case.args, case.kwargs), {"tolerance": case.tolerance, "metadata_only": case.random}


def check_values(path, inputs, folder, checks, **options):
    """Sets that are not reached (exit code 2) have no program to run."""
    expected = run_module(load(path).module(), *inputs)[0]
    for name in SETS:
        out = os.path.join(folder, f"{name}.pt2")
        done = subprocess.run([RUNG, "lower", path, "--to", name, "-o", out], capture_output=True, text=True, timeout=120)
        if done.returncode == 2:
            continue

        def values():
            if done.returncode != 0:
                raise Failed(done.stderr.strip()[-400:])
            try:
                got = run_module(load(out).module(), *inputs)[0]
            except NotImplementedError as error:  # convolution_overrideable is for back ends outside of torch
                raise Refused(f"torch cannot run it: {error}") from error
            compare_values(expected, got, **options)

        checks(f"{name}: values", values)
