"""A backend that implements upsample_nearest2d asks for no decomposition (empty table) and expects the one core-
tagged op back (pytorch#116684), not arange/mul/_unsafe_index."""
import torch
import torch.nn.functional as F


def make():
    def f(x):
        return F.interpolate(x, scale_factor=2.0, mode="nearest")
    return f, (torch.randn(1, 3, 4, 4),), {}, None
