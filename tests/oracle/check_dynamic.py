"""Fresh programs with dynamic sizes, sizes that depend on data, and control flow: graphs, ranges and values against torch's."""
import os
import tempfile

import torch
import torch.nn as nn
from torch._higher_order_ops import map as torch_map
from torch._higher_order_ops.scan import scan
from torch.export import Dim

from common import Failed, compare_values, load, rung
from same_graph import first_difference

DYNAMIC = Dim.DYNAMIC
PROGRAMS = {}


def program(*args, sizes=None):
    """Makes the function a case: its parameters are `args`, with these dynamic sizes."""
    def keep(function):
        PROGRAMS[function.__name__] = (function, args, sizes)
        return function

    return keep


class Program(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.linear = nn.Linear(4, 4)

    def forward(self, *args):
        return self.function(self, *args)


def tensor(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


@program(tensor(3, 4), sizes=({0: DYNAMIC},))
def sizes_in_branches(self, x):
    return torch.cond(x.sum() > 0, lambda x: x.view(-1)[: x.shape[0]] * x.shape[0], lambda x: x.sum(1) + 1, (x,))


@program(tensor(5, 4), sizes=({0: DYNAMIC},))
def branch_on_a_size(self, x):
    y = x.repeat(2, 1)
    return torch.cond(x.shape[0] > 3, lambda y: nn.functional.silu(self.linear(y)), lambda y: y.sin(), (y,))


@program(tensor(3, 4), tensor(4), sizes=({0: DYNAMIC}, None))
def map_over_rows(self, xs, y):
    return torch_map(lambda x, y: nn.functional.silu(x) + y, xs, y)


@program(tensor(3, 4), sizes=({0: DYNAMIC},))
def loop(self, x):
    i = torch.zeros((), dtype=torch.int64)
    return torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, nn.functional.gelu(x) * 2), (i, x))


@program(tensor(3, 4), sizes=({1: DYNAMIC},))
def scan_rows(self, x):
    return scan(lambda carry, row: (carry + row, carry * row), x[0] * 0, x, dim=0)


@program(tensor(3, 4), sizes=({0: DYNAMIC},))
def masked(self, x):
    y = x[x > 0]
    return y * 2, y.shape[0]


@program(tensor(3, 4))
def masked_static(self, x):
    y = x[x > 0]
    return y * 2, y.shape[0]


@program(tensor(5, 4), torch.tensor(2), sizes=({0: DYNAMIC}, None))
def number_from_a_tensor(self, x, n):
    k = n.item()
    torch._check(k >= 0)
    torch._check(k <= x.shape[0])
    return x[:k] * 2


@program(torch.tensor(2))
def size_from_a_tensor(self, n):
    k = n.item()
    torch._check(k >= 0)
    return torch.zeros(k, 3) + k


@program(tensor(5, 4), sizes=({0: DYNAMIC},))
def places(self, x):
    found = torch.nonzero(x)
    return found.float().sum(0), torch.cat([found, found])


@program(torch.tensor([[0, 2, 1, 2], [2, 0, 0, 1]]), sizes=({0: DYNAMIC},))
def unique(self, x):
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True)
    return values * 2, inverse, counts


@program(tensor(5, 4), 3, sizes=({0: DYNAMIC}, DYNAMIC))
def number_as_input(self, x, n):
    return x.repeat(n, 1) * n


@program(tensor(1, 3, 8, 8), sizes=({2: DYNAMIC},))
def resized(self, x):
    return nn.functional.interpolate(x, scale_factor=1.5, mode="nearest")


@program(tensor(4, 3), torch.tensor([1, 2, 3, 4]), sizes=({0: DYNAMIC}, {0: DYNAMIC}))
def repeated(self, x, repeats):
    return torch.repeat_interleave(x, repeats, dim=0)


@program(tensor(2, 6, 4), sizes=({0: DYNAMIC, 1: DYNAMIC},))
def layers(self, x):
    y = nn.functional.layer_norm(self.linear(x), (4,))
    parts = y.reshape(x.shape[0], -1, 2, 2).transpose(1, 2)
    return torch.softmax(parts @ parts.transpose(-1, -2), -1).flatten(1)


def check(name, checks):
    function, args, sizes = PROGRAMS[name]
    torch.manual_seed(0)
    exported = torch.export.export(Program(function), args, dynamic_shapes=(sizes,) if sizes else None, strict=False)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"{name}.pt2")
        torch.export.save(exported, path)
        original = load(path)
        checks.equal("show", str(original.graph).strip(), rung("show", path).strip())
        for rung_name, table in (("aten", {}), ("core", None)):
            lowered = load(path).run_decompositions(table)

            def same_graph():
                found = first_difference(str(lowered.graph), rung("lower", path, "--like", "torch", "--to", rung_name), names=False)
                if found:
                    raise Failed(found)

            def same_values():
                out = os.path.join(folder, f"{name}.{rung_name}.pt2")
                rung("lower", path, "--to", rung_name, "-o", out)
                compare_values(original.module()(*args), load(out).module()(*args))

            checks(f"{rung_name}: graph", same_graph)
            checks.equal(f"{rung_name}: ranges", str(lowered.range_constraints), rung("lower", path, "--to", rung_name, "--format", "ranges").strip())
            checks(f"{rung_name}: values", same_values)
