"""Makes patches.pt2 with torch 2.13: python patches.py, in this folder. A vision transformer of one block, exported once,
with a dynamic batch: the program that docs/two-back-ends.md lowers for two back ends."""
import sys

import torch
from torch import nn
from torch.export import Dim

sys.path.insert(0, "../tests/unit/files")
from make import without_folders


class Patches(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.patch = nn.Conv2d(3, width, kernel_size=4, stride=4)
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.head = nn.Linear(width, 10)

    def attention(self, x):
        q, k, v = self.qkv(x).unflatten(2, (3, self.heads, -1)).permute(2, 0, 3, 1, 4).unbind()
        attended = nn.functional.scaled_dot_product_attention(q, k, v)
        return self.out(attended.transpose(1, 2).flatten(2))

    def forward(self, image):
        x = self.patch(image).flatten(2).transpose(1, 2)
        x = x + self.attention(self.norm1(x))
        x = x + self.down(nn.functional.gelu(self.up(self.norm2(x))))
        return self.head(x.mean(1))


torch.manual_seed(0)
image = torch.randn(2, 3, 16, 16)
program = torch.export.export(Patches().eval(), (image,), dynamic_shapes=({0: Dim("batch")},))
torch.export.save(without_folders(program), "patches.pt2")
