"""Values against live torch: modules made after a seed, the programs exported from them, the example net, and recorded
programs of single operators on inputs drawn anew."""
import functools
import glob
import os
import re
import subprocess
import tempfile

import torch
from torch import nn

import check_opinfo
from common import CORPUS, ROOT, RUNG, Failed, Refused
from common import load as load_program
from safetensor_files import load, save

torch.set_num_threads(1)
BUILD = os.path.dirname(RUNG)
# How far a result may be from torch's, in units of the last place of the largest element.
ULPS = 16
# Where torch's own kernels of floats are as far from what doubles give, and deep models add up such steps.
OP_ULPS = 64


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.pool = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(8, 8, (3, 1), groups=4)
        self.average = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        y = self.pool(torch.relu(self.bn1(self.conv1(x))))
        y = self.average(torch.relu(self.conv2(y)))
        return self.head(torch.flatten(y, 1))


def encoder_layer(**options):
    return nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options)


MODULES = {
    "linear": (lambda: nn.Linear(5, 3), [(2, 5)]),
    "linear_no_bias": (lambda: nn.Linear(5, 3, False), [(7, 2, 5)]),
    "bilinear": (lambda: nn.Bilinear(5, 3, 2), [(4, 5), (4, 3)]),
    "conv1d": (lambda: nn.Conv1d(4, 6, 3, padding=1), [(2, 4, 9)]),
    "conv2d": (lambda: nn.Conv2d(4, 6, (3, 2), stride=2, dilation=(1, 2), groups=2), [(2, 4, 9, 8)]),
    "conv3d": (lambda: nn.Conv3d(2, 3, 2), [(1, 2, 5, 4, 6)]),
    "conv_transpose1d": (lambda: nn.ConvTranspose1d(4, 6, 3, stride=2, output_padding=1), [(2, 4, 5)]),
    "conv_transpose2d": (lambda: nn.ConvTranspose2d(4, 6, 3, padding=1, groups=2), [(2, 4, 5, 3)]),
    "conv_transpose3d": (lambda: nn.ConvTranspose3d(2, 3, 2), [(1, 2, 3, 3, 2)]),
    "batch_norm1d": (lambda: nn.BatchNorm1d(5), [(6, 5)]),
    "batch_norm2d": (lambda: nn.BatchNorm2d(5), [(3, 5, 4, 2)]),
    "batch_norm3d": (lambda: nn.BatchNorm3d(2, track_running_stats=False), [(3, 2, 4, 2, 3)]),
    "layer_norm": (lambda: nn.LayerNorm((4, 6)), [(3, 4, 6)]),
    "rms_norm": (lambda: nn.RMSNorm(6), [(3, 4, 6)]),
    "group_norm": (lambda: nn.GroupNorm(3, 6), [(3, 6, 5)]),
    "prelu": (lambda: nn.PReLU(4), [(3, 4, 6)]),
    "gelu": (lambda: nn.GELU(), [(50,)]),
    "gelu_tanh": (lambda: nn.GELU("tanh"), [(50,)]),
    "silu": (lambda: nn.SiLU(), [(50,)]),
    "mish": (lambda: nn.Mish(), [(50,)]),
    "selu": (lambda: nn.SELU(), [(50,)]),
    "elu": (lambda: nn.ELU(0.7), [(50,)]),
    "softplus": (lambda: nn.Softplus(), [(50,)]),
    "hardswish": (lambda: nn.Hardswish(), [(50,)]),
    "log_sigmoid": (lambda: nn.LogSigmoid(), [(50,)]),
    "softmax": (lambda: nn.Softmax(1), [(5, 7)]),
    "dropout": (lambda: nn.Dropout(0.3), [(40,)]),
    "max_pool2d": (lambda: nn.MaxPool2d(3, 2, 1, ceil_mode=True), [(2, 3, 7, 8)]),
    "avg_pool2d": (lambda: nn.AvgPool2d(3, padding=1, count_include_pad=False), [(2, 3, 7, 8)]),
    "adaptive_avg_pool2d": (lambda: nn.AdaptiveAvgPool2d((3, 5)), [(2, 3, 7, 8)]),
    "lstm": (lambda: nn.LSTM(4, 3, 2, bidirectional=True), [(6, 2, 4)]),
    "lstm_unbatched": (lambda: nn.LSTM(4, 3), [(6, 4)]),
    "gru": (lambda: nn.GRU(4, 3, 2, batch_first=True), [(2, 6, 4)]),
    "rnn": (lambda: nn.RNN(4, 3, bias=False), [(6, 2, 4)]),
    "attention": (lambda: nn.MultiheadAttention(8, 2), [(5, 2, 8), (7, 2, 8), (7, 2, 8)]),
    "attention_batch_first": (
        lambda: nn.MultiheadAttention(8, 4, bias=False, batch_first=True),
        [(2, 5, 8), (2, 7, 8), (2, 7, 8)],
    ),
    "encoder_layer": (encoder_layer, [(2, 5, 8)]),
    "encoder_layer_norm_first": (lambda: encoder_layer(norm_first=True, activation="gelu"), [(2, 5, 8)]),
    "decoder_layer": (
        lambda: nn.TransformerDecoderLayer(8, 2, 16, batch_first=True, norm_first=True, activation="gelu"),
        [(2, 5, 8), (2, 6, 8)],
    ),
    "encoder": (
        lambda: nn.TransformerEncoder(encoder_layer(norm_first=True, activation="gelu"), 3, enable_nested_tensor=False),
        [(2, 5, 8)],
    ),
    "mlp": (
        lambda: nn.Sequential(
            nn.Linear(6, 10), nn.GELU(), nn.Dropout(0.25), nn.LayerNorm(10), nn.Linear(10, 4, False), nn.LogSoftmax(-1)
        ),
        [(3, 6)],
    ),
    "cnn": (Cnn, [(2, 3, 16, 16)]),
}


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value.detach()]
    if isinstance(value, (int, float)):
        return []
    return [leaf for item in value or () for leaf in leaves(item)]


