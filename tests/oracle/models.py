"""Programs that the oracle exports afresh each time: small modules of the usual architectures, sizes drawn from a seed.

Each function below that is marked @program takes a Sizes and returns a Case. Names of functions are names of cases.
"""
import math
from dataclasses import dataclass, field
from random import Random

import torch
import torch.nn as nn
import torch.nn.functional as F


class Sizes:
    """Random sizes and inputs, from one seed and the case's name."""

    def __init__(self, seed, name):
        self.random = Random(f"{seed}:{name}")
        torch.manual_seed(self.random.randrange(2**31))

    def pick(self, *options):
        return self.random.choice(options)

    def range(self, low, high):
        return self.random.randint(low, high)

    def floats(self, *shape, dtype=torch.float32):
        return torch.randn(*shape).to(dtype)

    def ids(self, limit, *shape):
        return torch.randint(0, limit, shape)


@dataclass
class Case:
    module: nn.Module
    args: tuple
    kwargs: dict = field(default_factory=dict)
    exact: bool = False           # lowering changes no arithmetic: values are equal bit for bit
    random: bool = False          # values are drawn anew in each run: only their metadata is compared
    refused_by_torch: str = ""    # run_decompositions() itself fails, with this in its message
    tolerance: float = 1e-4
    name: str = ""


PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def build(name, seed):
    case = PROGRAMS[name](Sizes(seed, name))
    case.name = name
    return case


