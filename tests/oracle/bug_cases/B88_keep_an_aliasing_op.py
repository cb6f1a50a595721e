"""A backend asks to keep view-like ops (transpose, narrow, split): silently ignored (executorch#8776). Expected:
either kept, or refused aloud with the reason."""
import torch


def make():
    def f(x):
        a, b = x.transpose(0, 1).split(1)
        return a + b, x.narrow(1, 0, 1), torch.movedim(x, 0, 1)
    return f, (torch.randn(3, 2),), {}, None
