"""A tensor literal inside a cond branch breaks run_decompositions (pytorch#180354). Expected: the constant is lifted
through the branch; both branches right."""
import torch


def make():
    def f(x):
        return torch.cond(x.sum() > 0, lambda a: a + torch.tensor(10.0), lambda a: a.clone(), (x,))
    return f, (torch.tensor([1.0, 2.0]),), {}, None


def MORE():
    return [((torch.tensor([-1.0, -2.0]),), {})]
