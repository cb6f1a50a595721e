"""Frontends mix up training and inference batch norm (tvm#17752, tvm#19574). Expected: eval uses the running numbers;
train uses the batch and updates them (unbiased variance) as buffer mutation."""
import torch


class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = torch.nn.BatchNorm1d(3), torch.nn.BatchNorm1d(3, momentum=0.3)
        self.a.running_mean.copy_(torch.tensor([1.0, 2.0, 3.0]))
        self.a.running_var.copy_(torch.tensor([0.5, 2.0, 4.0]))
        self.a.eval()
        self.b.train()

    def forward(self, x):
        return self.a(x), self.b(x)


def make():
    return M(), (torch.randn(5, 3),), {}, None
