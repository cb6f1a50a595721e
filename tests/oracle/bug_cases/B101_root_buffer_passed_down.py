"""A buffer of the root handed to every layer's forward breaks unflatten (pytorch#127643). Expected: the module tree
can be rebuilt from nn_module_stack with the buffer as an argument; numbers equal."""
import torch


class L(torch.nn.Module):
    def forward(self, x, c):
        return x + c


class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("c", torch.ones(2))
        self.layers = torch.nn.ModuleList([L(), L()])

    def forward(self, x):
        for l in self.layers:
            x = l(x, self.c)
        return x


def make():
    return M(), (torch.randn(3, 2),), {}, None