class Fn(nn.Module):
    """A module whose forward is a function of its inputs."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs, **named):
        return self.function(*inputs, **named)


# ---------------------------------------------------------------------------------------------- vision


@program
def mlp(r):
    a, b, c = r.range(2, 9), r.range(2, 9), r.range(2, 9)
    act = r.pick(nn.SiLU, nn.GELU, nn.ReLU, nn.Tanh, nn.Hardswish, nn.Mish, nn.ELU, nn.LeakyReLU, nn.Softplus)
    return Case(nn.Sequential(nn.Linear(a, b), act(), nn.LayerNorm(b), nn.Dropout(0.1), nn.Linear(b, c)).eval(),
                (r.floats(*[r.range(1, 4) for _ in range(r.range(1, 3))], a),))


class ResidualBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)) if stride > 1 else None
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += x if self.down is None else self.down(x)
        return self.relu(y)


def resnet_module(r):
    width = 4 * r.range(1, 3)
    return nn.Sequential(nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1),
                         ResidualBlock(width, width, 1), ResidualBlock(width, 2 * width, 2),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(1), nn.Linear(2 * width, r.range(2, 10)))


@program
def resnet(r):
    return Case(resnet_module(r).eval(), (r.floats(r.range(1, 3), 3, 32, 4 * r.range(7, 9)),))


@program
def resnet_train(r):
    return Case(resnet_module(r).train(), (r.floats(r.range(2, 3), 3, 32, 4 * r.range(7, 9)),), tolerance=1e-3)


@program
def resnet_channels_last(r):
    return Case(resnet_module(r).eval().to(memory_format=torch.channels_last),
                (r.floats(2, 3, 32, 32).to(memory_format=torch.channels_last),))


class Inverted(nn.Module):
    def __init__(self, width, expand):
        super().__init__()
        hidden = width * expand
        self.expand = nn.Sequential(nn.Conv2d(width, hidden, 1, bias=False), nn.BatchNorm2d(hidden), nn.Hardswish(inplace=True))
        self.depthwise = nn.Sequential(nn.Conv2d(hidden, hidden, 3, 1, 1, groups=hidden, bias=False), nn.BatchNorm2d(hidden), nn.ReLU6(inplace=True))
        self.squeeze = nn.Conv2d(hidden, width, 1)
        self.excite = nn.Conv2d(width, hidden, 1)
        self.project = nn.Sequential(nn.Conv2d(hidden, width, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        y = self.depthwise(self.expand(x))
        scale = F.hardsigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(y, 1)))), inplace=True)
        return x + self.project(y * scale)


@program
def mobilenet(r):
    width = 4 * r.range(1, 2)
    return Case(nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.Hardswish(), Inverted(width, 2), Inverted(width, 3),
                              nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(width, 5)).eval(), (r.floats(2, 3, 16, 4 * r.range(3, 5)),))


class ConvNextBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.scale = nn.Parameter(1e-1 * torch.ones(width))

    def forward(self, x):
        y = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        return x + (self.scale * self.down(F.gelu(self.up(y)))).permute(0, 3, 1, 2)


class ChannelNorm(nn.Module):
    """LayerNorm over the channels of an image, written out."""

    def __init__(self, width):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.rand(width)), nn.Parameter(torch.rand(width))

    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        variance = (x - mean).pow(2).mean(1, keepdim=True)
        return self.weight[:, None, None] * ((x - mean) / torch.sqrt(variance + 1e-6)) + self.bias[:, None, None]


@program
def convnext(r):
    width = 4 * r.range(1, 3)
    return Case(nn.Sequential(nn.Conv2d(3, width, 4, 4), ChannelNorm(width), ConvNextBlock(width), ConvNextBlock(width), ChannelNorm(width),
                              nn.Conv2d(width, 2 * width, 2, 2)).eval(), (r.floats(r.range(1, 2), 3, 32, 24),))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, mask=None, causal=False):
        b, n, d = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
        return self.out(y.transpose(1, 2).reshape(b, n, d))


class ViTBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(width), Attention(width, heads), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    def __init__(self, width, heads, patches, classes):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 8, 8)
        self.cls = nn.Parameter(torch.randn(1, 1, width))
        self.position = nn.Parameter(torch.randn(1, patches + 1, width))
        self.blocks = nn.ModuleList([ViTBlock(width, heads) for _ in range(2)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, image):
        x = self.patch(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


@program
def vit(r):
    rows, columns = r.range(1, 3), r.range(1, 3)
    return Case(ViT(16 * r.range(1, 2), r.pick(2, 4), rows * columns, r.range(2, 9)).eval(), (r.floats(r.range(1, 3), 3, 8 * rows, 8 * columns),))


class UNet(nn.Module):
    def __init__(self, width, mode):
        super().__init__()
        conv = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.GroupNorm(2, b), nn.SiLU())
        self.down1, self.down2, self.middle = conv(3, width), conv(width, 2 * width), conv(2 * width, 2 * width)
        self.up2, self.up1 = conv(4 * width, width), conv(2 * width, width)
        self.transposed = nn.ConvTranspose2d(width, width, 2, 2)
        self.last, self.mode = nn.Conv2d(width, 2, 1), mode

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        m = self.middle(F.avg_pool2d(b, 2, 2))
        align = {"align_corners": False} if self.mode == "bilinear" else {}
        b = self.up2(torch.cat([b, F.interpolate(m, scale_factor=2, mode=self.mode, **align)], 1))
        a = self.up1(torch.cat([a, self.transposed(b)], dim=1))
        return self.last(F.pad(a, (1, 1, 0, 2)))


@program
def unet(r):
    return Case(UNet(4 * r.range(1, 2), r.pick("nearest", "bilinear")).eval(), (r.floats(r.range(1, 2), 3, 8 * r.range(1, 3), 16),))


@program
def batch_norm_1d_train(r):
    return Case(nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.BatchNorm1d(8, affine=False, momentum=0.3)).train(), (r.floats(r.range(3, 6), 6),))


@program
def norms(r):
    return Case(nn.Sequential(nn.GroupNorm(2, 6), nn.InstanceNorm2d(6, affine=True), nn.Conv2d(6, 4, 3, groups=2, dilation=2, padding=1),
                              nn.LocalResponseNorm(3), nn.PixelShuffle(2), nn.Upsample(scale_factor=2)).eval(), (r.floats(2, 6, r.range(6, 9), 8),))


@program
def convolutions_1d_3d(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv1d(3, 4, 3, padding="same"), nn.Conv3d(2, 3, 2)
            self.c, self.d = nn.ConvTranspose1d(4, 2, 3, stride=2, output_padding=1), nn.Conv2d(3, 3, 3, padding_mode="reflect", padding=1)

        def forward(self, line, volume, image):
            return self.c(self.a(line)), F.max_pool3d(self.b(volume), 2), self.d(image), F.max_pool1d(line, 2, return_indices=True)

    return Case(Net().eval(), (r.floats(2, 3, r.range(6, 12)), r.floats(1, 2, 5, 5, r.range(5, 7)), r.floats(2, 3, r.range(4, 7), 5)))


# ---------------------------------------------------------------------------------------------- text


class Conv1D(nn.Module):
    """GPT-2's linear layer: addmm on a flattened view."""

    def __init__(self, outputs, inputs):
        super().__init__()
        self.weight, self.bias, self.outputs = nn.Parameter(torch.randn(inputs, outputs) / inputs**0.5), nn.Parameter(torch.zeros(outputs)), outputs

    def forward(self, x):
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(x.size()[:-1] + (self.outputs,))


class GPT2Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.c_attn, self.c_proj = Conv1D(3 * width, width), Conv1D(width, width)
        self.c_fc, self.c_out = Conv1D(4 * width, width), Conv1D(width, 4 * width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x):
        b, n, d = x.shape
        split = lambda t: t.view(b, n, self.heads, -1).transpose(1, 2)
        q, k, v = (split(t) for t in self.c_attn(self.ln_1(x)).split(d, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        y = y.transpose(1, 2).reshape(b, n, d).contiguous()
        x = x + self.dropout(self.c_proj(y))
        hidden = self.c_fc(self.ln_2(x))
        hidden = 0.5 * hidden * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (hidden + 0.044715 * torch.pow(hidden, 3.0))))
        return x + self.dropout(self.c_out(hidden))


class GPT2(nn.Module):
    def __init__(self, width, heads, layers, vocabulary, positions):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.h = nn.ModuleList([GPT2Block(width, heads) for _ in range(layers)])
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, ids):
        x = self.wte(ids) + self.wpe(torch.arange(ids.shape[1], device=ids.device)[None])
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


@program
def gpt2(r):
    return Case(GPT2(16, r.pick(2, 4), r.range(1, 2), 20, 16).eval(), (r.ids(20, r.range(2, 3), r.range(3, 9)),), refused_by_torch="Cannot view a tensor")


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.rand(width)), eps

    def forward(self, x):
        wide = x.to(torch.float32)
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * wide.to(x.dtype)


