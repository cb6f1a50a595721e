"""dst.copy_(src); return dst (pytorch#138293; run_decompositions changed what is in the graph and the outputs).
Expected: one input mutation + one user output, both equal to src, dst's own dtype kept."""
import torch


def make():
    def f(dst, src):
        dst.copy_(src)
        return dst
    return f, (torch.zeros(3, 2), torch.arange(2.0).double()), {}, None
