"""Small programs from public bug reports (bug_cases/): what live torch makes of each, and what rung does, held against
docs/bug-cases.md. A case is a file with make() -> (module or function, args, kwargs, dynamic shapes), and maybe MORE()
with further inputs, TOL = (rtol, atol), and EAGER = False where eager torch ends the process. What is claimed of a case
besides its values stands in bug_claims.py.

Usage: check_bugs.py --write      measures all cases and writes docs/bug-cases.md"""
import copy
import glob
import importlib.util
import inspect
import multiprocessing
import os
import re
import sys
import tempfile

import torch
from torch.export._tree_utils import reorder_kwargs
from torch.utils import _pytree as pytree

import bug_claims
from common import ROOT, RUNG, Checks, Failed, Refused
from values import computed, leaves

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bug_cases")
PAGE = os.path.join(ROOT, "docs", "bug-cases.md")
RUNGS = {None: "as exported", "aten": "aten", "core": "core", "prims": "prims"}


def id_of(path):
    return os.path.basename(path).split("_")[0]


def paths(match=""):
    found = [path for path in glob.glob(os.path.join(FOLDER, "B*.py")) if match in os.path.basename(path)]
    return sorted(found, key=lambda path: int(id_of(path)[1:]))


def cases(match=""):
    """The programs, and the page as a whole."""
    return [*paths(match), *([] if match else [PAGE])]


def reports():
    with open(os.path.join(FOLDER, "reports.tsv")) as file:
        head, *rows = (line.rstrip("\n").split("\t") for line in file)
    return {row[0]: dict(zip(head, row)) for row in rows}


def read_case(path):
    name = os.path.basename(path)[:-3]
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # torch looks for the module of a branch
    spec.loader.exec_module(module)
    return module


def module_of(function):
    if isinstance(function, torch.nn.Module):
        return function

    class Wrapped(torch.nn.Module):
        def forward(self, *args, **kwargs):
            return function(*args, **kwargs)

    signature = inspect.signature(function)  # export tells dynamic sizes by the names of arguments
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    Wrapped.forward.__signature__ = signature.replace(parameters=[own, *signature.parameters.values()])
    return Wrapped()


def given(program, args, kwargs):
    """The inputs that the program still takes, in its order; numbers as tensors without dimensions."""
    leaves = pytree.tree_leaves((args, reorder_kwargs(kwargs, program.call_spec.in_spec)))
    values = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
    kept = [leaf for leaf, name in zip(leaves, program.graph_signature.user_inputs)
            if isinstance(values.get(name), (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool))]
    return [leaf if isinstance(leaf, torch.Tensor) else torch.tensor(leaf) for leaf in kept]


def compare(got, expected, tolerance):
    if len(got) != len(expected):
        raise Failed(f"{len(got)} results, torch has {len(expected)}")
    rtol, atol = tolerance
    for i, (a, b) in enumerate(zip(got, expected)):
        if a.dtype != b.dtype or a.shape != b.shape:
            raise Failed(f"out{i}: {a.dtype}{list(a.shape)}, torch has {b.dtype}{list(b.shape)}")
        wide = torch.complex128 if b.is_complex() else torch.float64
        if not torch.allclose(a.to(wide), b.to(wide), rtol=rtol, atol=atol, equal_nan=True):
            raise Failed(f"out{i} is not torch's")


def values_of(module, args, kwargs):
    torch.manual_seed(0)
    return leaves(copy.deepcopy(module)(*copy.deepcopy(args), **copy.deepcopy(kwargs)))


