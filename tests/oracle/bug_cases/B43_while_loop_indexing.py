"""A loop that indexes with its own counter fails when decomposed (pytorch#158366). Expected: while_loop with carried
tensors survives run_decompositions and gives the running sums."""
import torch
from torch._higher_order_ops import while_loop


def make():
    def f(x):
        def cond(i, acc):
            return i < 3
        def body(i, acc):
            return i + 1, acc + torch.index_select(x, 0, i.reshape(1)).squeeze(0)
        return while_loop(cond, body, (torch.tensor(0), torch.zeros(2)))[1]
    return f, (torch.arange(8.0).view(4, 2),), {}, None
