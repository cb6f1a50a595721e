"""A stack trace found on the output node makes run_decompositions assert (pytorch#157183). Expected: reader and
passes accept any metadata on any node."""
import torch


def make():
    def f(x):
        return x.relu() + 1
    return f, (torch.randn(2),), {}, None
