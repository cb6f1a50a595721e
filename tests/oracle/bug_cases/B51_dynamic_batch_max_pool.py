"""max_pool2d with a dynamic batch crashes the StableHLO path (pytorch/xla#8200). Expected: only the batch is dynamic;
padding value is -inf (a negative input must not be beaten by 0)."""
import torch
import torch.nn.functional as F


def make():
    def f(x):
        return F.max_pool2d(x, 3, 2, 1, ceil_mode=True)
    return f, (-torch.rand(2, 1, 6, 7) - 1,), {}, ({0: torch.export.Dim("b", min=1, max=8)},)


def MORE():
    return [((-torch.rand(5, 1, 6, 7),), {})]