def rotate_half(x):
    return torch.cat((-x[..., x.shape[-1] // 2:], x[..., : x.shape[-1] // 2]), dim=-1)


class LlamaBlock(nn.Module):
    def __init__(self, width, heads, groups):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.q, self.k = nn.Linear(width, width, bias=False), nn.Linear(width, groups * self.size, bias=False)
        self.v, self.o = nn.Linear(width, groups * self.size, bias=False), nn.Linear(width, width, bias=False)
        self.gate, self.up, self.down = (nn.Linear(a, b, bias=False) for a, b in ((width, 2 * width), (width, 2 * width), (2 * width, width)))
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)

    def forward(self, x, cos, sin, mask):
        b, n, d = x.shape
        h = self.norm1(x)
        q = self.q(h).view(b, n, self.heads, self.size).transpose(1, 2)
        k, v = (f(h).view(b, n, self.groups, self.size).transpose(1, 2) for f in (self.k, self.v))
        q, k = q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
        repeat = self.heads // self.groups
        k, v = (t[:, :, None].expand(b, self.groups, repeat, n, self.size).reshape(b, self.heads, n, self.size) for t in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=self.size**-0.5)
        x = x + self.o(y.transpose(1, 2).contiguous().reshape(b, n, d))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class Llama(nn.Module):
    def __init__(self, width, heads, groups, vocabulary):
        super().__init__()
        self.embed, self.norm, self.head = nn.Embedding(vocabulary, width), RMSNorm(width), nn.Linear(width, vocabulary, bias=False)
        self.layers = nn.ModuleList([LlamaBlock(width, heads, groups) for _ in range(2)])
        size = width // heads
        self.register_buffer("inverse", 1.0 / (10000.0 ** (torch.arange(0, size, 2).float() / size)), persistent=False)

    def forward(self, ids):
        x = self.embed(ids)
        n = ids.shape[1]
        positions = torch.arange(n, device=ids.device)[None]
        angles = (self.inverse[None, :, None].float().expand(1, -1, 1) @ positions[:, None, :].float()).transpose(1, 2)
        angles = torch.cat((angles, angles), dim=-1)[:, None]
        mask = torch.full((n, n), torch.finfo(x.dtype).min)
        mask = torch.triu(mask, diagonal=1)
        mask = mask[None, None].expand(ids.shape[0], 1, -1, -1)
        for layer in self.layers:
            x = layer(x, angles.cos().to(x.dtype), angles.sin().to(x.dtype), mask)
        return self.head(self.norm(x)[:, -2:, :])


@program
def llama(r):
    return Case(Llama(16, 4, r.pick(1, 2, 4), 20).eval(), (r.ids(20, r.range(1, 3), r.range(3, 9)),))


class T5Attention(nn.Module):
    def __init__(self, width, heads, buckets):
        super().__init__()
        self.heads, self.buckets = heads, buckets
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.bias = nn.Embedding(buckets, heads)

    def bucket(self, relative):
        half = self.buckets // 2
        result = (relative > 0).to(torch.long) * half
        relative = torch.abs(relative)
        exact = half // 2
        large = exact + (torch.log(relative.float() / exact) / math.log(32 / exact) * (half - exact)).to(torch.long)
        large = torch.min(large, torch.full_like(large, half - 1))
        result += torch.where(relative < exact, relative, large)
        return result

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (f(x).view(b, -1, self.heads, d // self.heads).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = torch.matmul(q, k.transpose(3, 2))
        places = torch.arange(n)[:, None]
        bias = self.bias(self.bucket(torch.arange(n)[None, :] - places)).permute([2, 0, 1]).unsqueeze(0)
        scores += bias
        weights = F.softmax(scores.float(), dim=-1).type_as(scores)
        return self.o(torch.matmul(F.dropout(weights, p=0.1, training=self.training), v).transpose(1, 2).contiguous().view(b, -1, d))


@program
def t5(r):
    return Case(nn.Sequential(nn.Embedding(12, 16), RMSNorm(16), T5Attention(16, r.pick(2, 4), 8), RMSNorm(16)).eval(), (r.ids(12, r.range(1, 3), r.range(3, 9)),))


class Bert(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.words, self.kinds, self.places = nn.Embedding(20, width, padding_idx=0), nn.Embedding(2, width), nn.Embedding(16, width)
        self.norm, self.attention, self.norm2 = nn.LayerNorm(width, eps=1e-12), Attention(width, heads), nn.LayerNorm(width)
        self.up, self.down, self.pool, self.head = nn.Linear(width, 32), nn.Linear(32, width), nn.Linear(width, width), nn.Linear(width, 2)
        self.register_buffer("position_ids", torch.arange(16).expand((1, -1)), persistent=False)

    def forward(self, input_ids, attention_mask=None):
        n = input_ids.size()[1]
        x = self.words(input_ids) + self.kinds(torch.zeros_like(input_ids)) + self.places(self.position_ids[:, :n])
        x = self.norm(x)
        mask = attention_mask[:, None, None, :].to(x.dtype)
        mask = (1.0 - mask) * torch.finfo(x.dtype).min
        x = self.norm(x + self.attention(x, mask.expand(-1, 1, n, n)))
        x = self.norm2(x + self.down(F.gelu(self.up(x))))
        return {"logits": self.head(torch.tanh(self.pool(x[:, 0]))), "hidden": x}


@program
def bert(r):
    b, n = r.range(1, 3), r.range(3, 9)
    mask = torch.ones(b, n, dtype=torch.long)
    mask[0, n // 2 + 1:] = 0
    return Case(Bert(16, r.pick(2, 4)).eval(), (r.ids(20, b, n),), {"attention_mask": mask})


@program
def transformer_layers(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu", norm_first=r.pick(True, False))
            self.decoder = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)

        def forward(self, source, target):
            return self.decoder(target, self.encoder(source))

    return Case(Net().train(False), (r.floats(2, r.range(3, 6), 8), r.floats(2, r.range(2, 5), 8)))


@program
def attention_bool_mask(r):
    b, h, n, d = r.range(1, 3), 2, r.range(2, 6), 4
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    return Case(Fn(lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m)), (*(r.floats(b, h, n, d) for _ in range(3)), mask))


@program
def attention_low_rank(r):
    return Case(Fn(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)), tuple(r.floats(2, r.range(3, 3), 4) for _ in range(3)))


@program
def mixture_of_experts(r):
    class Net(nn.Module):
        def __init__(self, width, experts):
            super().__init__()
            self.router = nn.Linear(width, experts)
            self.weight = nn.Parameter(torch.randn(experts, width, width))

        def forward(self, x):
            scores, chosen = torch.topk(F.softmax(self.router(x), dim=-1), 2, dim=-1)
            scores = scores / scores.sum(-1, keepdim=True)
            gates = torch.zeros(x.shape[0], self.weight.shape[0]).scatter(1, chosen, scores)
            return torch.einsum("be,beo->bo", gates, torch.einsum("bi,eio->beo", x, self.weight))

    width = r.range(3, 8)
    return Case(Net(width, r.range(3, 5)).eval(), (r.floats(r.range(2, 5), width),))


@program
def mamba(r):
    """A selective scan, written as a loop."""
    class Net(nn.Module):
        def __init__(self, width, state):
            super().__init__()
            self.input, self.conv = nn.Linear(width, 2 * width), nn.Conv1d(width, width, 3, padding=2, groups=width)
            self.select, self.step = nn.Linear(width, 2 * state + 1), nn.Linear(1, width)
            self.log_a, self.d, self.out = nn.Parameter(torch.rand(width, state)), nn.Parameter(torch.ones(width)), nn.Linear(width, width)
            self.state = state

        def forward(self, x):
            b, n, width = x.shape
            h, gate = self.input(x).transpose(1, 2).chunk(2, dim=1)
            h = F.silu(self.conv(h)[..., :n])
            step, bs, cs = torch.split(self.select(h.transpose(1, 2)), [1, self.state, self.state], dim=-1)
            step = F.softplus(self.step(step)).transpose(1, 2)
            a = -torch.exp(self.log_a.float())
            da = torch.exp(a[None, :, None, :] * step[:, :, :, None])
            db = step[:, :, :, None] * bs[:, None, :, :].float() * h[:, :, :, None].float()
            state, outputs = torch.zeros(b, width, self.state), []
            for i in range(n):
                state = da[:, :, i, :] * state + db[:, :, i, :]
                outputs.append(torch.matmul(state, cs[:, i, :].unsqueeze(-1))[:, :, 0])
            y = torch.stack(outputs, dim=-1) + h * self.d[None, :, None]
            return self.out((y * F.silu(gate)).transpose(1, 2))

    width = r.range(2, 4)
    return Case(Net(width, 2).eval(), (r.floats(r.range(1, 2), r.range(2, 4), width),))


@program
def recurrent(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.other = nn.LSTMCell(3, 4), nn.GRUCell(4, 4)

        def forward(self, x, h, c):
            for i in range(2):
                h, c = self.cell(x[i], (h, c))
                h = self.other(h, h)
            return h, c

    b = r.range(1, 3)
    return Case(Net().eval(), (r.floats(2, b, 3), r.floats(b, 4), r.floats(b, 4)))


# ---------------------------------------------------------------------------------------------- mutation, aliasing, state


@program
def buffer_through_view(r):
    n = r.range(3, 6)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("cache", torch.zeros(n, 4))
            self.register_buffer("count", torch.zeros((), dtype=torch.long))
            self.register_buffer("scratch", torch.ones(n), persistent=False)

        def forward(self, x):
            self.cache[1:3] = x
            self.cache[:, 0].mul_(2)
            self.cache.t()[1].add_(self.scratch)
            self.count += 1
            self.scratch.view(-1, 1).fill_(2.5)
            return self.cache.sum(0) + self.count, self.cache[0]

    return Case(Net(), (r.floats(2, 4),))


@program
def input_through_view(r):
    def f(x, y):
        x[0].add_(1)
        view = x.transpose(0, 1)
        view[1:, :].mul_(y)
        x.view(-1)[::2].zero_()
        y.clamp_(min=-0.5, max=0.5)
        return x + 1, view, y * 2

    return Case(Fn(f), (r.floats(3, 4), r.floats(3, 3)), exact=True)


@program
def kv_cache(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("k", torch.zeros(2, 2, 8, 4))
            self.register_buffer("v", torch.zeros(2, 2, 8, 4))

        def forward(self, place, k, v):
            self.k[:, :, place] = k
            self.v.index_copy_(2, place, v)
            return F.scaled_dot_product_attention(k, self.k, self.v)

    n = r.range(1, 3)
    return Case(Net(), (torch.arange(n), r.floats(2, 2, n, 4), r.floats(2, 2, n, 4)))


@program
def momentum_update(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(4))
            self.register_buffer("variance", torch.ones(4))

        def forward(self, x):
            batch_mean, batch_variance = x.mean(0), x.var(0, unbiased=False)
            self.mean.lerp_(batch_mean, 0.1)
            self.variance.mul_(0.9).add_(batch_variance, alpha=0.1)
            self.mean.copy_(self.mean.detach().clamp(-1, 1))
            return (x - self.mean) / (self.variance + 1e-5).sqrt()

    return Case(Net(), (r.floats(r.range(3, 6), 4),))


@program
def assigned_buffer(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("state", torch.zeros(3))

        def forward(self, x):
            self.state = self.state * 0.5 + x.sum(0)
            return self.state + x

    return Case(Net(), (r.floats(r.range(2, 4), 3),))


@program
def inplace_activations(r):
    def f(x):
        y = x * 2
        F.relu(y, inplace=True)
        F.silu(y[:, 1:], inplace=True)
        y[:, 0] = torch.sigmoid(y[:, 0])
        y.masked_fill_(y > 2, 0.5)
        y[0] += x[0]
        return F.hardtanh(y, inplace=True), F.elu(x.clone(), inplace=True)

    return Case(Fn(f), (r.floats(r.range(2, 4), r.range(2, 5)),))


@program
def index_put(r):
    def f(x, i, j, v):
        y = x.clone()
        y[i, j] = v
        y[:, i] = 3.0
        z = torch.zeros_like(x).index_put_((i,), x[j], accumulate=True)
        w = x.clone()
        w[..., 1] = 0
        w[x > 0.5] = -1.0
        return y, z, w, x[i[:, None], j], x[None, 0, :, None]

    k, n = r.range(1, 3), 4
    return Case(Fn(f), (r.floats(n, n), torch.randperm(n)[:k], torch.randperm(n)[:k], r.floats(k)))


@program
def scatters(r):
    def f(x, index, source):
        y = x.scatter_add(0, index, source)
        y.scatter_(1, index, 0.25)
        z = x.scatter_reduce(0, index, source, reduce="amax", include_self=False)
        return y, z, x.gather(1, index), x.index_add(0, index[0], source), x.index_select(1, index[0]), x.index_fill(0, index[0, :1], 2.0)

    n = r.range(3, 5)
    index = torch.stack([torch.randperm(n) for _ in range(n)])
    return Case(Fn(f), (r.floats(n, n), index, r.floats(n, n)))


@program
def views_only(r):
    def f(x):
        a, b = x.unbind(0)
        c = x.permute(2, 0, 1).flatten(1)
        d = x.unfold(2, 2, 1).diagonal(0, 1, 2)
        e = x[..., None].squeeze(-1).movedim(0, 1).swapaxes(1, 2)
        return a.t(), b.reshape(-1), c, d, e, x.view(2, -1).narrow(1, 1, 3), x.chunk(2, 2), x.tensor_split(3, 1), x.mT

    return Case(Fn(f), (r.floats(2, r.range(3, 5), 4),), exact=True)


# ---------------------------------------------------------------------------------------------- regions and sub-graphs


@program
def no_grad_region(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x):
            y = self.a(x)
            with torch.no_grad():
                z = F.silu(self.b(y))
                w = z.sum(-1, keepdim=True)
            with torch.enable_grad():
                z = z * w
            return z + y.detach()

    return Case(Net(), (r.floats(r.range(2, 4), 4),))


@program
def autocast_region(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x):
            y = self.a(x)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                z = self.b(y) @ y.transpose(-1, -2)
                z = F.softmax(z, -1)
            with torch.autocast("cpu", enabled=False):
                w = self.b(y)
            return z.float().sum() + w

    return Case(Net().eval(), (r.floats(r.range(2, 4), 4),), tolerance=5e-2)


@program
def cond(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Linear(4, 4)

        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda v: F.silu(self.a(v)), lambda v: v.cos() * 2, (x,)) + 1

    return Case(Net(), (r.floats(r.range(2, 4), 4),))


@program
def nested_cond(r):
    def f(x, flag):
        def inner(v):
            return torch.cond(v.mean() > 0, lambda u: F.gelu(u), lambda u: F.hardswish(u), (v,))

        return torch.cond(flag, inner, lambda v: F.layer_norm(v, [4]), (x,))

    return Case(Fn(f), (r.floats(r.range(2, 4), 4), torch.tensor(r.pick(True, False))))


@program
def while_loop(r):
    from torch._higher_order_ops.while_loop import while_loop as loop

    def f(i, x):
        return loop(lambda i, x: i < 3, lambda i, x: (i + 1, F.silu(x) * 1.5), (i, x))

    return Case(Fn(f), (torch.tensor(0), r.floats(r.range(2, 4), 3)))


@program
def map_rows(r):
    from torch._higher_order_ops.map import map as map_over

    def f(xs, y):
        return map_over(lambda x, y: F.layer_norm(x + y, [3]), xs, y)

    return Case(Fn(f), (r.floats(r.range(2, 4), 2, 3), r.floats(3)))


# ---------------------------------------------------------------------------------------------- constants, structures, dtypes


@program
def tied_weights(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = nn.Embedding(6, 4), nn.Linear(4, 6, bias=False), nn.Linear(4, 6, bias=False)
            self.b.weight = self.a.weight
            self.c.weight = self.a.weight

        def forward(self, i):
            return self.b(self.a(i)) - self.c(self.a(i) * 2)

    return Case(Net(), (r.ids(6, r.range(2, 5)),))


@program
def lifted_constants(r):
    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.arange(6.0).view(2, 3)

        def forward(self, x):
            return x @ self.table.t() + torch.tensor([1.0, 2.0])

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            y = self.inner(x) * torch.tensor(2.0)
            y[:, 0] = torch.tensor(0.5, dtype=torch.float64)
            return y, torch.tensor([3, 4]) + 1, self.inner.table

    return Case(Net(), (r.floats(r.range(1, 3), 3),))


@program
def structured(r):
    class Net(nn.Module):
        def forward(self, pair, *rest, options, scale=None):
            a, b = pair
            total = a * options["weight"] + options["nested"][0] - options["nested"][1]
            for x in rest:
                total = total + x
            return {"sum": total, "parts": [a, (b, None)], "const": 3, "text": 2.5, "same": a}

    s = r.range(2, 4)
    x = lambda: r.floats(s, 3)
    return Case(Net(), ((x(), x()), x(), x()), {"options": {"weight": x(), "nested": [x(), x()]}, "scale": None})


@program
def constant_inputs(r):
    class Net(nn.Module):
        def forward(self, x, count, factor, flag, mode=None):
            y = x * factor + count
            return y.abs() if flag else y, count, mode

    return Case(Net(), (r.floats(3), r.range(1, 5), 0.5, True))


@program
def name_collisions(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.mul = nn.Parameter(torch.randn(3))
            self.register_buffer("add", torch.randn(3))

        def forward(self, mul, sum_1, view, clone):
            y = (mul * sum_1).sum(-1, keepdim=True) + self.mul * view
            return y.view(-1).clone() * clone.sum(), self.add + 1

    return Case(Net(), (r.floats(2, 3), r.floats(2, 3), r.floats(2, 3), r.floats(2)))


@program
def half(r):
    d = r.pick(torch.float16, torch.bfloat16)
    return Case(nn.Sequential(nn.Linear(8, 8), nn.SiLU(), nn.LayerNorm(8), nn.GELU(), nn.Softmax(-1), nn.Hardswish(), nn.LogSoftmax(-1)).to(d).eval(),
                (r.floats(r.range(2, 4), 8, dtype=d),), tolerance=5e-2)


@program
def half_llama(r):
    return Case(Llama(16, 2, 2, 10).to(torch.bfloat16).eval(), (r.ids(10, 2, r.range(3, 6)),), tolerance=2e-1)


@program
def half_convolution(r):
    return Case(nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten()).to(torch.bfloat16).eval(),
                (r.floats(2, 2, 8, r.range(6, 9), dtype=torch.bfloat16),), tolerance=1e-1)


@program
def integers(r):
    def f(i, j, b):
        return (i // j, i % j, i / j, i + 2.5, (i * j).sum(), i.float().mean(), i.bitwise_and(j), i << 1, b & (i > 2), b.sum(), ~b, i.to(torch.uint8), -i,
                i.cumsum(0), torch.where(b, i, 0), i.clamp(max=3), b.any(), b.all(0), i.argmax(), (i == j).long(), i.prod(), torch.floor_divide(i, 3), i.abs().sqrt())

    n = r.range(2, 5)
    return Case(Fn(f), (r.ids(9, n), r.ids(5, n) + 1, torch.rand(n) > 0.5))


@program
def promotions(r):
    def f(a, h, d, i, b, z):
        return a + d, h + 1, h * d, i + a, b * 1.5, i * z, a + z, h + a, torch.add(i, b, alpha=2), d.sum() + a, torch.cat([i.float(), a]), torch.where(b, h, a), i.pow(2), 2**i, a**3, 2.0 ** a, a % 2

    n = r.range(2, 4)
    return Case(Fn(f), (r.floats(n), r.floats(n, dtype=torch.float16), r.floats(n, dtype=torch.float64), r.ids(5, n), torch.rand(n) > 0.5, torch.tensor(2.0, dtype=torch.float64)), tolerance=1e-2)


@program
def einsums(r):
    def f(a, b, c):
        return (torch.einsum("bij,bjk->bik", a, b), torch.einsum("bij,bjk,bkl->bil", a, b, c), torch.einsum("bii->bi", c), torch.einsum("bij->", a),
                torch.einsum("...ij->...ji", a), a @ b, torch.einsum("bij,kjl->bkil", a, b), torch.outer(a[0, 0], b[0, 0]), torch.tensordot(a, b, dims=([2], [1])))

    i, j = r.range(2, 4), r.range(2, 4)
    return Case(Fn(f), (r.floats(2, i, j), r.floats(2, j, 3), r.floats(2, 3, 3)))


@program
def reductions(r):
    def f(x):
        pairs = x.max(1), x.median(-1), x.sort(-1, descending=True), x.topk(2, 1), x.aminmax()
        return (*(tuple(p) for p in pairs), x.sum(), x.mean((0, 2)), x.var(1), x.std(unbiased=False), x.amax(-1), x.min(), x.argmin(0, keepdim=True), x.norm(), x.norm(1, 2), torch.linalg.vector_norm(x, 3, -1),
                x.logsumexp(1), x.cumsum(-1), x.cumprod(1), torch.var_mean(x, 1), x.prod(0), x.all(), x.nansum(), x.count_nonzero(0), F.normalize(x, dim=1))

    return Case(Fn(f), (r.floats(2, r.range(2, 5), r.range(2, 5)),))


@program
def losses(r):
    def f(x, y, target, p):
        return (F.cross_entropy(x, target), F.cross_entropy(x, target, label_smoothing=0.1, reduction="none"), F.mse_loss(x, y), F.l1_loss(x, y, reduction="sum"), F.smooth_l1_loss(x, y), F.huber_loss(x, y),
                F.binary_cross_entropy(p, p), F.binary_cross_entropy_with_logits(x, p), F.nll_loss(F.log_softmax(x, 1), target), F.kl_div(F.log_softmax(x, 1), F.softmax(y, 1), reduction="batchmean"),
                F.cosine_similarity(x, y), F.triplet_margin_loss(x, y, p), F.soft_margin_loss(x, y.sign()), F.cosine_embedding_loss(x, y, torch.ones(x.shape[0])), F.pairwise_distance(x, y))

    b, c = r.range(2, 4), r.range(2, 5)
    return Case(Fn(f), (r.floats(b, c), r.floats(b, c), r.ids(c, b), torch.rand(b, c)))


@program
def factories(r):
    def f(x):
        n = x.shape[0]
        return (torch.zeros(n, 2) + 1, torch.ones_like(x), torch.full((2, n), 1.5), torch.arange(0, n, 2), torch.linspace(0, 1, 5), torch.eye(n), x.new_zeros(3), x.new_full((2,), 7, dtype=torch.long),
                torch.tril(x), torch.triu(x, 1), torch.empty_like(x).fill_(2), torch.ones(3, dtype=torch.bool), torch.logspace(0, 1, 4), torch.full_like(x, 2, dtype=torch.int32), torch.meshgrid(torch.arange(n), torch.arange(2), indexing="ij"),
                F.one_hot(torch.arange(n), n + 1), torch.tril_indices(n, n))

    n = r.range(2, 4)
    return Case(Fn(f), (r.floats(n, n),))


@program
def shapes(r):
    def f(x, y):
        return (torch.stack([x, y], 1), torch.cat([x, y], -1), x.repeat(2, 1, 1), x.expand(3, *x.shape), x.repeat_interleave(2, 1), torch.roll(x, 1, 0), x.flip(-1), x.rot90(1, (1, 2)), F.pad(x, (1, 2), value=3.0),
                F.pad(x, (1, 1), mode="reflect"), F.pad(x, (1, 1), mode="replicate"), F.pad(x, (1, 1), mode="circular"), torch.broadcast_tensors(x, y[:1]), x.unflatten(2, (2, -1)), x.tile((1, 2, 1)), torch.hstack([x, y]), torch.vstack([x, y]),
                torch.atleast_3d(x[0]), x.diag_embed(), torch.block_diag(x[0], y[0]), x.unsqueeze(0).squeeze(), torch.split(x, [1, 3], 2), x.contiguous().view(-1), x.take(torch.tensor([0, 2])), torch.kron(x[0], y[0]))

    n = r.range(2, 4)
    return Case(Fn(f), (r.floats(2, n, 4), r.floats(2, n, 4)))


@program
def elementwise(r):
    def f(x, y, p):
        return (torch.sigmoid(x), torch.erf(x), torch.exp(x), torch.log(p), torch.log1p(p), torch.expm1(x), torch.atan2(x, y), torch.rsqrt(p), torch.sin(x), torch.tan(x), torch.asinh(x), torch.floor(x), torch.round(x), torch.round(x, decimals=1), torch.trunc(x),
                torch.frac(x), torch.sign(x), torch.maximum(x, y), torch.fmod(x, 2), torch.remainder(x, y), torch.lerp(x, y, 0.3), torch.addcmul(x, y, p, value=0.5), torch.addcdiv(x, y, p), torch.hypot(x, y), torch.logaddexp(x, y), torch.xlogy(x, p), torch.nan_to_num(x), torch.reciprocal(p),
                torch.square(x), torch.clamp(x, -1, 1), torch.clamp(x, y, p), torch.where(x > 0, x, y), torch.special.expit(x), torch.logit(p, 1e-6), torch.heaviside(x, y), torch.copysign(x, y), torch.float_power(p, 2), torch.rsub(x, 1), torch.deg2rad(x), torch.isnan(x), torch.isclose(x, y), torch.sinc(x), torch.i0(x), torch.digamma(p))

    n = r.range(2, 4)
    return Case(Fn(f), (r.floats(n, 3), r.floats(n, 3), torch.rand(n, 3) + 0.1))


@program
def activations(r):
    names = ["relu", "relu6", "elu", "selu", "celu", "gelu", "silu", "mish", "softplus", "softsign", "tanhshrink", "hardshrink", "softshrink", "hardtanh", "hardsigmoid", "hardswish", "logsigmoid", "leaky_relu", "threshold", "glu", "softmin", "softmax", "log_softmax", "prelu", "rrelu"]

    def f(x, w):
        more = {"threshold": (0.1, 20.0), "softmin": (1,), "softmax": (1,), "log_softmax": (1,), "prelu": (w,), "glu": (1,)}
        return tuple(getattr(F, name)(x, *more.get(name, ())) for name in names) + (F.gelu(x, approximate="tanh"), F.dropout(x, 0.3, training=False), F.alpha_dropout(x, 0.2, training=False))

    return Case(Fn(f), (r.floats(r.range(2, 4), 4), torch.rand(1)))


@program
def pooling(r):
    def f(x):
        return (F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2, ceil_mode=True), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), F.adaptive_avg_pool2d(x, (2, 3)), F.adaptive_avg_pool2d(x, 1), F.adaptive_max_pool2d(x, 2), F.lp_pool2d(x, 2.0, 2), F.avg_pool1d(x[:, :, 0], 2), F.adaptive_avg_pool1d(x[:, 0], 3),
                F.interpolate(x, size=(4, 5)), F.interpolate(x, scale_factor=1.5, mode="bilinear"), F.interpolate(x[0], scale_factor=2, mode="linear"), F.interpolate(x, size=(3, 9), mode="bicubic", align_corners=True), F.unfold(x, 2), F.pixel_unshuffle(x[:, :, :4, :4], 2), F.grid_sample(x, torch.rand(x.shape[0], 2, 2, 2) * 0 + 0.3, align_corners=False))

    return Case(Fn(f), (r.floats(r.range(1, 2), 2, r.range(6, 9), r.range(6, 9)),))


@program
def complex_numbers(r):
    def f(z, x):
        return torch.view_as_real(z * 2), z.real + z.imag, z.abs(), (z.conj() * z).real, torch.polar(x, x), torch.complex(x, x * 2), torch.fft.irfft(torch.fft.rfft(x)), z * 1j, z.conj().t().resolve_conj()

    n = r.range(2, 4)
    return Case(Fn(f), (torch.randn(n, 4, dtype=torch.complex64), torch.rand(n, 4)))


@program
def dropout_train(r):
    return Case(nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.GELU(), nn.Dropout2d(0.2), nn.AlphaDropout(0.1)).train(), (r.floats(2, r.range(2, 4), 4),), random=True)


@program
def random_ops(r):
    def f(x):
        return torch.rand(3) + x.sum(), torch.randn_like(x), torch.bernoulli(torch.sigmoid(x)), torch.randint(0, 4, (2,)), torch.rand_like(x), torch.normal(0.0, 1.0, (2,)), torch.randperm(4), x.clone().bernoulli_(0.5), F.dropout(x, 0.3)

    return Case(Fn(f), (r.floats(r.range(2, 4), 3),), random=True)


@program
def dead_and_no_op(r):
    def f(x):
        x.sin()
        torch.rand(2)
        y = x.to(torch.float32).contiguous().expand(x.shape).detach()
        y = y.type_as(x) * 1 + 0
        torch._assert(x.shape[0] > 0, "never")
        return y[:, :], x.view(x.shape), x.squeeze(0) if x.shape[0] > 1 else x

    return Case(Fn(f), (r.floats(r.range(2, 4), 3),))


@program
def unused_inputs(r):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.unused = nn.Linear(3, 3), nn.Linear(3, 3)
            self.register_buffer("spare", torch.zeros(2))

        def forward(self, x, y):
            return self.used(x), x

    return Case(Net(), (r.floats(r.range(1, 3), 3), r.floats(2)))


@program
def empty_tensors(r):
    def f(x, e):
        return torch.cat([x, e], 0), e.sum(), x[2:1], torch.zeros(0, 3) + e, F.linear(e, x[:, :3]), e.reshape(3, 0)

    return Case(Fn(f), (r.floats(r.range(2, 4), 3), torch.zeros(0, 3)))


@program
def scalars(r):
    def f(x, s):
        return s * x, s + 1, x + s, s.expand(3), s.view(1, 1), s.sum(), x.mean() * s, torch.stack([s, x.sum()]), s.exp(), F.silu(s), F.softmax(s, 0)

    return Case(Fn(f), (r.floats(r.range(2, 4)), torch.tensor(1.5)))


@program
def metadata_asserts(r):
    def f(x, i):
        y = x.to(torch.float64)
        z = i.to(x.dtype).to(torch.float16)
        return y.sum().to(torch.float32), z.to(y), x.bool(), i.float().double(), x.to("cpu")

    n = r.range(2, 4)
    return Case(Fn(f), (r.floats(n), r.ids(4, n)))
