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
from safetensor_files import load
from values import allowed, compare, computed, distance, leaves, settled

torch.set_num_threads(1)
BUILD = os.path.dirname(RUNG)
# How far results of modules may be from torch's.
MODULE_ULPS = 16


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


class OfClasses(nn.Module):
    """A loss whose target is a class: 1 where the second input is positive, else 0."""

    def __init__(self, loss):
        super().__init__()
        self.loss = loss

    def forward(self, x, y):
        return self.loss(x, torch.where(y > 0, 1, 0))


class OfProbabilities(nn.Module):
    def __init__(self):
        super().__init__()
        self.loss = nn.BCELoss()

    def forward(self, x, y):
        return self.loss(torch.sigmoid(x), torch.sigmoid(y))


class EmbeddingBagOfSigns(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(2, 3)

    def forward(self, x):
        return self.bag(torch.where(x > 0, 1, 0))


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleDict()
        self.layers["second"] = nn.Linear(4, 3)
        self.layers["first"] = nn.PReLU(3)

    def forward(self, x):
        return self.layers["first"](self.layers["second"](x))


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
    "attention_unbatched": (lambda: nn.MultiheadAttention(8, 2), [(5, 8), (7, 8), (7, 8)]),
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
    "transformer": (
        lambda: nn.Transformer(8, 2, 2, 2, 16, 0.1, activation="gelu", batch_first=True, norm_first=True),
        [(2, 5, 8), (2, 6, 8)],
    ),
    "decoder": (
        lambda: nn.TransformerDecoder(
            nn.TransformerDecoderLayer(8, 2, 16, batch_first=True, norm_first=True, activation="gelu"), 2
        ),
        [(2, 5, 8), (2, 6, 8)],
    ),
    "lstm_cell": (lambda: nn.LSTMCell(4, 3), [(5, 4)]),
    "lstm_cell_unbatched": (lambda: nn.LSTMCell(4, 3, False), [(4,)]),
    "gru_cell": (lambda: nn.GRUCell(4, 3), [(5, 4)]),
    "rnn_cell": (lambda: nn.RNNCell(4, 3, nonlinearity="relu"), [(5, 4)]),
    "instance_norm1d": (lambda: nn.InstanceNorm1d(3), [(2, 3, 7)]),
    "instance_norm2d": (lambda: nn.InstanceNorm2d(3, affine=True), [(3, 7, 5)]),
    "instance_norm3d": (lambda: nn.InstanceNorm3d(3, affine=True, track_running_stats=True), [(2, 3, 4, 5, 2)]),
    "local_response_norm": (lambda: nn.LocalResponseNorm(3), [(2, 7, 5, 4)]),
    "dropout1d": (lambda: nn.Dropout1d(0.3), [(4, 6)]),
    "dropout2d": (lambda: nn.Dropout2d(0.3), [(4, 6, 3, 2)]),
    "dropout3d": (lambda: nn.Dropout3d(0.3), [(4, 6, 3, 2)]),
    "alpha_dropout": (lambda: nn.AlphaDropout(0.3), [(40,)]),
    "feature_alpha_dropout": (lambda: nn.FeatureAlphaDropout(0.3), [(4, 6, 3)]),
    "upsample_nearest": (lambda: nn.Upsample(scale_factor=2), [(2, 3, 5, 4)]),
    "upsample_bilinear": (lambda: nn.Upsample((7, 9), mode="bilinear", align_corners=True), [(2, 3, 5, 4)]),
    "upsample_bicubic": (lambda: nn.Upsample(scale_factor=(1.5, 2), mode="bicubic"), [(2, 3, 5, 4)]),
    "pixel_shuffle": (lambda: nn.PixelShuffle(2), [(2, 8, 3, 4)]),
    "pixel_unshuffle": (lambda: nn.PixelUnshuffle(2), [(2, 2, 6, 4)]),
    "channel_shuffle": (lambda: nn.ChannelShuffle(3), [(2, 6, 3, 4)]),
    "unfold": (lambda: nn.Unfold((2, 3), padding=1, stride=2), [(2, 3, 6, 5)]),
    "fold": (lambda: nn.Fold((4, 5), 2), [(2, 12, 12)]),
    "constant_pad1d": (lambda: nn.ConstantPad1d(2, 3.5), [(2, 3, 5)]),
    "constant_pad3d": (lambda: nn.ConstantPad3d((1, 0, 2, 1, 0, 1), 3.5), [(2, 3, 4, 5)]),
    "zero_pad2d": (lambda: nn.ZeroPad2d((1, 2, 0, 1)), [(2, 3, 5, 4)]),
    "reflection_pad1d": (lambda: nn.ReflectionPad1d(2), [(2, 3, 5)]),
    "reflection_pad2d": (lambda: nn.ReflectionPad2d((1, 2, 0, 1)), [(2, 3, 5, 4)]),
    "reflection_pad3d": (lambda: nn.ReflectionPad3d(1), [(2, 3, 5, 4, 3)]),
    "replication_pad1d": (lambda: nn.ReplicationPad1d(2), [(2, 3, 5)]),
    "replication_pad2d": (lambda: nn.ReplicationPad2d((1, 2, 0, 1)), [(2, 3, 5, 4)]),
    "replication_pad3d": (lambda: nn.ReplicationPad3d(1), [(2, 3, 5, 4, 3)]),
    "circular_pad1d": (lambda: nn.CircularPad1d(2), [(2, 3, 5)]),
    "circular_pad2d": (lambda: nn.CircularPad2d((1, 2, 0, 1)), [(2, 3, 5, 4)]),
    "circular_pad3d": (lambda: nn.CircularPad3d(1), [(2, 3, 5, 4, 3)]),
    "adaptive_max_pool1d": (lambda: nn.AdaptiveMaxPool1d(3), [(2, 3, 8)]),
    "adaptive_max_pool2d": (lambda: nn.AdaptiveMaxPool2d((3, 5)), [(2, 3, 8, 7)]),
    "adaptive_max_pool3d": (lambda: nn.AdaptiveMaxPool3d(2), [(2, 3, 8, 7, 5)]),
    "lp_pool1d": (lambda: nn.LPPool1d(2, 3), [(2, 3, 8)]),
    "lp_pool2d": (lambda: nn.LPPool2d(2, 3, 2, True), [(2, 3, 8, 7)]),
    "lp_pool3d": (lambda: nn.LPPool3d(2, 2), [(2, 3, 8, 7, 4)]),
    "unflatten": (lambda: nn.Unflatten(1, (3, 4)), [(2, 12)]),
    "cosine_similarity": (lambda: nn.CosineSimilarity(), [(4, 5), (4, 5)]),
    "pairwise_distance": (lambda: nn.PairwiseDistance(keepdim=True), [(4, 5), (4, 5)]),
    "softmax2d": (lambda: nn.Softmax2d(), [(2, 3, 4, 5)]),
    "softmin": (lambda: nn.Softmin(1), [(5, 7)]),
    "softsign": (lambda: nn.Softsign(), [(50,)]),
    "tanhshrink": (lambda: nn.Tanhshrink(), [(50,)]),
    "hardshrink": (lambda: nn.Hardshrink(), [(50,)]),
    "softshrink": (lambda: nn.Softshrink(0.3), [(50,)]),
    "threshold": (lambda: nn.Threshold(0.1, 20), [(50,)]),
    "rrelu": (lambda: nn.RReLU(), [(50,)]),
    "module_dict": (Branches, [(5, 4)]),
    "embedding_bag": (EmbeddingBagOfSigns, [(4, 5)]),
    "mse_loss": (lambda: nn.MSELoss(), [(4, 5), (4, 5)]),
    "l1_loss": (lambda: nn.L1Loss(reduction="sum"), [(4, 5), (4, 5)]),
    "smooth_l1_loss": (lambda: nn.SmoothL1Loss(reduction="none", beta=0.5), [(4, 5), (4, 5)]),
    "huber_loss": (lambda: nn.HuberLoss(delta=0.7), [(4, 5), (4, 5)]),
    "kl_div_loss": (lambda: nn.KLDivLoss(reduction="batchmean", log_target=True), [(4, 5), (4, 5)]),
    "nll_loss": (lambda: OfClasses(nn.NLLLoss()), [(4, 5), (4,)]),
    "cross_entropy_loss": (lambda: OfClasses(nn.CrossEntropyLoss()), [(4, 5), (4,)]),
    "cross_entropy_loss_soft": (lambda: nn.CrossEntropyLoss(label_smoothing=0.1), [(4, 5), (4, 5)]),
    "cross_entropy_loss_weighted": (lambda: nn.CrossEntropyLoss(torch.ones(5)), [(4, 5), (4, 5)]),
    "bce_loss": (OfProbabilities, [(4, 5), (4, 5)]),
    "bce_with_logits_loss": (lambda: nn.BCEWithLogitsLoss(pos_weight=torch.ones(5)), [(4, 5), (4, 5)]),
    "poisson_nll_loss": (lambda: nn.PoissonNLLLoss(), [(4, 5), (4, 5)]),
    "soft_margin_loss": (lambda: nn.SoftMarginLoss(), [(4, 5), (4, 5)]),
    "multilabel_margin_loss": (lambda: OfClasses(nn.MultiLabelMarginLoss()), [(4, 5), (4, 5)]),
    "multilabel_soft_margin_loss": (lambda: nn.MultiLabelSoftMarginLoss(), [(4, 5), (4, 5)]),
    "multi_margin_loss": (lambda: OfClasses(nn.MultiMarginLoss()), [(4, 5), (4,)]),
    "hinge_embedding_loss": (lambda: OfClasses(nn.HingeEmbeddingLoss()), [(4, 5), (4, 5)]),
    "margin_ranking_loss": (lambda: nn.MarginRankingLoss(0.3), [(4, 5), (4, 5), (4, 5)]),
    "cosine_embedding_loss": (lambda: nn.CosineEmbeddingLoss(0.3), [(4, 5), (4, 5), (4,)]),
    "triplet_margin_loss": (lambda: nn.TripletMarginLoss(swap=True), [(4, 5), (4, 5), (4, 5)]),
    "triplet_margin_with_distance_loss": (lambda: nn.TripletMarginWithDistanceLoss(), [(4, 5), (4, 5), (4, 5)]),
    "mlp": (
        lambda: nn.Sequential(
            nn.Linear(6, 10), nn.GELU(), nn.Dropout(0.25), nn.LayerNorm(10), nn.Linear(10, 4, False), nn.LogSoftmax(-1)
        ),
        [(3, 6)],
    ),
    "cnn": (Cnn, [(2, 3, 16, 16)]),
}


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
        if not far <= MODULE_ULPS:
            problems.append(f"{mode}: {far:.3g} ulps from torch")
    program = torch.export.load(os.path.join(folder, f"{name}.pt2"))
    ran = leaves(program.module()(*inputs))
    far = max((distance(a, b) for a, b in zip(ran, results["eval"])), default=0)
    if not far <= MODULE_ULPS or len(ran) != len(results["eval"]):
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
    got = computed(path, inputs, expected)
    if os.path.basename(path).startswith(("argsort", "sort", "topk", "kthvalue")):  # whose order of equal elements is free
        got, expected = [[x for x in list if x.dtype != torch.int64] for list in (got, expected)]
    got, expected = [settled(os.path.basename(path), list) for list in (got, expected)]
    compare(got, expected, allowed(os.path.basename(path)))


def check_model(path, rung):
    """A recorded model with its recorded values."""
    expected = check_opinfo.arrays_of(path, "out")
    compare(computed(path, check_opinfo.arrays_of(path, "in"), expected, rung), expected)


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
                if any("cannot be computed" in line for line in refused):
                    raise Refused(refused[0].partition(": ")[2])
                problems = refused or check_module(case, self.folder, self.seed)
            else:
                return check_program(case, self.seed)
            if problems:
                raise Failed("; ".join(problems))

        if os.path.basename(os.path.dirname(case)) != "models":
            return checks("values", check)
        for rung in (None, "aten", "core", "prims"):
            checks(f"values {rung or 'as exported'}", check_model, case, rung)
