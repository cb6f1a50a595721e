"""A Python complex number as an operand cannot be saved (pytorch#160749). Expected: reader and writer know complex
scalars; real tensor * 1j is complex64."""
import torch


def make():
    def f(x):
        y = x.sin() * 1j
        return y, torch.view_as_real(y), y.abs()
    return f, (torch.randn(3),), {}, None
