"""max_pool2d(x, 3): the saved node leaves stride out or gives []; a .pt2 reader crashed on it (ncnn#6953). Expected:
an empty stride list means stride = kernel_size; absent arguments take the schema's default."""
import torch
import torch.nn.functional as F


def make():
    def f(x):
        return torch.ops.aten.max_pool2d.default(x, [3, 2]), F.avg_pool2d(x, 2), torch.nn.MaxPool2d(2)(x), F.max_pool1d(x[0], 2)
    return f, (torch.randn(1, 2, 7, 6),), {}, None
