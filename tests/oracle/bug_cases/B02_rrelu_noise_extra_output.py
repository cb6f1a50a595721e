"""rrelu_with_noise writes into its noise argument (pytorch#143379). Expected: the user still sees ONE output; the
noise write is a declared input mutation, not a new user output."""
import torch


def make():
    def f(x, noise):
        return torch.ops.aten.rrelu_with_noise(x, noise, 0.4, 0.6, False).mean()
    return f, (torch.randn(3, 4), torch.zeros(3, 4)), {}, None
