"""bucketize stays after the default table and the edge runtime has no kernel (executorch#20270). Expected: a table of
what is not core, or a decomposition; right=True/False and NaN handled as eager."""
import torch


def make():
    def f(x, b):
        return torch.bucketize(x, b), torch.bucketize(x, b, right=True, out_int32=True)
    return f, (torch.tensor([0.0, 1.0, 1.5, 9.0, float("nan")]), torch.tensor([1.0, 2.0])), {}, None
