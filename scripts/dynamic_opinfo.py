#!/usr/bin/env python3
"""Makes golden cases with symbolic sizes from the operator database of torch's own tests.

Usage: dynamic_opinfo.py OUT [--samples 3] [--minutes 28] [--only NAME,...]        torch 2.13

Every operator is called once in a program whose inputs have a symbolic size wherever the sample's size is 2 or more.
A case is OUT/NAME.pt2 and OUT/NAME.json with torch's texts by key; scripts/pack_corpus.py makes it one file. All texts
are of the program as loaded from the file, and each is made from a program loaded anew, because what one
decomposition asks of a size stays with the program's symbols.

First every operator gets one case, then every operator a second one, and so on. OUT/summary.json counts the samples
that became no case, by reason: where torch cannot export, or turns each size into a number.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import signal
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import numpy
import torch
from torch.export import Dim
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)  # an operator is sampled with the first it takes
TRIES = 4  # samples that may fail before the operator's turn is over
MOST_SAMPLES = 80  # looked at, of an operator
MOST_ELEMENTS = 20000
MOST_SECONDS = 25  # for a case


class Dropped(Exception):
    """Why a sample is no case."""


class Call(torch.nn.Module):
    """One operator; the sample's tensors are the inputs, the rest of the sample is part of the program."""

    def __init__(self, function, sample):
        super().__init__()
        leaves, self.layout = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
        self.function = function
        self.constants = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        self.places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self.inputs = tuple(leaves[place].detach() for place in self.places)

    def forward(self, *inputs):
        leaves = list(self.constants)
        for place, tensor in zip(self.places, inputs):
            leaves[place] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self.layout)
        result = self.function(*args, **kwargs)
        return tuple(result) if isinstance(result, tuple) else result  # a named tuple of torch.return_types is not saved


def message_of(error):
    """Kind and first line, without the folders of the machine."""
    lines = str(error).strip().splitlines() or [""]
    return re.sub(r"(?<![\w.-])/[^\s\"',:]*/([\w<>]+\.py)", r"\1", f"{type(error).__name__}: {lines[0][:300]}")


def without_places(program):
    """The program without where in the source each node is from: graphs do not depend on it."""
    for module in program.graph_module.modules():
        if isinstance(module, torch.fx.GraphModule):
            for node in module.graph.nodes:
                node.meta.pop("stack_trace", None)
    return program