def distance(got, expected):
    """In units of the last place of the largest element; infinite where shapes, dtypes or infinities differ."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return float("inf")
    if expected.is_complex():
        got, expected = torch.view_as_real(got.resolve_conj()), torch.view_as_real(expected.resolve_conj())
    finite = expected.isfinite()
    if not torch.equal(got[~finite].nan_to_num(), expected[~finite].nan_to_num()):
        return float("inf")
    got, expected = got[finite], expected[finite]
    if not expected.dtype.is_floating_point or expected.numel() == 0:
        return 0.0 if torch.equal(got, expected) else float("inf")
    scale = expected.abs().max().item() * torch.finfo(expected.dtype).eps or 1.0
    far = (got.double() - expected.double()).abs().max().item() / scale
    return far if far == far else float("inf")


def check_module(name, folder, seed):
    """What is wrong with a module: a list of texts."""
    make, sizes = MODULES[name]
    torch.manual_seed(seed)
    module = make()
    inputs = [torch.randn(size) for size in sizes]
    state = {f"state.{path}": tensor.detach().clone() for path, tensor in module.state_dict().items()}
    results = {}
    for mode in ("train", "eval"):
        module.train(mode == "train")
        torch.manual_seed(seed + 1)
        results[mode] = leaves(module(*inputs))
    problems = []
    got = load(os.path.join(folder, f"{name}.safetensors"))
    own = {path: tensor for path, tensor in got.items() if path.startswith("state.")}
    if list(own) != list(state):
        problems.append(f"state dict {list(own)}, torch has {list(state)}")
    problems += [f"{path} is not torch's" for path in own if path in state and not torch.equal(own[path], state[path])]
    for mode, expected in results.items():
        mine = [tensor for path, tensor in got.items() if path.startswith(mode)]
        if len(mine) != len(expected):
            problems.append(f"{mode}: {len(mine)} results, torch has {len(expected)}")
        far = max((distance(a, b) for a, b in zip(mine, expected)), default=0)
        if not far <= ULPS:
            problems.append(f"{mode}: {far:.3g} ulps from torch")
    program = torch.export.load(os.path.join(folder, f"{name}.pt2"))
    ran = leaves(program.module()(*inputs))
    far = max((distance(a, b) for a, b in zip(ran, results["eval"])), default=0)
    if not far <= ULPS or len(ran) != len(results["eval"]):
        problems.append(f"the exported program: {far:.3g} ulps from torch")
    exported = torch.export.export(module, tuple(inputs))
    ops = [str(node.target) for node in exported.graph.nodes if node.op == "call_function"]
    mine = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
    if ops != mine:
        place = next((i for i, (a, b) in enumerate(zip(ops, mine)) if a != b), min(len(ops), len(mine)))
        problems.append(f"the exported graph calls {mine[place:place + 3]} at {place}, torch's {ops[place:place + 3]}")
    return problems


def check_net(folder):
    """The example net, saved and run by torch."""
    path = os.path.join(folder, "net.pt2")
    subprocess.run([os.path.join(BUILD, "examples", "net"), "--save", path], check=True)
    torch.manual_seed(0)
    fc = nn.Linear(3, 4)
    x = torch.randn(2, 3)
    program = torch.export.load(path)
    if not torch.equal(program.state_dict["fc.weight"], fc.weight):
        return ["the weights are not torch's"]
    far = distance(program.module()(x), nn.functional.silu(fc(x)))
    return [f"{far:.3g} ulps from torch"] if far > 2 else []


def drawn_like(tensor, generator):
    """Other values of the same dtype, shape and range: shuffled, so that indices stay valid."""
    order = torch.randperm(tensor.numel(), generator=generator)
    return tensor.reshape(-1)[order].reshape(tensor.shape)


def computed(path, inputs):
    """What rung's kernels make of a program."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = os.path.join(folder, "in"), os.path.join(folder, "out")
        save({f"in{i}": x for i, x in enumerate(inputs)}, given)
        done = subprocess.run([os.path.join(BUILD, "tests", "rung_compute"), path, given, made], capture_output=True, text=True)
        text = (done.stdout or done.stderr).strip()
        without_kernel = re.search(r"(\S+) cannot be computed|no kernel of (.*)|has no name for the dtype", text)
        if without_kernel:
            raise Refused(text[without_kernel.start():].splitlines()[0])
        if text or done.returncode:
            raise Failed(text[-400:] or f"exit code {done.returncode}")
        return list(load(made).values())


