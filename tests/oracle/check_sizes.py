"""Arithmetic on symbolic sizes: random expressions print as torch's SymInt prints them and have the value that Python gives.

A case is a number of expressions from one seed. Without main.py: check_sizes.py [COUNT] [SEED] shows every difference.
"""
import glob
import logging
import operator
import os
import random
import re
import subprocess
import sys
import zipfile

import sympy
import torch
import torch.utils._sympy.functions
from torch.fx.experimental.sym_node import SymNode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.value_ranges import ValueRanges

from common import CORPUS, RUNG

SYM_LINES = os.environ.get("RUNG_SYM_LINES", os.path.join(os.path.dirname(RUNG), "tests", "rung_sym_lines"))
PER_CASE = 500
logging.getLogger("torch.fx.experimental.sym_node").setLevel(logging.ERROR)

INTS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "sym_max": torch.sym_max,
    "sym_min": torch.sym_min,
}
RELATIONS = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
PLAIN = {"sym_max": max, "sym_min": min, "sym_not": operator.not_}


# What sizes are often made of: as leaves they make common factors likely.
PIECES = [
    ("add", "s0", 1),
    ("add", "s1", 1),
    ("sub", "s1", 1),
    ("mul", "s0", "s1"),
    ("mul", 2, "s2"),
    ("add", "s0", "s1"),
    ("floordiv", "s0", 2),
    ("floordiv", ("sub", "s1", 1), 2),
    ("add", ("mul", 2, "s0"), 2),
    ("mul", "s0", ("add", "s1", 1)),
    ("mod", "s2", 4),
    ("sym_max", "s1", 2),
]


class Program:
    """A random operation in prefix form: a list of (name, operands), a symbol's name or a number."""

    def __init__(self, draw):
        self.draw = draw
        top = draw.random()
        self.tree = self.integer(draw.randint(1, 4)) if top > 0.25 else self.condition(2 if top < 0.05 else 0)

    def condition(self, depth):
        if depth == 0:
            name = self.draw.choice(list(RELATIONS))
            return (name, self.integer(self.draw.randint(0, 3)), self.integer(self.draw.randint(0, 2)))
        name = self.draw.choice(["sym_not", "and_", "or_"])
        operands = [self.condition(self.draw.randint(0, depth - 1)) for _ in range(1 if name == "sym_not" else 2)]
        return (name, *operands)

    def leaf(self):
        if self.draw.random() < 0.2:
            return self.draw.choice(PIECES)
        kind = self.draw.random()
        if kind < 0.55:
            return self.draw.choice(["s0", "s1", "s2"])
        if kind < 0.65:
            return self.draw.choice(["u0", "u1"])
        return self.draw.choice([0, 1, 1, 2, 2, 3, 4, 5, 6, 8, -1, -2, -3, 12, 16, 64])

    def integer(self, depth):
        if depth == 0 or self.draw.random() < 0.1:
            return self.leaf()
        kind = self.draw.random()
        if kind < 0.04:
            return ("neg", self.integer(depth - 1))
        if kind < 0.08:
            return ("pow", self.integer(depth - 1), self.draw.randint(0, 3))
        name = self.draw.choice(["add", "add", "sub", "mul", "mul", "floordiv", "floordiv", "mod", "sym_max", "sym_min"])
        return (name, self.integer(depth - 1), self.integer(self.draw.randint(0, depth - 1)))


def prefix(tree):
    return " ".join(["(" + tree[0], *map(prefix, tree[1:])]) + ")" if isinstance(tree, tuple) else str(tree)


def run(tree, leaves, plain):
    if not isinstance(tree, tuple):
        return leaves.get(tree, tree)
    args = [run(arg, leaves, plain) for arg in tree[1:]]
    name = tree[0]
    if name in PLAIN and plain:
        return PLAIN[name](*args)
    if name == "sym_not":
        return torch.sym_not(args[0])
    function = INTS.get(name) or getattr(operator, name)
    made = function(*args)
    # rung has no symbolic size that is a constant; torch keeps a SymInt, and compares it on the other side.
    if isinstance(made, torch.SymInt) and made.node.expr.is_Integer:
        return int(made.node.expr)
    return made


