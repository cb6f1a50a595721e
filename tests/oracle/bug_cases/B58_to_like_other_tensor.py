"""a.to(b) under the refs (pytorch#84734): the prim got a tensor where a dtype belongs. Expected: overload chosen by
argument kinds; to.other takes b's dtype; lowering to prims works."""
import torch


def make():
    def f(a, b):
        return a.to(b), a.type_as(b) + 1, a.to(torch.int32)
    return f, (torch.tensor([1.7, -1.7]), torch.zeros(1).half()), {}, None
