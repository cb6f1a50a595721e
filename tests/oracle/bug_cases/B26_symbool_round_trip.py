"""A symbolic comparison kept as a value and used by torch.sym_not / cond breaks serialization (pytorch#136897,
#137365). Expected: SymBool nodes are read and written; both branches work after load."""
import torch


def make():
    def f(x):
        return torch.cond(x.shape[0] > 3, lambda a: a + 1, lambda a: a - 1, (x,))
    return f, (torch.randn(5, 2),), {}, ({0: torch.export.Dim("n", min=2, max=64)},)


def MORE():
    return [((torch.randn(2, 2),), {})]