def has_symbols(program):
    values = [node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"]
    return any(isinstance(size, torch.SymInt) for value in values if isinstance(value, torch.Tensor) for size in value.shape)


def shape_of_case(program):
    """What two cases may not have in common: the inputs' types and sizes, and the graph."""
    values = [node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"]
    return str([(value.dtype, *value.shape) for value in values if isinstance(value, torch.Tensor)]) + str(program.graph)


def texts_of(path):
    program = torch.export.load(path)
    if not has_symbols(program):
        raise Dropped("every size became a number")
    texts = {"loaded": str(program.graph), "loaded_signature": str(program.graph_signature),
             "loaded_range_constraints": str(program.range_constraints)}
    for key, table in (("aten", ({},)), ("core", ())):
        try:
            lowered = torch.export.load(path).run_decompositions(*table)
        except TimeoutError:
            raise
        except Exception as error:
            texts[f"{key}_error"] = message_of(error)
            continue
        texts[key] = str(lowered.graph)
        texts["range_constraints" if key == "core" else f"{key}_range_constraints"] = str(lowered.range_constraints)
        if key == "core":
            texts["core_typed"] = lowered.graph_module.print_readable(
                print_output=False, include_stride=False, include_device=False)
            texts["signature"] = str(lowered.graph_signature)
    return texts


def export(op, sample, path, known):
    """Writes the program to `path`; returns torch's texts. Adds to the `known` shapes of cases. Throws Dropped."""
    module = Call(op.op, sample).eval()
    sizes = tuple({dim: Dim.AUTO for dim, size in enumerate(t.shape) if size >= 2} for t in module.inputs)
    try:
        program = torch.export.export(module, module.inputs, dynamic_shapes=(sizes,), strict=False)
    except TimeoutError:
        raise
    except Exception as error:
        raise Dropped("export: " + message_of(error)) from error
    if not has_symbols(program):
        raise Dropped("every size became a number")
    if (shape := shape_of_case(program)) in known:
        raise Dropped("the same graph as another sample")
    known.add(shape)
    try:
        torch.export.save(without_places(program), path)
        return texts_of(path)
    except (TimeoutError, Dropped):
        raise
    except Exception as error:
        raise Dropped("save and load: " + message_of(error)) from error


def spread(items):
    """The first, the middle one, the last, and then those between."""
    last, parts, order = len(items) - 1, 1, [0] if items else []
    while parts <= last:
        parts *= 2
        order += [part * last // parts for part in range(1, parts + 1)]
    return [items[place] for place in dict.fromkeys(order)]


def samples_of(op, dtype):
    """Pairs of an index and a sample, those to try first in front."""
    for seed in (torch.manual_seed, random.seed, numpy.random.seed):
        seed(0)
    whole, partly = [], []
    for index, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=False)):
        if index == MOST_SAMPLES:
            break
        leaves = pytree.tree_leaves(((sample.input, *sample.args), sample.kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        sizes = [size for tensor in tensors for size in tensor.shape]
        if max(sizes, default=0) < 2 or sum(tensor.numel() for tensor in tensors) > MOST_ELEMENTS:
            continue
        (whole if min(sizes) >= 2 else partly).append((index, sample))
    return spread(whole) + spread(partly)


def out_of_time(signum, frame):
    raise TimeoutError


class Maker:
    def __init__(self, folder, ends):
        self.folder, self.ends = folder, ends
        self.tried = collections.defaultdict(set)  # by operator: indices
        self.known = collections.defaultdict(set)  # by operator: shapes of cases
        self.cases, self.errors = [], collections.Counter()
        self.dropped = []

    def drop(self, name, reason):
        self.dropped.append((name, reason))
        for suffix in (".pt2", ".json"):
            (self.folder / (name + suffix)).unlink(missing_ok=True)

    def make(self, op, name, sample, operator):
        """True if the sample became a case."""
        signal.alarm(MOST_SECONDS)
        try:
            texts = export(op, sample, self.folder / (name + ".pt2"), self.known[operator])
        except TimeoutError:
            self.drop(name, f"took more than {MOST_SECONDS} s")
            return False
        except Dropped as reason:
            self.drop(name, str(reason))
            return False
        finally:
            signal.alarm(0)
        part = self.folder / (name + ".part")
        part.write_text(json.dumps(texts, indent=1))
        part.rename(self.folder / (name + ".json"))
        self.cases.append(name)
        self.errors.update(key for key in texts if key.endswith("_error"))
        return True

    def turn(self, op):
        """Adds one case of the operator, if one can be made."""
        dtype = next((dtype for dtype in DTYPES if dtype in op.dtypes), None)
        operator = re.sub(r"\W+", "_", f"{op.name}_{op.variant_test_name}".rstrip("_").replace(".", "_"))
        if dtype is None:
            return
        if dtype != torch.float32:
            operator += f"_{str(dtype).removeprefix('torch.')}"
        try:
            samples = samples_of(op, dtype)
        except Exception as error:
            self.dropped.append((operator, "samples: " + message_of(error)))
            return
        if not samples and not self.tried[operator]:
            self.tried[operator].add(-1)
            self.dropped.append((operator, "no sample has a size of 2 or more"))
        new = [(index, sample) for index, sample in samples if index not in self.tried[operator]]
        for index, sample in new[:TRIES]:
            self.tried[operator].add(index)
            if time.monotonic() > self.ends or self.make(op, f"{operator}_{index}", sample, operator):
                return

    def summary(self):
        reasons = collections.Counter(re.sub(r"\d+", "N", reason)[:110] for _, reason in self.dropped)
        return {"torch": torch.__version__, "cases": len(self.cases), "refused by torch": self.errors,
                "reasons": dict(reasons.most_common()), "dropped": self.dropped}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=28)
    parser.add_argument("--only", default="", help="names of operators")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, out_of_time)
    began = time.monotonic()
    maker = Maker(args.out, began + 60 * args.minutes)
    only = args.only.split(",") if args.only else []
    for turn in range(args.samples):
        for op in op_db:
            if (not only or op.name in only) and time.monotonic() < maker.ends:
                maker.turn(op)
        (args.out / "summary.json").write_text(json.dumps(maker.summary(), indent=1))
        print(f"after turn {turn + 1}: {len(maker.cases)} cases, {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
