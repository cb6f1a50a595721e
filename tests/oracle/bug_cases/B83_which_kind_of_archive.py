"""People hand the loader the wrong file: an AOTI package, TorchScript, state dict, .onnx, an ExportedProgram object
(pytorch#172004, #156361, #163040, #167872, #47917). Expected: one line saying what the file is and what would open
it."""
import torch


def make():
    return torch.nn.Linear(2, 2), (torch.randn(1, 2),), {}, None
