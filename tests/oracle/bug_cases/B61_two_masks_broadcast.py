"""index_put with two bool masks with 1 and 3 True: torch broadcasts them (onnxscript#2965). Expected: as x[i, j] with
i of length 1 and j of length 3; no equal-count assumption."""
import torch


def make():
    def f(x, a, b):
        y = x.clone()
        y[a, b] = 9.0
        z = x.clone()
        z.index_put_((a, b), torch.tensor([1.0, 2.0, 3.0]), accumulate=True)
        return y, z
    return f, (torch.zeros(2, 4), torch.tensor([False, True]), torch.tensor([True, False, True, True])), {}, None
