"""A with torch.no_grad() block inside forward is saved as a sub-graph call (wrap_with_set_grad_enabled), autocast as
wrap_with_autocast (pytorch#123587, #138978). Expected: rung inlines the first; for autocast it shows the casts."""
import torch


def make():
    def f(x, w):
        with torch.no_grad():
            y = x.sin()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            z = y @ w
        return y.cos() + z.float()
    return f, (torch.randn(2, 2), torch.randn(2, 2)), {}, None
