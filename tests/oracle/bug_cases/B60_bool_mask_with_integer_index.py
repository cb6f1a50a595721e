"""x[mask, j]: a converter took the mask for a row selection and dropped j (coremltools#2842). Expected: positions of
True pair up with j elementwise: x[[T,T],[0,2]] is [0, 5]. torch 2.13 cannot export that pairing (the count of True
disappears into j's size); masks alone, masks after a None and integer pairs must work."""
import torch


def make():
    def f(x, m, i, j):
        return x[m], x[:, None][m, :, 1], x[i, j], x[i[:, None], j], x[..., j]
    return f, (torch.arange(6.0).view(2, 3), torch.tensor([False, True]), torch.tensor([1, -1]), torch.tensor([0, 2])), {}, None


def MORE():
    return [((torch.arange(6.0).view(2, 3), torch.tensor([False, False]), torch.tensor([0, 1]), torch.tensor([-3, 1])), {})]
