"""A decomposition asked for rms_norm has no effect (pytorch#171897), or an importer meets its pieces with a zero-size
axis (torch-mlir#4678). Expected: rms_norm goes down on request, stays on request; empty rows give empty output;
eps=None means the dtype's eps."""
import torch
import torch.nn.functional as F


def make():
    def f(x, e):
        return F.rms_norm(x, (4,)), F.rms_norm(e, (4,), eps=1e-6), F.rms_norm(x.bfloat16(), (4,))
    return f, (torch.randn(2, 4), torch.randn(0, 4)), {}, None
