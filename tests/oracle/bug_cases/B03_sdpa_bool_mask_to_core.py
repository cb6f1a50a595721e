"""Attention with a bool mask must come down to core ops (pytorch#119439): no
_scaled_dot_product_flash_attention_for_cpu left over, same numbers as eager."""
import torch
import torch.nn.functional as F


def make():
    def f(q, k, v, m):
        return F.scaled_dot_product_attention(q, k, v, m)
    q, k, v = (torch.randn(1, 2, 5, 8) for _ in range(3))
    m = torch.ones(5, 5).tril().bool()
    return f, (q, k, v, m), {}, None
