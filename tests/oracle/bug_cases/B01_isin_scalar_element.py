"""Membership test of a Python number in a constant tensor made inside forward (pytorch#170023). Expected:
run_decompositions succeeds; the result is a 0-d bool, True, and False for the second."""
import torch


def make():
    def f(x):
        return torch.isin(3, torch.tensor([1, 3])), torch.isin(0, torch.tensor(4)), x + 1
    return f, (torch.tensor([1.0]),), {}, None
