"""addcdiv in f16 differs from eager by the rounding of value * (a / b) (pytorch#121238, #181694). Expected:
intermediate in f32, one rounding at the end; value=-1, and integer inputs for addcmul."""
import torch

TOL = (0.0, 0.0)


def make():
    torch.manual_seed(3)
    def f(p, a, b):
        return torch.addcdiv(p, a, b, value=-1), torch.addcmul(p, a, b, value=0.1), torch.addcdiv(p.bfloat16(), a.bfloat16(), b.bfloat16())
    return f, tuple((torch.randn(64) * s).half() for s in (20, 30, 1)), {}, None
