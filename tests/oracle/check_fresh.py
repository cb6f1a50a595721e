"""Operators of torch's database on samples drawn there and then, in any dtype: exported, and computed by rung as exported,
on core and on prims."""
import os
import random
import sys
import tempfile
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db

import check_opinfo
from common import ROOT
from values import allowed, compare, computed, leaves

sys.path.insert(0, os.path.join(ROOT, "scripts"))
from dynamic_opinfo import Call

MOST_ELEMENTS = 20000
MOST_SAMPLES = 60  # looked at, of an operator
DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128, torch.bool,
          torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
# Their order of equal elements is free, and so where they found one.
FREE_ORDER = ("sort", "argsort", "topk", "kthvalue", "msort", "median", "nanmedian", "mode")
# Signs or phases of what they give are free.
FREE_SIGNS = ("linalg.eig", "linalg.eigh", "linalg.svd", "svd", "linalg.qr", "qr", "geqrf", "symeig", "svd_lowrank", "pca_lowrank")
# What torch's kernels overflow in, or give numbers of no meaning: rung has the value. So has polygamma its poles, which lie
# at integers.
MEANINGLESS = [(name, dtype) for name in ("matrix_exp", "nn.functional.soft_margin_loss") for dtype in (torch.float16, torch.bfloat16)]
# torch's kernels of bytes round their weights to 16 bits, so that a result may be one off.
MEANINGLESS += [(name, torch.uint8) for name in ("nn.functional.interpolate", "nn.functional.upsample_bilinear")]


def cases(count, seed, match=""):
    """(operator, dtype, seed), as many as asked for, each operator as often as another."""
    rng = random.Random(seed)
    operators = [i for i, op in enumerate(op_db) if match in op.name]
    rng.shuffle(operators)
    drawn = []
    while operators and len(drawn) < count:
        for i in operators[: count - len(drawn)]:
            dtypes = [dtype for dtype in DTYPES if dtype in op_db[i].dtypes]
            if dtypes:
                drawn.append((i, rng.choice(dtypes), rng.randrange(10**6)))
        if not drawn:
            break
    return drawn


def sample_of(op, dtype, seed):
    """A module and its eager results; None where torch itself has none, or cannot export it."""
    torch.manual_seed(seed)
    samples = [s for s, _ in zip(op.sample_inputs("cpu", dtype, requires_grad=False), range(MOST_SAMPLES))]
    module = Call(op.op, random.Random(seed).choice(samples)).eval()
    if sum(x.numel() for x in module.inputs) > MOST_ELEMENTS:
        return None
    with torch.no_grad():
        results = leaves(module(*[x.clone() for x in module.inputs]))
        return module, results, torch.export.export(module, module.inputs, strict=False)


def check(case, checks):
    index, dtype, seed = case
    op = op_db[index]
    name = f"{op.name}{'.' if op.variant_test_name else ''}{op.variant_test_name}"
    checks.case = f"{name} {str(dtype)[6:]} seed {seed}"
    warnings.filterwarnings("ignore")
    try:
        made = sample_of(op, dtype, seed)
    except Exception:  # torch has no such sample, or cannot export it
        made = None
    if made is None:
        return
    module, expected, program = made
    if check_opinfo.is_random(program) or check_opinfo.is_uninitialized(program):
        return
    if op.name.startswith(FREE_SIGNS) or not check_opinfo.runs(program, module.inputs):
        return
    if (op.name, dtype) in MEANINGLESS or ("polygamma" in op.name and not dtype.is_floating_point):
        return
    keeps = [not (op.name.removeprefix("Tensor.").startswith(FREE_ORDER) and x.dtype == torch.int64) for x in expected]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "case.pt2")
        try:
            torch.export.save(program, path)
            torch.export.load(path)
        except Exception:  # torch does not write or load every program
            return
        for rung in (None, "core", "prims"):
            def values():
                got = computed(path, module.inputs, expected, rung)
                if len(got) == len(expected):
                    got, wanted = ([x for x, keep in zip(values, keeps) if keep] for values in (got, expected))
                else:
                    wanted = expected
                compare(got, wanted, allowed(op.name))

            checks(f"values {rung or 'as exported'}", values)
