"""run_decompositions re-traces and grows faster than the model (pytorch#177927: 4096 layers 143 s; openvino#37626:
most of the conversion). Expected of rung: linear time, far below torch's; here 40 against 160 blocks."""
import torch


def net(n):
    return torch.nn.Sequential(*[m for _ in range(n) for m in (torch.nn.Linear(4, 4), torch.nn.LayerNorm(4), torch.nn.GELU())]).eval()


def make():
    return net(40), (torch.randn(2, 4),), {}, None
