"""interpolate by scale_factor=1.5 of size 3: the factor, not out/in, sets the sampling positions (FlagGems#5216).
Expected: eager's values for nearest, bilinear, bicubic; recompute_scale_factor=True switches to the ratio."""
import torch
import torch.nn.functional as F


def make():
    def f(x):
        i = F.interpolate
        return (i(x, scale_factor=1.5, mode="bicubic"), i(x, scale_factor=1.5, mode="bilinear"), i(x, scale_factor=1.5),
                i(x, scale_factor=0.7, mode="nearest-exact"), i(x, scale_factor=1.5, mode="bilinear", recompute_scale_factor=True),
                i(x, size=(4, 5), mode="bicubic", align_corners=True))
    return f, (torch.randn(1, 2, 3, 5),), {}, None
