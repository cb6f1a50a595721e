"""max_pool comes back as max_pool2d_with_indices although nobody asks for indices (tvm#18446, tt-metal#12099).
Expected: rung can hand a backend the one-result op when the second result has no user."""
import torch
import torch.nn.functional as F


def make():
    def f(x):
        return F.max_pool2d(x, 2), F.max_pool2d(x, 2, return_indices=True)[1]
    return f, (torch.randn(1, 1, 4, 4),), {}, None
