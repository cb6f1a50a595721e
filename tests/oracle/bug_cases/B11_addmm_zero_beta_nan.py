"""beta=0 means the bias is ignored, NaN and all (pytorch#196596). Expected: no NaN in the result, for addmm, baddbmm
and addmv."""
import torch


def make():
    def f(c, a, b):
        return (torch.addmm(c, a, b, beta=0), torch.baddbmm(c[None], a[None], b[None], beta=0),
                torch.addmv(c[0], b, a[0], beta=0))
    return f, (torch.full((4, 4), float("nan")), torch.randn(4, 4), torch.randn(4, 4)), {}, None
