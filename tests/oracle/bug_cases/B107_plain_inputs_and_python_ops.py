"""Graphs take ints, bools, strings and None as inputs and call Python operators (getitem, add, mul, pow) positionally
(torch-mlir#3118, pytorch#99534, ncnn#6945). Expected: constants checked at call time, operator nodes keep positional
arguments."""
import torch


def make():
    def f(x, n, flag, name, opt=None):
        a, b = torch.split(x, [1, x.shape[0] - 1])
        s = x.shape[0] * 2 + x.shape[1] ** 2 - 1
        return (a * n + b) * (2 if flag and name == "mul" else 1) * s, n
    return f, (torch.randn(4, 3), 3, True, "mul"), {}, ({0: torch.export.Dim.DYNAMIC}, None, None, None)


def MORE():
    return [((torch.randn(6, 3), 3, True, "mul"), {}), ((torch.randn(6, 3), 4, True, "mul"), {})]
