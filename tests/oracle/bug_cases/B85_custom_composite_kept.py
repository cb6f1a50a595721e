"""A user's own composite (CompositeImplicitAutograd) op is opened although the backend implements it
(pytorch#150367). Expected: a custom op stays whole unless a rule for it is given."""
import torch


if not hasattr(torch.ops.bugcase, "twice"):
    _lib = torch.library.Library("bugcase", "FRAGMENT")
    _lib.define("twice(Tensor x) -> Tensor")
    _lib.impl("twice", lambda x: x + x, "CompositeImplicitAutograd")
    _lib.define("thrice(Tensor x) -> Tensor")
    _lib.impl("thrice", lambda x: x * 3, "CompositeExplicitAutograd")


def make():
    def f(x):
        return torch.ops.bugcase.twice(x), torch.ops.bugcase.thrice(x)
    return f, (torch.randn(3),), {}, None
