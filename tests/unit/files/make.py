"""Makes the programs of this folder with torch 2.13: python make.py. NAME.txt is what torch prints after loading NAME.pt2,
the sub-graphs after the root, each under a line with its name."""
import re

import torch
from torch import nn
from torch._higher_order_ops.map import map as hop_map
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.export import Dim


def text(module):
    lines = [str(module.graph)]
    for node in module.graph.nodes:
        if node.op == "get_attr":
            lines += [f"-- {node.target}", text(getattr(module, node.target))]
    return "\n".join(lines)


def without_folders(program):
    """Without the folders of the machine in the lines that say where a node is from."""
    for module in program.graph_module.modules():
        for node in getattr(module, "graph", torch.fx.Graph()).nodes:
            if "stack_trace" in node.meta:
                node.meta["stack_trace"] = re.sub(r'"/[^"]*/', '"', node.meta["stack_trace"])
    return program


def program(name, module, args, lower=False, **options):
    exported = without_folders(torch.export.export(module, args, **options))
    if lower:
        exported = exported.run_decompositions()
    torch.export.save(exported, f"{name}.pt2")
    with open(f"{name}.txt", "w") as out:
        out.write(text(torch.export.load(f"{name}.pt2").graph_module))


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        def inner(x):
            return torch.cond(x.max() > 1, lambda x: x.sin(), lambda x: x.cos(), (x,))

        def yes(x):
            return self.linear(x), inner(x).sum()

        def no(x):
            return x * 2, x.mean()

        a, b = torch.cond(x.sum() > 0, yes, no, (x,))
        return a + b


class Loops(nn.Module):
    def forward(self, i, x, xs):
        i, x = while_loop(lambda i, x: i.sum() < 5, lambda i, x: (i + 1, x * 2), (i, x))
        carry, out = scan(lambda c, x: (c + x, c * x), x, xs)
        return i, hop_map(lambda row, y: row + y, out, carry)


class Constants(nn.Module):
    def forward(self, x, n, scale, flag, mode, nothing=None):
        return x * n + scale, n, None, 2.5, True


class Sizes(nn.Module):
    def forward(self, x, n):
        halves = torch.cat([x, x[:, ::2]], 1).reshape(-1)
        small = nn.functional.interpolate(x[None, None], scale_factor=0.5)
        return halves, small, x.view(n, -1), x.shape[0] ** 2 + n


class Counted(nn.Module):
    def forward(self, x):
        n = x.sum().item()
        torch._check(n >= 0)
        torch._check(n < 10)
        return torch.zeros(n), x[x > 0], x.float().mean().item()


class Effects(nn.Module):
    def forward(self, x):
        return torch.linalg.inv(x)


class State(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(3))
        self.register_buffer("mask", torch.ones(3), persistent=False)
        self.constant = torch.arange(2.0)
        self.part = nn.Buffer(torch.arange(1000.0)[10:13])
        self.empty = nn.Parameter(torch.zeros(0))
        self.turned = nn.Parameter(torch.arange(6.0).view(2, 3).t())
        self.tied = self.turned

    def forward(self, x):
        self.sum.add_(x)
        x.mul_(2)
        return x + self.mask + self.part + self.constant.sum() + self.empty.sum() + torch.tensor(3.0) + self.tied.sum()


class Results(nn.Module):
    def forward(self, x, i):
        a, b, c = x.split(1)
        values, _ = torch.topk(x, 2)
        floats = torch.full([2], float("-inf")) + torch.full([2], float("nan")) + x.clamp(max=float("inf"))[0, :2]
        return a, values, floats, x[None, i, ...], torch.einsum("ij,jk->ik", x, x) * (1 + 2j), torch.div(x, 2, rounding_mode="floor")


class Calls(nn.Module):
    def __init__(self):
        super().__init__()
        self.sub = nn.Sequential(nn.Linear(3, 3), nn.ReLU())

    def forward(self, x):
        return torch.vmap(lambda row: row.sin().sum())(self.sub(x))


@torch.library.custom_op("mine::several", mutates_args=())
def several(x: torch.Tensor, n: int, sizes: list[int]) -> list[torch.Tensor]:
    return [x.clone(), x * n]


@several.register_fake
def _(x, n, sizes):
    return [torch.empty_like(x), torch.empty_like(x)]


@torch.library.custom_op("mine::two", mutates_args=())
def two(x: torch.Tensor, *, scale: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    return x.clone(), x * scale


@two.register_fake
def _(x, *, scale=1.0):
    return torch.empty_like(x), torch.empty_like(x)


class Custom(nn.Module):
    def forward(self, x):
        return torch.ops.mine.two(torch.ops.mine.several(x, 3, [])[0], scale=2.0)[1]


class Bessel(nn.Module):
    """Three operators that most back ends lack, in two modules."""

    def __init__(self):
        super().__init__()
        self.last = Scaled()

    def forward(self, x):
        waves = torch.special.bessel_j0(x)
        q, r = torch.linalg.qr(waves)
        scaled = self.last(q)
        return scaled + r


class Scaled(nn.Module):
    def forward(self, x):
        return torch.special.i1e(x)


class Block(nn.Module):
    """One attention block: 36 nodes, 94 on core ATen."""

    def __init__(self, width=16, heads=4):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        q, k, v = [part.view(batch, length, self.heads, width // self.heads).transpose(1, 2) for part in parts]
        attended = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(nn.functional.silu(self.up(self.norm2(x))))


if __name__ == "__main__":
    torch.manual_seed(0)
    program("branches", Branches(), (torch.ones(2, 3),))
    program("loops", Loops(), (torch.zeros(1), torch.ones(3), torch.ones(4, 3)))
    program("constants", Constants(), (torch.ones(3), 3, 2.5, True, "mode"))
    program("sizes", Sizes(), (torch.ones(6, 8), 2), dynamic_shapes=({0: Dim.DYNAMIC, 1: Dim.DYNAMIC}, Dim.DYNAMIC))
    program("counted", Counted(), (torch.ones(3, dtype=torch.int64),))
    program("effects", Effects(), (torch.eye(3),), lower=True)
    program("state", State(), (torch.ones(3),))
    program("results", Results(), (torch.ones(3, 3), torch.tensor([0, 1])))
    program("calls", Calls(), (torch.ones(2, 3),), preserve_module_call_signature=("sub",))
    program("custom", Custom(), (torch.ones(3),))
    program("bessel", Bessel(), (torch.ones(3, 3),))
    program("block", Block(), (torch.ones(2, 8, 16),))
