"""Importing another package changes what run_decompositions does, since rules register globally (TensorRT#3226,
openvino#35463). Expected: a table is a value; two tables in one process do not affect each other."""
import torch


def make():
    def f(x):
        return torch.ops.aten.hardswish(x)
    return f, (torch.randn(4),), {}, None
