"""_weight_norm_interface has no core tag (pytorch#112086). Expected: it goes down to core ops; norm over all dims but
`dim`."""
import torch


def make():
    m = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(3, 2), dim=0)
    return m, (torch.randn(2, 3),), {}, None
