"""Notes a tool puts on nodes are lost by run_decompositions, even on nodes that were not decomposed (pytorch#147338).
Expected: metadata of an untouched node stays; new nodes say which node and rule they came from."""
import torch
import torch.nn.functional as F


def make():
    def f(x):
        return F.gelu(torch.add(x, 1))
    return f, (torch.randn(3),), {}, None
