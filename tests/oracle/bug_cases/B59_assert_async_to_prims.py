"""Lowering _assert_async with the whole registry made extra view_of and called item() (pytorch#136050). Expected: the
assert survives as one effect with its message, and the rest goes to prims."""
import torch


def make():
    def f(x):
        torch.ops.aten._assert_async.msg(torch.tensor(True), "must hold")
        return x.sin() + 1
    return f, (torch.randn(2),), {}, None