def compare(got, expected, limit=ULPS):
    far = max((distance(a, b) for a, b in zip(got, expected, strict=True)), default=0)
    if not far <= limit:
        raise Failed(f"{far:.3g} ulps from torch")


def settled(name, results):
    """Eigenvalues in one order, and each eigenvector times the number that makes its largest element positive: rounding
    decides both, so that torch itself differs between float32 and float64."""
    if not name.startswith("linalg_eig"):
        return results
    values, *vectors = results
    keys = torch.view_as_real(values.resolve_conj()) if values.is_complex() else values.unsqueeze(-1)
    order = sum(keys[..., i] * weight for i, weight in zip(range(keys.shape[-1]), (1, 0.37))).argsort(-1)
    settled = [values.gather(-1, order)]
    for x in vectors:
        x = x.gather(-1, order.unsqueeze(-2).expand(x.shape))
        if x.numel():
            largest = x.gather(-2, (x.abs() > 0.999 * x.abs().amax(-2, True)).int().argmax(-2, True))
            x = x * (largest.abs() / largest)
        settled.append(x)
    return settled


def check_program(path, seed):
    """A recorded program of one operator, on its inputs shuffled, by rung and by torch."""
    try:
        program = load_program(path)
    except RuntimeError:  # torch does not load every file that it has written
        return
    if check_opinfo.is_random(program) or check_opinfo.is_uninitialized(program):
        return
    generator = torch.Generator().manual_seed(seed)
    inputs = [drawn_like(tensor, generator) for tensor in check_opinfo.arrays_of(path, "in")]
    module = program.module()
    wanted = [node.meta["val"].dtype for node in program.graph.nodes
              if node.op == "placeholder" and isinstance(node.meta.get("val"), torch.Tensor)]
    inputs = [x.view(dtype) if x.dtype == torch.uint16 and dtype == torch.bfloat16 else x
              for x, dtype in zip(inputs, wanted)]
    try:
        expected = leaves(module(*[x.clone() for x in inputs]))
    except RuntimeError:
        return
    got = computed(path, inputs)
    if os.path.basename(path).startswith(("argsort", "sort", "topk", "kthvalue")):  # whose order of equal elements is free
        got, expected = [[x for x in list if x.dtype != torch.int64] for list in (got, expected)]
    got, expected = [settled(os.path.basename(path), list) for list in (got, expected)]
    cancels = os.path.basename(path).startswith("logcumsumexp_complex")  # where float32 keeps few digits
    compare(got, expected, 1e5 if cancels else OP_ULPS)


def check_model(path):
    """A recorded model with its recorded values."""
    compare(computed(path, check_opinfo.arrays_of(path, "in")), check_opinfo.arrays_of(path, "out"), OP_ULPS)


def recorded_models(match):
    paths = sorted(glob.glob(os.path.join(CORPUS, "models", "*.pt2")))
    return [path for path in paths if os.path.exists(path[:-4] + ".npz") and match in os.path.basename(path)]


def cases(count, seed, match=""):
    names = [name for name in ("net", *MODULES) if match in name]
    return names + recorded_models(match) + check_opinfo.cases(count, seed, match)


class CheckEager:
    """Makes all modules once, in a folder that goes with the object."""

    def __init__(self, seed):
        self.seed = seed

    @functools.cached_property
    def folder(self):
        self.kept = tempfile.TemporaryDirectory()
        command = [os.path.join(BUILD, "tests", "rung_modules"), self.kept.name, str(self.seed)]
        self.refused = subprocess.run(command, capture_output=True, text=True).stdout
        return self.kept.name

    def __call__(self, case, checks):
        checks.case = f"eager/{os.path.basename(case)}"

        def check():
            if case == "net":
                problems = check_net(self.folder)
            elif case in MODULES:
                refused = [line for line in (self.folder and self.refused).splitlines() if line.startswith(case + ":")]
                problems = refused or check_module(case, self.folder, self.seed)
            else:
                is_model = os.path.basename(os.path.dirname(case)) == "models"
                return check_model(case) if is_model else check_program(case, self.seed)
            if problems:
                raise Failed("; ".join(problems))

        checks("values", check)
