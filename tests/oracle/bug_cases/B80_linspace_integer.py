"""linspace with an integer dtype does not match in a decomposition: rounding happens at the wrong place
(pytorch/xla#7505). Expected: eager's numbers for int64, for steps=1 and steps=0, and symmetric end handling."""
import torch


def make():
    def f(x):
        l = torch.linspace
        return x + l(4.9, 3, 5), l(-2, -3, 50, dtype=torch.int64), l(1, 9, 4, dtype=torch.int32), l(5, 7, 1), l(5, 7, 0), torch.arange(0, 1, 0.3), torch.logspace(0, 2, 3)
    return f, (torch.zeros(5),), {}, None
