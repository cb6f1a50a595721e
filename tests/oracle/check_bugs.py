"""Small programs from public bug reports, when they are there: what rung computes of them on each rung, against eager
torch. A case is a file with make() -> (module or function, args, kwargs, dynamic shapes), and maybe MORE() with further
inputs and TOL = (rtol, atol)."""
import copy
import glob
import importlib.util
import os
import tempfile

import torch
from torch.export._tree_utils import reorder_kwargs
from torch.utils import _pytree as pytree

from common import CORPUS, Failed
from values import computed, leaves

FOLDER = os.path.join(os.path.dirname(CORPUS), "research", "bug-cases")


def cases(match=""):
    return [path for path in sorted(glob.glob(os.path.join(FOLDER, "B*.py"))) if match in os.path.basename(path)]


def read_case(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Wrapped(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


def given(program, args, kwargs):
    """The inputs that the program still takes, in its order; numbers as tensors without dimensions."""
    leaves = pytree.tree_leaves((args, reorder_kwargs(kwargs, program.call_spec.in_spec)))
    values = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
    kept = [leaf for leaf, name in zip(leaves, program.graph_signature.user_inputs)
            if isinstance(values.get(name), (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool))]
    return [leaf if isinstance(leaf, torch.Tensor) else torch.tensor(leaf) for leaf in kept]


def compare(got, expected, tolerance):
    if len(got) != len(expected):
        raise Failed(f"{len(got)} results, torch has {len(expected)}")
    rtol, atol = tolerance
    for i, (a, b) in enumerate(zip(got, expected)):
        if a.dtype != b.dtype or a.shape != b.shape:
            raise Failed(f"out{i}: {a.dtype}{list(a.shape)}, torch has {b.dtype}{list(b.shape)}")
        wide = torch.complex128 if b.is_complex() else torch.float64
        if not torch.allclose(a.to(wide), b.to(wide), rtol=rtol, atol=atol, equal_nan=True):
            raise Failed(f"out{i} is not torch's")


def check(path, checks):
    checks.case = os.path.basename(path)[:-3]
    case = read_case(path)
    if not getattr(case, "EAGER", True):
        return
    torch.manual_seed(0)
    function, args, kwargs, dynamic = case.make()
    module = function if isinstance(function, torch.nn.Module) else Wrapped(function)
    inputs = [(args, kwargs), *(case.MORE() if hasattr(case, "MORE") else [])]
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        file = os.path.join(folder, "case.pt2")
        try:
            program = torch.export.export(copy.deepcopy(module), copy.deepcopy(args), copy.deepcopy(kwargs),
                                          dynamic_shapes=dynamic, strict=getattr(case, "STRICT", False))
            torch.export.save(program, file)
            torch.export.load(file)
        except Exception as error:
            checks.notes.append(f"torch cannot export it: {type(error).__name__}")
            return
        for number, (more_args, more_kwargs) in enumerate(inputs):
            torch.manual_seed(0)
            expected = leaves(copy.deepcopy(module)(*copy.deepcopy(more_args), **copy.deepcopy(more_kwargs)))
            torch.manual_seed(0)
            exported = leaves(program.module()(*copy.deepcopy(more_args), **copy.deepcopy(more_kwargs)))
            try:
                compare(exported, expected, (1e-3, 1e-4))
            except Failed:  # then what the file says is not what was written in Python
                checks.notes.append(f"{checks.case}: torch's own program differs from eager, and rung is held against the program")
                expected = exported
            for rung in (None, "aten", "core", "prims"):
                def values():
                    got = computed(file, given(program, more_args, more_kwargs), expected, rung)
                    compare(got, expected, getattr(case, "TOL", (1e-4, 1e-5)))

                checks(f"{rung or 'as exported'}, inputs {number}", values)
