"""make_fx with real inputs writes sizes as numbers, so a later export is static (pytorch#134137). Expected of rung's
make_fx: 'real' and 'symbolic' modes, and a warning when a size was baked in."""
import torch


def make():
    def f(x, i):
        return torch.zeros(x.shape[0], 2).scatter_add(0, i[:, None].expand(-1, 2), x)
    return f, (torch.randn(4, 2), torch.tensor([0, 1, 0, 2])), {}, ({0: torch.export.Dim("n")}, {0: torch.export.Dim("n")})


def MORE():
    return [((torch.randn(6, 2), torch.arange(6)), {})]
