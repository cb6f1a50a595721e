"""nn.GRU is refused as one op (tvm#18356) and is unrolled by the default table. Expected: the unrolled graph is
exact, two layers and both directions; the user can also keep aten.gru.input whole."""
import torch


def make():
    m = torch.nn.GRU(3, 4, 2, batch_first=True, bidirectional=True).eval()
    return m, (torch.randn(2, 3, 3),), {}, None
