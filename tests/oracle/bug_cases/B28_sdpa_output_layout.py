"""Attention, transpose, view: the decomposed attention has other strides than the fused one, so a later view is
illegal or contiguous() is dropped (pytorch#136543, #169732). Expected: re-export of the decomposed program works."""
import torch
import torch.nn.functional as F


def make():
    def f(q, k, v):
        o = F.scaled_dot_product_attention(q, k, v)
        return o.transpose(1, 2).contiguous().view(1, q.shape[2], -1)
    d = torch.export.Dim.DYNAMIC
    return f, tuple(torch.randn(1, 5, 2, 4).transpose(1, 2) for _ in range(3)), {}, ({2: d}, {2: d}, {2: d})


def MORE():
    return [(tuple(torch.randn(1, 7, 2, 4).transpose(1, 2) for _ in range(3)), {})]
