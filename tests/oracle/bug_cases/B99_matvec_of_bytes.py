"""mv/dot/addr of small integers: the rule mul+sum widens uint8 to int64 (pytorch#84451). Expected: result dtype and
wrap-around as eager (uint8 stays uint8)."""
import torch


def make():
    def f(m, v, i):
        return torch.mv(m, v), torch.dot(v, v), torch.addr(i, v[:2].long(), v[:2].long()), m @ m
    return f, (torch.tensor([[200, 100], [3, 4]], dtype=torch.uint8), torch.tensor([2, 7], dtype=torch.uint8), torch.ones(2, 2, dtype=torch.int64)), {}, None
