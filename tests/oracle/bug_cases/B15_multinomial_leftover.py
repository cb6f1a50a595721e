"""multinomial has neither core tag nor decomposition (executorch#10315). Expected: a clear 'left over, no rule'
report rather than a late failure; deterministic under a seed."""
import torch


def make():
    def f(p):
        return torch.multinomial(p, 2)
    return f, (torch.tensor([0.1, 0.2, 0.7]),), {}, None
