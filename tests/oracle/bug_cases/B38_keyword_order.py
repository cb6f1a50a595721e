"""Keyword arguments given in another order than the signature produced a wrong program (pytorch#143732). Expected:
values follow names; constants (flag) do not become tensors."""
import torch


def make():
    def f(a, b, c, flag=True):
        return a - 10 * b + 100 * c if flag else a
    return f, (torch.ones(2),), {"flag": True, "c": torch.full((2,), 3.0), "b": torch.full((2,), 2.0)}, None
