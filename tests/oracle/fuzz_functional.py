"""Random small programs of views and writes: rung's functional form against torch's, names included.

Usage: fuzz_functional.py [--seed N] [--count 200] [--first 0] [--out FOLDER]
Each program that differs is made as small as it gets, and written to FOLDER with both texts.
"""
import argparse
import os
import random
import sys
import tempfile

import torch
import torch.nn as nn

from common import Failed, rung
from same_graph import first_difference

TABLES = {"aten": {}, "core": None}


class Writer:
    """Writes a program line by line, running each on real tensors to know shapes and to drop what eager torch refuses."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        torch.manual_seed(self.random.randrange(2**31))
        r = self.random
        shape = [r.randint(1, 4) for _ in range(r.randint(1, 3))]
        self.inputs = {"x": torch.randn(*shape), "y": torch.randn(*r.choice([shape, shape[-1:], [4, 3]])).mul(2).to(r.choice([torch.float32] * 5 + [torch.float64, torch.int64]))}
        self.buffers = {"b": torch.randn(*r.choice([shape, [4, 4], [2, 3, 4]])), "c": torch.randn(3, 3)}
        self.lines = []

    def write_program(self, length):
        self.env = {name: value.clone() for name, value in self.inputs.items()}
        self.env |= {f"self.{name}": value.clone() for name, value in self.buffers.items()}
        self.read_only, self.count, self.lines = set(), 0, []
        for _ in range(8 * length):
            if len(self.lines) == length:
                break
            self.step()
        names = list(self.env)
        self.returns = [self.random.choice(names) for _ in range(self.random.randint(1, 3))]
        return self

    def step(self):
        kind = self.random.choices(["view", "write", "compute"], [5, 5, 2])[0]
        name = self.random.choice(list(self.env)[-8:])
        text, results, read_only = getattr(self, kind)(name, self.env[name])
        if text is None or (kind == "write" and name in self.read_only):
            return
        new = [f"t{self.count + i}" for i in range(results)]
        line = f"{', '.join(new)}{',' if results > 1 else ''} = {text}" if results else text
        scope = {n: v for n, v in self.env.items() if "." not in n}
        holder = type("Holder", (), {n[5:]: v for n, v in self.env.items() if "." in n})()
        try:
            exec(line, {"torch": torch, "self": holder}, scope)
        except Exception:
            return
        for n in new:
            if not isinstance(scope[n], torch.Tensor) or scope[n].numel() > 300:
                return
        self.count += results
        self.lines.append(line)
        for n in new:
            self.env[n] = scope[n]
            if read_only or (kind == "view" and name in self.read_only):
                self.read_only.add(n)

    def dim(self, t):
        d = self.random.randrange(max(t.dim(), 1))
        return self.random.choice([d, d - t.dim()]) if t.dim() else 0

    def view(self, n, t):
        r, d = self.random, self.dim(t)
        size = t.shape[d] if t.dim() else 1
        a = r.randrange(max(size, 1))
        z = r.randint(a, size)
        order = list(range(t.dim()))
        r.shuffle(order)
        e = self.dim(t)
        ways = [
            lambda: (f"{n}[{a}:{z}]", 1, False),
            lambda: (f"{n}[..., {r.choice(['0', '-1', '::2', '1:', ':-1', 'None'])}]", 1, False),
            lambda: (f"{n}[{r.choice(['0', '-1', ':', 'None'])}, {r.choice(['0', '1:', ':1', '::2'])}]", 1, False),
            lambda: (f"{n}.select({d}, {a})", 1, False),
            lambda: (f"{n}.narrow({d}, {a}, {z - a})", 1, False),
            lambda: (f"{n}.transpose({d}, {e})", 1, False),
            lambda: (f"{n}.permute({order})", 1, False),
            lambda: (f"{n}.t()", 1, False),
            lambda: (f"{n}.view(-1)", 1, False),
            lambda: (f"{n}.view({self.factors(t)})", 1, False),
            lambda: (f"{n}.reshape({self.factors(t)})", 1, False),
            lambda: (f"{n}.flatten()", 1, False),
            lambda: (f"{n}.squeeze({r.choice(['', d])})", 1, False),
            lambda: (f"{n}.unsqueeze({r.randint(0, t.dim())})", 1, False),
            lambda: (f"{n}.expand(2, {', '.join('-1' for _ in t.shape)})", 1, True),
            lambda: (f"{n}.diagonal({r.choice([0, 1, -1])})", 1, False),
            lambda: self.many(f"{n}.split({max(1, size // 2)}, {d})", t),
            lambda: self.many(f"{n}.chunk(2, {d})", t),
            lambda: self.many(f"{n}.unbind({d})", t),
            lambda: self.many(f"{n}.tensor_split(2, {d})", t),
            lambda: self.many(f"{n}.split([{a}, {size - a}], {d})", t),
            lambda: (f"{n}.unfold({d}, {min(2, size)}, 1)", 1, True),
            lambda: (f"{n}.movedim({d}, {e})", 1, False),
            lambda: (f"{n}.{r.choice(['mT', 'T'])}", 1, False),
            lambda: (f"{n}.detach()", 1, False),
            lambda: (f"{n}.view_as({n})", 1, False),
            lambda: (f"{n}.unflatten({d}, ({size}, 1))", 1, False),
            lambda: (f"{n}.as_strided(({min(2, size)},), (1,))", 1, False),
            lambda: (f"torch.{r.choice(['ravel', 'atleast_2d', 'atleast_3d'])}({n})", 1, False),
            lambda: (f"{n}.contiguous()", 1, False),
            lambda: (f"{n}.to(torch.float32)", 1, False),
        ]
        text, results, read_only = r.choice(ways)()
        return (None, 0, False) if results is None else (text, results, read_only)

    def many(self, text, t):
        name = text.split(".")[0] if not text.startswith("self.") else ".".join(text.split(".")[:2])
        try:
            results = len(eval(text.replace(name, "t", 1), {"t": t}))
        except Exception:
            return None, 0, False
        return (text, results, False) if 0 < results <= 4 else (None, 0, False)

    def factors(self, t):
        numel = t.numel()
        options = [[numel], [-1], [1, numel]] + [[a, numel // a] for a in (2, 3, 4) if numel % a == 0] + [list(t.shape)]
        return self.random.choice(options)

    def operand(self, t):
        """A number, or a tensor that broadcasts to `t`."""
        r = self.random
        fits = []
        for name, value in self.env.items():
            try:
                if torch.broadcast_shapes(value.shape, t.shape) == t.shape and value.dtype == t.dtype:
                    fits.append(name)
            except RuntimeError:
                pass
        return r.choice(fits) if fits and r.random() < 0.6 else str(r.choice([1, 2, 0.5, -1.5]))

    def write(self, n, t):
        r, d = self.random, self.dim(t)
        size = t.shape[d] if t.dim() else 1
        v = self.operand(t)
        index = f"torch.tensor({r.sample(range(size), min(size, 1 + r.randrange(2)))})" if size else "torch.tensor([0])"
        ways = [
            f"{n}.add_({v})", f"{n}.mul_({v})", f"{n}.sub_({v})", f"{n}.div_(2)", f"{n}.add_({v}, alpha=2)" if v in self.env else f"{n}.add_({v})",
            f"{n}.copy_({v})" if v in self.env else f"{n}.copy_({n} * 2)", f"{n}.fill_({r.choice([0, 1.5])})", f"{n}.zero_()", f"{n}.clamp_(min=-0.5)", f"{n}.clamp_(-1, 1)",
            f"{n}.relu_()", f"{n}.sigmoid_()", f"{n}.neg_()", f"{n}.exp_()", f"{n}.abs_()", f"{n}.sqrt_()",
            f"{n}[{index}] = {r.choice(['0.5', v])}", f"{n}[..., 0] = {r.choice(['2.0', '3'])}", f"{n}[0] = {r.choice(['1.0', f'{n}[-1]'])}", f"{n}[:] = {v}",
            f"{n}[1:] = 0", f"{n}[{n} > 0] = 0.25", f"{n}.index_put_(({index},), torch.tensor(1.0), accumulate={r.choice([True, False])})", f"{n}.masked_fill_({n} > 0.5, {r.choice([0, 0.5])})",
            f"{n}.index_fill_({d}, {index}, 0.5)", f"{n}.index_add_({d}, {index}, {n}.index_select({d}, {index}))", f"{n}.index_copy_({d}, {index}, {n}.index_select({d}, {index}) * 2)",
            f"{n}.lerp_({v}, 0.3)" if v in self.env else f"{n}.tanh_()", f"{n}.addcmul_({n}, {n}, value=0.5)", f"{n}.cumsum_({d})", f"{n}.scatter_({d}, torch.zeros(1, dtype=torch.long).expand({[1] * t.dim()}), 0.5)",
            f"{n} += {v}" if not n.startswith("self.") else f"{n}.mul_(3)", f"torch.add({n}, 1, out={n})", f"torch.nn.functional.silu({n}, inplace=True)", f"torch.nn.functional.relu({n}, inplace=True)",
            f"{n}.t_()" if n.startswith("t") else f"{n}.neg_()", f"{n}.squeeze_(0)" if n.startswith("t") else f"{n}.neg_()", f"{n}.unsqueeze_(0)" if n.startswith("t") else f"{n}.neg_()",
            f"{n}.transpose_(0, 1)" if n.startswith("t") else f"{n}.neg_()", f"{n}.fill_diagonal_(1.5)", f"{n}.pow_(2)", f"{n}.floor_()", f"{n}.tril_()", f"{n}.logical_not_()",
        ]
        return r.choice(ways if r.random() < 0.6 else self.rarer_writes(n, t, d, v, index)), 0, False

    def rarer_writes(self, n, t, d, v, index):
        r = self.random
        own = n.startswith("t")  # not an input or a buffer: its shape may change
        ways = [f"{n}.{name}_()" for name in ("rsqrt", "reciprocal", "square", "sin", "cos", "erf", "floor", "ceil", "round", "trunc", "frac", "sign", "log1p", "expm1", "nan_to_num", "tanh", "sinc", "triu", "tril", "detach", "digamma", "deg2rad")]
        ways += [f"{n}.{name}_({v})" for name in ("eq", "ne", "ge", "lt", "fmod", "remainder", "floor_divide", "true_divide", "clamp_min", "clamp_max", "copysign", "xlogy", "atan2", "hypot", "logical_and", "logical_or", "pow", "multiply", "subtract", "greater", "fill", "ldexp", "arctan2")]
        ways += [f"torch.nn.functional.{name}({n}, inplace=True)" for name in ("elu", "leaky_relu", "hardtanh", "hardsigmoid", "hardswish", "mish", "selu", "celu", "relu6")]
        ways += [f"torch.nn.functional.threshold_({n}, 0.1, 2.0)", f"torch.nn.functional.dropout({n}, 0.5, True, True)", f"torch.nn.functional.dropout({n}, 0.5, False, True)"]
        ways += [f"{n}.cumprod_({d})", f"{n}.masked_scatter_({n} > 0, {n} * 2)", f"{n}.scatter_add_({d}, torch.zeros({[1] * t.dim()}, dtype=torch.long), {n})", f"{n}.scatter_reduce_({d}, torch.zeros({[1] * t.dim()}, dtype=torch.long), {n}, 'sum')",
                 f"{n}.put_(torch.tensor([0]), torch.tensor([1.5]))", f"{n}.index_reduce_({d}, {index}, {n}.index_select({d}, {index}), 'prod')", f"{n}.addcdiv_({n}, {n} + 10)", f"{n}.addmm_({n}, {n})", f"{n}.baddbmm_({n}, {n})", f"{n}.addmv_({n}, {n}[0])", f"{n}.renorm_(2, {d}, 1.0)",
                 f"{n}.bernoulli_(0.5)", f"{n}.normal_()", f"{n}.exponential_()", f"{n}.random_(0, 5)", f"{n}.index_put_((None, {index}), torch.tensor(0.5))", f"{n}[{n} < 0] *= 2", f"{n}[None] = 1", f"{n}[..., {index}] += 1", f"{n}.copy_(torch.arange({t.numel()}).view({list(t.shape)}))",
                 f"{n}.diagonal().fill_(2)", f"{n}.view(-1)[::2].add_(1)", f"{n}.unbind(0)[0].mul_(2)", f"{n}.flatten()[0] = 7", f"{n}.reshape(-1)[0:2].zero_()", f"{n}.T.add_(1)", f"{n}.expand_as({n}).mul_(3)", f"{n}.squeeze().sub_(1)", f"{n}.detach().add_(1)", f"{n}.detach().mul_(2)"]
        ways += [f"torch.mul({n}, 2, out={n})", f"torch.sub({n}, {v}, out={n})" if v in self.env else f"torch.neg({n}, out={n})", f"torch.clamp({n}, -1, 1, out={n})", f"torch.sigmoid({n}, out={n})", f"torch.cumsum({n}, {d}, out={n})", f"torch.add({n}, {n}, alpha=2, out={n})"]
        if own:
            ways += [f"{n}.squeeze_()", f"{n}.swapaxes_(0, -1)", f"{n}.unsqueeze_({d})", f"{n}.swapdims_(0, 1)", f"{n}.as_strided_(({max(1, t.numel() // 2)},), (1,))", f"{n}.transpose_(0, -1)", f"{n}.t_()"]
        return ways

    def compute(self, n, t):
        r, d = self.random, self.dim(t)
        v = self.operand(t)
        ways = [f"{n} + {v}", f"{n} * {v}", f"1 - {n}", f"{n}.sum({d})", f"{n}.clone()", f"torch.relu({n})", f"torch.cat([{n}, {n}], {d})", f"torch.stack([{n}, {n}])", f"torch.zeros_like({n})",
                f"{n}.mean()", f"{n}.double()", f"torch.empty_like({n}).copy_({n})", f"{n} @ {n}.mT", f"torch.where({n} > 0, {n}, 0.0)", f"{n}.new_zeros({list(t.shape)})", f"torch.ones({list(t.shape)})", f"{n}.repeat(2, {', '.join('1' for _ in t.shape)})", f"{n}.amax({d})"]
        return r.choice(ways), 1, False


def source_of(lines, returns):
    body = "".join(f"        {line}\n" for line in lines)
    return f"class Program(nn.Module):\n    def forward(self, x, y):\n{body}        return ({', '.join(returns)},)\n"


def make_module(source, buffers):
    scope = {"torch": torch, "nn": nn}
    exec(source, scope)
    module = scope["Program"]()
    for name, value in buffers.items():
        module.register_buffer(name, value.clone(), persistent=name != "c")
    return module


def difference(lines, returns, inputs, buffers, folder):
    """(what, expected, got) of the first text that differs; None if all are equal; Skip if torch cannot."""
    path = os.path.join(folder, "program.pt2")
    try:
        module = make_module(source_of(lines, returns), buffers)
        torch.export.save(torch.export.export(module, tuple(v.clone() for v in inputs.values()), strict=False), path)
        program = torch.export.load(path)
    except Exception as error:
        return Skip(f"export: {type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}")
    for name, table in TABLES.items():
        try:
            expected = str(program.run_decompositions(table).graph)
        except Exception as error:
            return Skip(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}")
        try:
            got = rung("lower", path, "--like", "torch", "--to", name)
        except Failed as error:
            return name, expected, str(error)
        # names that torch gives where sizes depend on data count what it throws away
        if first_difference(expected, got, names=not program.range_constraints):
            return name, expected, got
    return None


class Skip(str):
    """Why torch itself cannot take the program."""


def write_program(seed, number):
    writer = Writer(f"{seed}:{number}")
    return writer.write_program(writer.random.randint(2, 9))


def shrink(lines, returns, inputs, buffers, folder, kind):
    """Drops lines and results for as long as the same rung still differs in the same way (a refusal or a text)."""
    def still(ls, rs):
        found = difference(ls, rs, inputs, buffers, folder)
        return isinstance(found, tuple) and kind_of(found) == kind

    changed = True
    while changed:
        changed = False
        for i in reversed(range(len(lines))):
            fewer = lines[:i] + lines[i + 1:]
            if still(fewer, returns):
                lines, changed = fewer, True
        for i in reversed(range(len(returns))):
            if len(returns) > 1 and still(lines, returns[:i] + returns[i + 1:]):
                returns, changed = returns[:i] + returns[i + 1:], True
    return lines, returns


def kind_of(found):
    """Refusals by message without the place, texts by rung."""
    name, _, got = found
    return got[:13] + got.split("): ")[-1][:60] if got.startswith("exit code") else name


class CheckFuzz:
    def __init__(self, seed):
        self.seed = seed

    def __call__(self, number, checks):
        writer = write_program(self.seed, number)
        with tempfile.TemporaryDirectory() as folder:
            found = difference(writer.lines, writer.returns, writer.inputs, writer.buffers, folder)
        if isinstance(found, Skip):
            return

        def same():
            if found is not None:
                name, expected, got = found
                raise Failed(f"{name}: {first_difference(expected, got)}\n{source_of(writer.lines, writer.returns)}")

        checks("functional form", same)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default="0")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--out", default="/tmp/fuzz")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    same, skipped, differ, seen = 0, {}, 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.first, options.first + options.count):
            w = write_program(options.seed, number)
            found = difference(w.lines, w.returns, w.inputs, w.buffers, folder)
            if found is None:
                same += 1
                continue
            if isinstance(found, Skip):
                skipped[found] = skipped.get(found, 0) + 1
                continue
            differ += 1
            kind = kind_of(found)
            seen[kind] = seen.get(kind, 0) + 1
            if seen[kind] > 3 and found[2].startswith("exit code"):
                continue
            lines, returns = shrink(w.lines, w.returns, w.inputs, w.buffers, folder, kind)
            name, expected, got = difference(lines, returns, w.inputs, w.buffers, folder)
            shapes = ", ".join(f"{n}: {list(v.shape)}" for n, v in {**w.inputs, **{f'self.{n}': v for n, v in w.buffers.items()}}.items())
            text = f"{source_of(lines, returns)}\n# {shapes}\n# rung: {name}\n# torch:\n{expected}\n\n# rung:\n{got}\n\n{first_difference(expected, got)}\n"
            with open(os.path.join(options.out, f"{options.seed}-{number}.txt"), "w") as file:
                file.write(text)
            print(f"--- {options.seed}-{number} {name}\n{source_of(lines, returns)}# {shapes}\n{first_difference(expected, got) if not got.startswith('exit') else got}", flush=True)
    for reason, count in sorted(skipped.items(), key=lambda item: -item[1]):
        print(f"{count:5} skipped: {reason}")
    for kind, count in sorted(seen.items(), key=lambda item: -item[1]):
        print(f"{count:5} {kind}")
    print(f"{same} the same, {differ} differ, {sum(skipped.values())} that torch itself cannot take")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main())
