"""Values of programs: computed by rung's kernels, and how far they are from torch's."""
import os
import re
import subprocess
import tempfile

import numpy as np
import torch

from common import RUNG, Failed, Refused

# How far results may be apart, in units of the last place of the largest element: torch's kernels of floats round at
# each step, and sum in another order.
ULPS = 64
BITS = {torch.bfloat16: torch.uint16, torch.float8_e4m3fn: torch.uint8, torch.float8_e5m2: torch.uint8}


def leaves(value):
    """The tensors of a result, in order; a number is one without dimensions."""
    if isinstance(value, torch.Tensor):
        return [value.detach()]
    if isinstance(value, (bool, int)):
        return [torch.tensor(value)]
    if isinstance(value, float):
        return [torch.tensor(value, dtype=torch.float64)]
    if isinstance(value, (complex, str)):
        return []
    items = value.values() if isinstance(value, dict) else value or ()
    return [leaf for item in items for leaf in leaves(item)]


def distance(got, expected):
    """In units of the last place of the largest element; infinite where shapes, dtypes or infinities differ."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return float("inf")
    if expected.is_complex():
        got, expected = torch.view_as_real(got.resolve_conj()), torch.view_as_real(expected.resolve_conj())
    if not expected.dtype.is_floating_point or expected.numel() == 0:
        return 0.0 if torch.equal(got, expected) else float("inf")
    unit = torch.finfo(expected.dtype).eps
    got, expected = got.double(), expected.double()
    finite = expected.isfinite()
    if not torch.equal(got[~finite].nan_to_num(), expected[~finite].nan_to_num()):
        return float("inf")
    got, expected = got[finite], expected[finite]
    if expected.numel() == 0:
        return 0.0
    far = (got - expected).abs().max().item() / (expected.abs().max().item() * unit or 1.0)
    return far if far == far else float("inf")


def settled(name, results):
    """Eigenvalues in one order, and each eigenvector times the number that makes its largest element positive: rounding
    decides both, so that torch itself differs between float32 and float64."""
    if not name.startswith("linalg_eig"):
        return results
    values, *vectors = results
    keys = torch.view_as_real(values.resolve_conj()) if values.is_complex() else values.unsqueeze(-1)
    order = sum(keys[..., i] * weight for i, weight in zip(range(keys.shape[-1]), (1, 0.37))).argsort(-1)
    settled = [values.gather(-1, order)]
    for x in vectors:
        x = x.gather(-1, order.unsqueeze(-2).expand(x.shape))
        if x.numel():
            largest = x.gather(-2, (x.abs() > 0.999 * x.abs().amax(-2, True)).int().argmax(-2, True))
            x = x * (largest.abs() / largest)
        settled.append(x)
    return settled


# Where torch keeps fewer digits than its dtypes have (places of samples of half precision are computed in it, say): see
# src/interp/distance.cpp.
FAR = {"logcumsumexp": 1e16, "matrix_exp": 1e3, "grid_sampler": 1e4, "nn.functional.grid_sample": 1e4, "special.bessel_j": 1e9, "special_bessel_j": 1e9}


def allowed(name):
    return next((far for start, far in FAR.items() if name.startswith(start)), ULPS)


def compare(got, expected, limit=ULPS):
    if len(got) != len(expected):
        raise Failed(f"{len(got)} tensors, torch has {len(expected)}")
    far = max((distance(a, b) for a, b in zip(got, expected)), default=0)
    if not far <= limit:
        raise Failed(f"{far:.3g} ulps from torch")


def to_numpy(tensor):
    """Numpy has no bfloat16 and no float8: their bits."""
    tensor = tensor.detach().resolve_conj().resolve_neg().contiguous()
    return (tensor.view(BITS[tensor.dtype]) if tensor.dtype in BITS else tensor).numpy()


def from_numpy(array, dtype):
    tensor = torch.from_numpy(np.asarray(array))
    return tensor.view(dtype) if BITS.get(dtype) == tensor.dtype else tensor


def raise_refusal(text):
    """Raises Refused where rung says that it has no kernel or no path."""
    for pattern in (r"\S+ cannot be computed.*", r"numpy has no dtype.*", r"rung does not compute with.*", r"no kernel of an operator.*", r"no path to.*", r"\S+ reports its errors by a token.*"):
        if found := re.search(pattern, text):
            raise Refused(found[0].splitlines()[0])


def rung_or_refused(*command):
    done = subprocess.run([RUNG, *command], capture_output=True, text=True)
    if done.returncode == 2:
        raise_refusal(done.stderr)
        raise Refused(re.sub(r".*\): ", "", done.stderr.strip()))
    if done.returncode:
        raise Failed(f"exit code {done.returncode}: {done.stderr.strip()[-400:]}")


def computed(path, inputs, like, rung=None):
    """What rung's kernels make of a program, or of what it is on a rung; tensors of the dtypes of `like`."""
    with tempfile.TemporaryDirectory() as folder:
        given, made, lowered = (os.path.join(folder, name) for name in ("in.npz", "out.npz", "lowered.pt2"))
        np.savez(given, **{f"in{i}": to_numpy(x) for i, x in enumerate(inputs)})
        if rung:
            rung_or_refused("lower", path, "--to", rung, "-o", lowered)
            path = lowered
        rung_or_refused("run", path, "--inputs", given, "-o", made)
        arrays = np.load(made)
        names = sorted((name for name in arrays.files if name.startswith("out")), key=lambda name: int(name[3:]))
        got = [arrays[name] for name in names]
        return [from_numpy(array, tensor.dtype) for array, tensor in zip(got, like)] + got[len(like):]
