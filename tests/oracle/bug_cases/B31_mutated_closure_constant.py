"""A tensor captured from the closure (not registered) is changed in forward: export accepts, run_decompositions
raises (pytorch#197096). Expected: an error at load/verify time that names the constant, never a silent drop."""
import torch
import torch.nn.functional as F

rm, rv = torch.zeros(2), torch.ones(2)


def make():
    def f(x):
        return F.instance_norm(x, rm, rv, use_input_stats=True)
    return f, (torch.randn(2, 2, 4),), {}, None
