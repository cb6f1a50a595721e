"""The baddbmm rule casts half inputs to f32 or rounds twice (pytorch#141045, #137897). Expected: within one half ulp
of eager; beta=0 skips the bias; no f32 copies of the operands forced on the backend."""
import torch


def make():
    def f(c, a, b):
        return torch.baddbmm(c, a, b, beta=0.5, alpha=2), torch.baddbmm(c, a, b, beta=0)
    return f, (torch.randn(2, 3, 4).bfloat16(), torch.randn(2, 3, 16).bfloat16(), torch.randn(2, 16, 4).bfloat16()), {}, None
