"""native_batch_norm with training=False and no running numbers (pytorch#147287): the eager CPU kernel ends the
process (segmentation fault), the decomposition asserts. Expected: an error naming the missing running_mean, no
crash."""
import torch


def make():
    def f(x):
        return torch.native_batch_norm(x, None, None, None, None, False, 0.1, 1e-5)
    return f, (torch.randn(2, 3, 4),), {}, None
