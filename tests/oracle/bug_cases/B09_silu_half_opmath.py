"""silu in f16/bf16: the decomposition casts to f32 and back (pytorch#126169). Expected: output dtype stays half; the
two casts are visible in the graph and the result matches eager."""
import torch
import torch.nn.functional as F


def make():
    def f(x, y):
        return F.silu(x), F.silu(y)
    return f, (torch.randn(16).half() * 4, torch.randn(16).bfloat16() * 4), {}, None
