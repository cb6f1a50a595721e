"""No switch keeps scaled_dot_product_attention as one op for the fused kernel (litert-torch#1105, openvino#26878,
executorch#8505). Expected: 'exactly these ops' keeps it while all else goes to core, GQA and scale kept as
arguments."""
import torch
import torch.nn.functional as F


def make():
    def f(q, k, v):
        o = F.scaled_dot_product_attention(F.layer_norm(q, (8,)), k, v, is_causal=True, scale=0.3, enable_gqa=True)
        return F.gelu(o)
    return f, (torch.randn(1, 4, 5, 8), torch.randn(1, 2, 5, 8), torch.randn(1, 2, 5, 8)), {}, None
