"""Newer 8-bit floats fail to save (pytorch#176621). Expected: all five float8 dtypes survive the round trip bit for
bit."""
import torch


def make():
    def f(x):
        t = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz, torch.float8_e8m0fnu]
        return tuple(x.to(d).to(torch.float32) for d in t)
    return f, (torch.tensor([1.0, 0.5, 448.0, 3.3]),), {}, None
