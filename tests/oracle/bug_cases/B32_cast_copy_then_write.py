"""to(copy=True) and then an in-place op on the copy (pytorch#131679). Expected: the input is untouched; and .to()
with the same dtype is an alias, so a write reaches the input."""
import torch


def make():
    def f(x, y):
        a = x.to(torch.float16, copy=True)
        a.mul_(2)
        b = y.to(torch.float32)
        b.add_(1)
        return a, b
    return f, (torch.ones(3), torch.zeros(3)), {}, None
