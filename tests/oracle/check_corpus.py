"""The corpus of recorded programs, when it is there: lowered files give the values that eager torch recorded."""
import glob
import json
import os
import tempfile

import numpy as np
import torch
from torch.utils import _pytree as pytree

import check_roundtrip
from common import CORPUS, Failed, compare_values, load, rung, run_module


@torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=())
def grouped_mm_fallback(input: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
    """An op of the transformers library that the mixtral program calls: rows up to offs[i] are multiplied by weight[i]."""
    out, start = input.new_zeros(input.shape[0], weight.shape[2]), 0
    for matrix, end in zip(weight, offs.tolist()):
        out[start:end] = input[start:end] @ matrix
        start = end
    return out


@grouped_mm_fallback.register_fake
def _(input, weight, offs):
    return input.new_empty(input.shape[0], weight.shape[2])


def static_models():
    paths = sorted(glob.glob(os.path.join(CORPUS, "models", "*.pt2")))
    return [("models", path) for path in paths if not path.endswith("_dyn.pt2")]


def dynamic_models():
    return [("dynamic", path) for path in sorted(glob.glob(os.path.join(CORPUS, "models", "*_dyn.pt2")))]


def older_programs():
    return [(f"lesson-{version}", path) for version in ("2.6", "2.8") for path in sorted(glob.glob(os.path.join(CORPUS, "lesson", f"torch-{version}", "*.pt2")))]


def resaved_programs():
    """Dynamic ones too: an unlowered program must come back whole."""
    return [("resave", path) for path in sorted(glob.glob(os.path.join(CORPUS, "models", "*.pt2"))) if os.path.basename(path).startswith(tuple("bclmrstw"))]


class CorpusCase(tuple):
    def __str__(self):
        return f"{self[0]}/{os.path.basename(self[1])[:-4]}"


def cases():
    return [CorpusCase(c) for c in static_models() + dynamic_models() + older_programs() + resaved_programs()]


def check(case, checks):
    kind, path = case
    with tempfile.TemporaryDirectory() as folder:
        if kind == "models":
            check_model(path, folder, checks)
        elif kind == "dynamic":
            check_dynamic(path, folder, checks)
        elif kind == "resave":
            link = os.path.join(folder, os.path.basename(path))
            os.symlink(path, link)
            check_roundtrip.check_file(link, checks)
        else:
            check_older(path, folder, checks)


def written(path, folder, name, checks, *options):
    """The program that torch loads from what rung writes; None (a failed check) if there is none."""
    out = os.path.join(folder, f"{name}.pt2")
    found = {}
    if checks(f"{name}: lower", rung, "lower", path, "--to", name, "-o", out, *options):
        checks(f"{name}: torch loads it", lambda: found.update(program=load(out)))
    return found.get("program")


def check_model(path, folder, checks):
    arrays = np.load(path[:-4] + ".npz")
    inputs = tuple(torch.from_numpy(arrays[f"in{i}"]) for i in range(sum(k.startswith("in") for k in arrays)))
    expected = [torch.from_numpy(arrays[f"out{i}"]) for i in range(sum(k.startswith("out") for k in arrays))]
    for name in ("aten", "core", "prims"):
        program = written(path, folder, name, checks)
        if program is None:
            continue

        def values():
            got = [v for v in pytree.tree_leaves(run_module(program.module(), inputs)[0]) if isinstance(v, torch.Tensor)]
            compare_close(expected, got)

        checks(f"{name}: values", values)


def compare_close(expected, got, rtol=1e-4, atol=1e-5):
    if len(expected) != len(got):
        raise Failed(f"{len(expected)} outputs expected, got {len(got)}")
    for i, (x, y) in enumerate(zip(expected, got)):
        if x.shape != y.shape or x.dtype != y.dtype:
            raise Failed(f"output {i}: expected {x.dtype}{list(x.shape)}, got {y.dtype}{list(y.shape)}")
        if not torch.allclose(x.double(), y.double(), rtol=rtol, atol=atol, equal_nan=True):
            raise Failed(f"output {i} differs by at most {(x.double() - y.double()).abs().max().item()}")


def user_inputs(program):
    kinds = {spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"}
    return [node for node in program.graph.nodes if node.op == "placeholder" and node.name in kinds]


def other_sizes(program, step):
    """A value for each symbol of the inputs: what it was when exported and `step`, within its range."""
    values = {}
    for node in user_inputs(program):
        for size in node.meta["val"].shape:
            if isinstance(size, torch.SymInt):
                for symbol in size.node.expr.free_symbols:
                    vr = program.range_constraints.get(symbol)
                    most = int(vr.upper) if vr is not None and vr.upper.is_Integer else 10**6
                    hint = int(size.node.shape_env.backed_var_to_val[symbol])
                    values[symbol] = min(most, hint + step) if hint < most else hint - 1
    return values


def resized(array, node, sizes):
    """The recorded input, cut or repeated, so that indices and masks stay what they were."""
    shape = [int(s.node.expr.subs(sizes)) if isinstance(s, torch.SymInt) else s for s in node.meta["val"].shape]
    for dim, size in enumerate(shape):
        array = np.take(array, np.arange(size) % array.shape[dim], axis=dim)
    return torch.from_numpy(np.ascontiguousarray(array))


def check_dynamic(path, folder, checks):
    """What rung writes of a dynamic program runs at other sizes, with the values of the program that torch exported."""
    arrays = np.load(path[:-4] + ".npz")
    original = load(path)
    nodes = user_inputs(original)
    for name in ("aten", "core", "prims"):
        program = written(path, folder, name, checks)
        if program is None:
            continue

        def ranges():
            if str(program.range_constraints) != str(original.range_constraints):
                raise Failed(f"ranges: expected {original.range_constraints}, got {program.range_constraints}")

        checks(f"{name}: ranges", ranges)
        for step in (1, 3):

            def values():
                sizes = other_sizes(original, step)
                inputs = tuple(resized(arrays[f"in{i}"], node, sizes) for i, node in enumerate(nodes))
                expected, got = ([v for v in pytree.tree_leaves(run_module(p.module(), inputs)[0]) if isinstance(v, torch.Tensor)] for p in (original, program))
                compare_close(expected, got)

            checks(f"{name}: values at other sizes (+{step})", values)


def random_inputs(program):
    """For each user input, values that fit its recorded metadata; integers are small, as they may be indices."""
    torch.manual_seed(0)
    kinds = {spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"}
    inputs = []
    for node in program.graph.nodes:
        if node.op == "placeholder" and node.name in kinds:
            value = node.meta["val"]
            floating = value.dtype.is_floating_point
            inputs.append(torch.randn(value.shape).to(value.dtype) if floating else torch.randint(0, 3, value.shape).to(value.dtype))
    return tuple(inputs)


def check_older(path, folder, checks):
    original = {}
    if not checks("torch 2.13 loads the original", lambda: original.update(program=load(path))):
        return
    program = original["program"]
    inputs = random_inputs(program)
    expected = run_module(program.module(), inputs)
    random = os.path.basename(path).startswith("dropout_train")
    for name in ("aten", "core", "prims"):
        mine = written(path, folder, name, checks, "--build", "2.13")
        if mine is None:
            continue

        def values():
            got = run_module(mine.module(), inputs)
            for a, b in zip(expected, got):
                compare_values(a, b, metadata_only=random)

        checks(f"{name}: values", values)
