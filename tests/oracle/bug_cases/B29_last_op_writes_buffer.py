"""The last thing forward does is copy an input into a buffer; the copy vanished (executorch#7515). Expected: after
one call the buffer holds x (BUFFER_MUTATION whose value is the input itself)."""
import torch


class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.ones(2))

    def forward(self, x):
        self.cache.copy_(x)
        return x.sum()


def make():
    return M(), (torch.tensor([5.0, 6.0]),), {}, None
