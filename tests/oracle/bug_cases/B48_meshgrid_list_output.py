"""meshgrid fails or not depending on which of two tables supplied its rule (pytorch#141770). Expected: one rule per
op whatever the route; 'ij' and 'xy' orders; list output read by getitem or inlined."""
import torch


def make():
    def f(a, b):
        x, y = torch.meshgrid(a, b, indexing="ij")
        u, v = torch.meshgrid(a, b, indexing="xy")
        return x + y, u * v
    return f, (torch.arange(3.0), torch.arange(2.0)), {}, None