def symbols():
    env = ShapeEnv()

    def make(name, low, **assumptions):
        symbol = sympy.Symbol(name, integer=True, **assumptions)
        env.var_to_range[symbol] = ValueRanges(low, int_oo)
        return torch.SymInt(SymNode(symbol, env, int, None))

    sizes = {name: make(name, 1, positive=True) for name in ("s0", "s1", "s2")}
    return {**sizes, **{name: make(name, -int_oo) for name in ("u0", "u1")}}


def ask(lines):
    done = subprocess.run([SYM_LINES], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=600)
    return done.stdout.split("\n")[:-1]


def text_of(value):
    """As rung prints it: a Python bool and a number are what they are."""
    return str(value.node.expr) if isinstance(value, (torch.SymInt, torch.SymBool, torch.SymFloat)) else str(value)


class CheckSizes:
    def __init__(self, seed, full=False):
        self.seed, self.full = seed, full

    def __call__(self, case, checks):
        if case == "expr_str":
            return check_corpus(checks)
        draw = random.Random(self.seed * 1000003 + case)
        leaves, rows, lines = symbols(), [], []
        while len(rows) < PER_CASE:
            tree = Program(draw).tree
            values = {name: draw.randint(1, 9) if name[0] == "s" else draw.randint(-9, 9) for name in leaves}
            try:
                made = run(tree, leaves, False)
            except ZeroDivisionError:
                continue
            except (AssertionError, RecursionError, TypeError, ValueError):  # torch fails on a few that have a value
                continue
            try:
                value = run(tree, values, True)
            except ZeroDivisionError:
                value = None
            rows.append((tree, text_of(made), value, values))
            lines.append(prefix(tree) + ";" + "".join(f" {name}={value}" for name, value in values.items()))
        for (tree, printed, value, values), answer in zip(rows, ask(lines), strict=True):
            text, _, got = answer.partition("\t")
            checks.equal(f"form of {prefix(tree)}", printed, text)
            if value is not None and abs(value) < 2**63 and not answer.startswith("!"):
                if int(value) != value_of(printed, values):
                    continue  # torch itself changes the value, as of (u0//2)//-3
                checks.equal(f"value of {prefix(tree)} at {values}", str(int(value)), got)


FUNCTIONS = {
    "Mod": operator.mod,
    "PythonMod": operator.mod,
    "Max": max,
    "Min": min,
    "Eq": operator.eq,
    "Ne": operator.ne,
}


def value_of(printed, values):
    try:
        return int(eval(printed.replace("~", " not "), dict(FUNCTIONS), dict(values)))
    except (ZeroDivisionError, SyntaxError, TypeError):
        return None


def corpus_texts():
    """Every different expr_str of the recorded programs."""
    found = set()
    for path in glob.glob(os.path.join(CORPUS, "**", "*.pt2"), recursive=True):
        try:
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    if name.endswith(".json"):
                        found |= set(re.findall(r'"expr_str": ?"((?:[^"\\]|\\.)*)"', archive.read(name).decode(errors="replace")))
        except zipfile.BadZipFile:
            pass
    return sorted(found)


def check_corpus(checks):
    texts = corpus_texts()
    checks.notes.append(f"expr_str: {len(texts)} different expressions in {CORPUS}")
    functions = {name: getattr(torch.utils._sympy.functions, name) for name in torch.utils._sympy.functions.__all__}
    functions |= {name: getattr(torch.utils._sympy.functions, name) for name in ("Max", "Min")}
    for text, got in zip(texts, ask([f"srepr {text}" for text in texts]), strict=True):
        checks.equal(f"print of {text}", str(sympy.sympify(text, locals=functions)), got)


def cases(count):
    return ["expr_str", *range((count + PER_CASE - 1) // PER_CASE)]


if __name__ == "__main__":
    from common import run_cases

    total = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    run_cases("sizes", cases(total), CheckSizes(int(sys.argv[2]) if len(sys.argv) > 2 else 0), 2)
