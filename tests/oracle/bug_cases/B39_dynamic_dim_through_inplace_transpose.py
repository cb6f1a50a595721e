"""After run_decompositions the dynamic batch became a constant, because transpose_'s rule reads the sizes as Python
numbers (pytorch#148702). Expected: dim stays dynamic; works at another batch."""
import torch


def make():
    def f(x):
        y = x.clone()
        y.transpose_(0, 1)
        return y.unsqueeze_(0).squeeze_(0) + 1
    return f, (torch.randn(3, 4),), {}, ({0: torch.export.Dim("b")},)


def MORE():
    return [((torch.randn(6, 4),), {})]
