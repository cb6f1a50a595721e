"""Lengths read with .item() leave _local_scalar_dense, sym_constrain_range and _assert_scalar behind
(executorch#7998, torch-mlir#3943). Expected: verifier explains them; an option drops or keeps asserts; u0 dims
kept."""
import torch


def make():
    def f(x, n):
        k = n.max().item()
        torch._check(k >= 1)
        torch._check(k <= x.shape[0])
        m = torch.arange(k) < n[:, None]
        return x[:k].sum(), m
    return f, (torch.arange(6.0), torch.tensor([2, 3])), {}, None


def MORE():
    return [((torch.arange(6.0), torch.tensor([5, 1])), {})]