class Case:
    """A case, what torch makes of it, and its file; `torch` and `rung` are what the page says was measured."""

    def __init__(self, path, folder):
        self.id, self.path, self.code = id_of(path), path, read_case(path)
        torch.manual_seed(0)
        function, self.args, self.kwargs, self.dynamic = self.code.make()
        self.module = module_of(function)
        self.file = os.path.join(folder, self.id + ".pt2")
        self.program, self.has_file = None, False
        self.torch, self.rung = [], []

    def inputs(self):
        return [(self.args, self.kwargs), *(self.code.MORE() if hasattr(self.code, "MORE") else [])]

    def export(self):
        """By torch, into a file that it loads."""
        stage = "export"
        try:
            program = torch.export.export(copy.deepcopy(self.module), copy.deepcopy(self.args), copy.deepcopy(self.kwargs),
                                          dynamic_shapes=self.dynamic)
            self.program, stage = program, "save"
            torch.export.save(program, self.file)
            stage = "load"
            torch.export.load(self.file)
        except Exception as error:
            self.torch.append(f"{stage} raises {type(error).__name__}")
            return
        self.has_file = True

    def lower_by_torch(self):
        """What run_decompositions() makes of it: values, and operators that are not core."""
        if self.program is None:
            return
        try:
            lowered = self.program.run_decompositions()
        except Exception as error:
            self.torch.append(f"run_decompositions raises {type(error).__name__}")
            return
        targets = [node.target for graph in lowered.graph_module.modules() if hasattr(graph, "graph")
                   for node in graph.graph.nodes if node.op == "call_function"]
        left = {str(t) for t in targets if isinstance(t, torch._ops.OpOverload) and torch.Tag.core not in t.tags}
        self.torch.append("lowered" + (", left over: " + ", ".join(f"`{op}`" for op in sorted(left)) if left else ""))
        for number, (args, kwargs) in enumerate(self.inputs()):
            try:
                compare(values_of(lowered.module(), args, kwargs), values_of(self.module, args, kwargs), self.tolerance())
            except Exception as error:
                says = str(error) if isinstance(error, Failed) else f"raises {type(error).__name__}"
                self.torch.append(f"inputs {number}: {says}")

    def tolerance(self):
        return getattr(self.code, "TOL", (1e-4, 1e-5))

    def expected(self, args, kwargs):
        """What the file says, which is not always what was written in Python; None where it refuses the inputs."""
        try:
            exported = values_of(self.program.module(), args, kwargs)
        except AssertionError:
            return None
        eager = values_of(self.module, args, kwargs)
        try:
            compare(exported, eager, (1e-3, 1e-4))
        except Failed:
            self.torch.append("the exported program is not eager's")
            return exported
        return eager

    def check_values(self, checks):
        good, refusals = list(RUNGS), []
        for number, (args, kwargs) in enumerate(self.inputs()):
            expected = self.expected(args, kwargs)
            if expected is None:
                self.torch.append(f"inputs {number} refused")
                continue
            for rung in list(good):
                def values():
                    try:
                        got = computed(self.file, given(self.program, args, kwargs), expected, rung)
                    except Refused as refusal:
                        refusals.append(re.sub(r"/\S+/", "", str(refusal)))
                        raise
                    compare(got, expected, self.tolerance())

                if not checks(f"{RUNGS[rung]}, inputs {number}", values):
                    good.remove(rung)
        if good:
            self.rung.append("values right " + ("on every rung" if len(good) == len(RUNGS) else ", ".join(RUNGS[r] for r in good)))
        self.rung += [f"refused: {text}" for text in dict.fromkeys(refusals)]

    def check_claims(self, checks):
        for claim, holds in bug_claims.of(self.id, self.has_file):
            if checks(claim, holds, self):
                self.rung.append(claim)


def cell(parts):
    return "; ".join(dict.fromkeys(parts)).replace("|", "\\|")


def measure(path, checks):
    """The row of the page."""
    checks.case = os.path.basename(path)[:-3]
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        case = Case(path, folder)
        case.export()
        case.lower_by_torch()
        if case.has_file:
            case.check_values(checks)
        case.check_claims(checks)
    verdict = "right" if not checks.failed else "**wrong**"
    if case.id in bug_claims.NOT_OURS:
        verdict = "n/a: " + bug_claims.NOT_OURS[case.id]
    report = reports()[case.id]
    return [case.id, report["report"], report["symptom"], report["torch 2.13"] + " (" + cell(case.torch) + ")", report["rung must"],
            verdict + (": " if not verdict.startswith("n/a") else "; ") + cell(case.rung) if case.rung else verdict]


def line_of(row):
    return "| " + " | ".join(row) + " |"


def page_lines():
    with open(PAGE) as file:
        return {line.split("|")[1].strip(): line.rstrip("\n") for line in file if line.startswith("| B")}


def check(path, checks):
    if path == PAGE:
        return check_page(checks)
    row = measure(path, checks)
    checks.equal("docs/bug-cases.md", page_lines().get(row[0]), line_of(row))


def check_page(checks):
    """Every case has a report and a line, and no line is without a case."""
    checks.case = "docs/bug-cases.md"
    ids = sorted(id_of(path) for path in paths())
    checks.equal("reports.tsv", ids, sorted(reports()))
    checks.equal("docs/bug-cases.md", ids, sorted(page_lines()))


HEAD = """# Bug reports

Small programs of public reports by people who lower PyTorch programs, in our own words and code
(`tests/oracle/bug_cases/`). Written by `python3 tests/oracle/check_bugs.py --write`; do not edit: `make oracle
ORACLE_ARGS="--only bugs"` measures every line anew, with torch {version} beside rung, and fails where one is not as it
stands here. *torch 2.13* says what the study of the reports found, and in parentheses what was measured. rung's values
are those of its reference kernels for the program as exported, and lowered to aten, core and prims, against eager torch;
what else is claimed of a case is checked by `tests/oracle/bug_claims.py`.

"""


def measured(path):
    checks = Checks(path)
    row = measure(path, checks)
    for what, text in checks.failed:
        print(f"FAILED {checks.case}: {what}: {text}", flush=True)
    return row


def write():
    if not os.path.exists(RUNG):
        sys.exit(f"{RUNG} is not built (or set RUNG)")
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=20) as pool:
        rows = pool.map(measured, paths(), chunksize=1)
    right = sum(row[-1].startswith("right") for row in rows)
    apart = sum(row[-1].startswith("n/a") for row in rows)
    head = ["id", "report", "symptom", "torch 2.13", "rung must", "rung"]
    with open(PAGE, "w") as file:
        file.write(HEAD.format(version=torch.__version__.split("+")[0]))
        file.write(f"{len(rows)} cases: {right} right, {apart} n/a, {len(rows) - right - apart} wrong.\n\n")
        for row in (head, ["---"] * len(head), *rows):
            file.write(line_of(row) + "\n")
    print(f"{len(rows)} cases: {right} right, {apart} n/a")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    write()
