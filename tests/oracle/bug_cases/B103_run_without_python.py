"""Users ask to load and run an exported program in C++ with no Python and no compile step (pytorch#144663,
tvm#18573). Expected: rung run model.pt2 gives eager's numbers for a small conv net with a dynamic batch."""
import torch


class M(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3, padding=1, bias=False), torch.nn.BatchNorm2d(4), torch.nn.ReLU6(inplace=True),
                                       torch.nn.MaxPool2d(2), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, 3))

    def forward(self, x):
        return self.net(x).softmax(-1)


def make():
    return M().eval(), (torch.randn(2, 1, 8, 8),), {}, ({0: torch.export.Dim("b", min=1, max=1024)},)


def MORE():
    return [((torch.randn(3, 1, 8, 8),), {}), ((torch.randn(1, 1, 8, 8),), {})]
