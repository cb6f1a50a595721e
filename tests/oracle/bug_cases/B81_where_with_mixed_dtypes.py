"""where(cond, f32, i64 or 0-d f64) crashes a bridge that wants equal types (pytorch/xla#6479). Expected: promotion
first; a wrapped 0-d number does not widen; masked_fill keeps self's dtype."""
import torch


def make():
    def f(c, x, i):
        m = torch.tensor(torch.finfo(torch.float32).min)
        return torch.where(c, x, i), torch.where(c, x.half(), m), torch.where(c, i, 2.5), x.half().masked_fill(c, -1e4), torch.maximum(x, i)
    return f, (torch.tensor([True, False]), torch.tensor([0.5, 1.5]), torch.tensor([3, 4])), {}, None
