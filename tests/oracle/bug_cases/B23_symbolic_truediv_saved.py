"""Dynamic height used in a true division could not be serialized, or saved and then failed to load (pytorch#136113,
#136364). Expected: save/load round trip; works at a second size; truediv and floordiv nodes are read."""
import torch
import torch.nn.functional as F


def make():
    def f(x):
        h, w = x.shape[-2] / 2, x.shape[-1] // 2
        return F.adaptive_avg_pool2d(x, 1) * h + x[..., :w].sum() / h
    d = torch.export.Dim.DYNAMIC
    return f, (torch.randn(1, 1, 8, 6),), {}, ({2: d, 3: d},)


def MORE():
    return [((torch.randn(1, 1, 10, 4),), {})]
