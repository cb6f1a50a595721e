"""cumsum over a bool mask with an output dtype, as DETR's position code does (torch-mlir#3866). Expected: the cast
happens before the sum (float result), without dtype= the result is int64."""
import torch


def make():
    def f(m):
        return m.cumsum(1, dtype=torch.float32), m.cumsum(0), (~m).to(torch.uint8).cumsum(1)
    return f, (torch.tensor([[True, False, True], [True, True, True]]),), {}, None
