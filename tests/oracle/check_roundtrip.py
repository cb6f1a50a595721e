"""A program that is read and written again unlowered loses nothing."""
import json
import os
import subprocess
import tempfile
import zipfile

import torch

import models
from common import RESAVE, Failed, compare_values, load, run_module
from same_graph import first_difference


def entries(path):
    """Archive members by name below the root folder."""
    with zipfile.ZipFile(path) as archive:
        return {name.split("/", 1)[1]: archive.read(name) for name in archive.namelist()}


def first_change(a, b, place=""):
    if type(a) is not type(b):
        return f"{place}: {a!r} became {b!r}"
    if isinstance(a, dict):
        if list(a) != list(b):
            return f"{place}: keys {list(a)[:20]} became {list(b)[:20]}"
        return next((c for k in a if (c := first_change(a[k], b[k], f"{place}.{k}"))), None)
    if isinstance(a, list):
        if len(a) != len(b):
            return f"{place}: {len(a)} items became {len(b)}"
        return next((c for i, (x, y) in enumerate(zip(a, b)) if (c := first_change(x, y, f"{place}[{i}]"))), None)
    same = a == b or (a != a and b != b)
    return None if same else f"{place}: {a!r} became {b!r}"


def same_json(before, after):
    change = first_change(json.loads(before), json.loads(after))
    if change:
        raise Failed(change[:600])


def resave(path, out):
    done = subprocess.run([RESAVE, path, out], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise Failed(f"exit code {done.returncode}: {done.stderr.strip()[-400:]}")


def same_state(before, after):
    if list(before) != list(after):
        raise Failed(f"state {list(before)} became {list(after)}")
    for name, value in before.items():
        other = after[name]
        if isinstance(value, torch.Tensor) and (value.stride() != other.stride() or value.requires_grad != other.requires_grad or type(value) is not type(other)):
            raise Failed(f"{name}: {value.stride()} {type(value).__name__} became {other.stride()} {type(other).__name__}")
        compare_values(value, other, exact=True)


def check_file(path, checks, layout=True):
    """The original and its copy, as torch loads them; None if one does not load.
    `layout`: the file has the layout that torch 2.13 writes, so that its members must come back as they were."""
    out = os.path.join(tempfile.mkdtemp(dir=os.path.dirname(path)), "again.pt2")
    if not checks("resave", resave, path, out):
        return None
    if layout:
        before, after = entries(path), entries(out)
        checks.equal("members", sorted(before), sorted(after))
        for name in before:
            if name.endswith("serialization_id") or name not in after:
                continue
            if name.endswith(".json"):
                checks(name, same_json, before[name], after[name])
            elif before[name] != after[name]:
                checks(name, lambda: (_ for _ in ()).throw(Failed(f"{len(before[name])} bytes became {len(after[name])} other bytes")))
    programs = {}
    if not checks("torch loads it", lambda: programs.update(a=load(path), b=load(out))):
        return None
    a, b = programs["a"], programs["b"]

    def same_program():
        difference = first_difference(str(a.graph), str(b.graph)) or first_difference(str(a.graph_signature), str(b.graph_signature))
        if difference:
            raise Failed(difference)

    checks("same program", same_program)
    checks.equal("range constraints", str(a.range_constraints), str(b.range_constraints))
    checks("same state", same_state, a.state_dict, b.state_dict)
    checks("same constants", same_state, a.constants, b.constants)
    return a, b


class CheckRoundtrip:
    def __init__(self, seed):
        self.seed = seed

    def __call__(self, name, checks):
        case = models.build(name, self.seed)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"{name}.pt2")
            torch.export.save(torch.export.export(case.module, case.args, case.kwargs, strict=False), path)
            pair = check_file(path, checks)
            if pair is not None:
                before, after = (run_module(program.module(), case.args, case.kwargs)[0] for program in pair)
                checks("values", lambda: compare_values(before, after, exact=True))
