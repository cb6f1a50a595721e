"""In-place indexed write with None and repeated indices failed in run_decompositions (pytorch#141336). Expected:
functional index_put with the same indices; accumulate=True adds every duplicate."""
import torch


def make():
    def f(x, v):
        y = x.clone()
        torch.ops.aten.index_put_(y, [None, torch.tensor([0, 0, 2])], v)
        z = x.clone()
        torch.ops.aten.index_put_(z, [torch.tensor([1, 1, -1])], torch.ones(1), True)
        return y, z
    return f, (torch.zeros(3, 4), torch.tensor([[1.0], [2.0], [3.0]])), {}, None
