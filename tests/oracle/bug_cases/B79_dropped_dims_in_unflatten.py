"""unflatten/view of a dynamic dimension got a constant size in a decomposition (iree#18899 and its torch-mlir fix).
Expected: -1 and products of symbols stay symbolic; works at another size."""
import torch


def make():
    def f(x):
        y = x.unflatten(1, (-1, 2))
        return y.flatten(0, 1), x.view(x.shape[0] * 2, -1), torch.stack(x.chunk(2, 1))
    return f, (torch.randn(3, 4),), {}, ({0: torch.export.Dim.DYNAMIC, 1: 2 * torch.export.Dim("h", min=1, max=64)},)


def MORE():
    return [((torch.randn(5, 8),), {})]
