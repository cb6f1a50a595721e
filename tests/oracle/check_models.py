"""Fresh programs from live torch (models.py): texts, written files, values and metadata against torch's own."""
import os
import tempfile

import torch

import models
from common import Failed, compare_values, load, rung, run_module, without_file_comments
from same_graph import first_difference

READABLE = dict(print_output=False, include_stride=False, include_device=False)


def same_graph(expected, got):
    difference = first_difference(expected, got, names=False)
    if difference:
        raise Failed(difference)


def same_text(expected, got):
    difference = first_difference(expected, got)
    if difference:
        raise Failed(difference)


def meta_of(value):
    if isinstance(value, torch.Tensor):
        return (str(value.dtype), tuple(value.shape), tuple(value.stride()))
    if isinstance(value, (list, tuple)):
        return tuple(meta_of(v) for v in value)
    return value if isinstance(value, (int, float, bool, type(None))) else str(value)


def real_nodes(graph):
    """Without what loading adds and moves (getitems of unused results, get_attrs), and without the output."""
    return [n for n in graph.nodes if n.op not in ("get_attr", "output") and "_unused_" not in n.name]


def same_metadata(expected, got):
    """The recorded metadata of each value, for two programs of the same graph."""
    a, b = real_nodes(expected.graph), real_nodes(got.graph)
    if len(a) != len(b):
        raise Failed(f"{len(a)} nodes against {len(b)}")
    for x, y in zip(a, b):
        want, have = meta_of(x.meta.get("val")), meta_of(y.meta.get("val"))
        unused_results = isinstance(want, tuple) and isinstance(have, tuple) and len(want) == len(have)
        if want != have and not (unused_results and all(w == h or h is None for w, h in zip(want, have))):
            raise Failed(f"node {x.name} ({x.target}): expected {want}, got {have}")


def same_values(case, eager, program, checks, what):
    def check():
        out, inputs, buffers = run_module(program.module(), case.args, case.kwargs)
        options = dict(tolerance=case.tolerance, exact=case.exact, metadata_only=case.random)
        compare_values(eager[0], out, **options)
        compare_values(eager[1], inputs, **options)
        for name, value in eager[2].items():
            if name in buffers:
                try:
                    compare_values(value, buffers[name], **options)
                except Failed as error:
                    raise Failed(f"buffer {name}: {error}")

    checks(what, check)


def decomposed(program, table):
    """torch's own lowered program, or its error."""
    try:
        return program.run_decompositions(table)
    except Exception as error:
        return error


def check_rung(case, checks, path, program, eager, name, table):
    """One rung: texts under --like torch, and the file."""
    own = decomposed(program, table)
    out = path[:-4] + f".{name}.pt2"
    texts = {}

    def lower():
        if isinstance(own, Exception):
            refusal = rung("lower", path, "--like", "torch", "--to", name, code=2)
            if case.refused_by_torch.lower() not in refusal.lower() or case.refused_by_torch not in str(own):
                raise Failed(f"torch refuses with {str(own)[:200]!r}, rung with {refusal!r}")
        else:
            texts["graph"] = rung("lower", path, "--like", "torch", "--to", name)

    if not checks(f"{name}: lower --like torch", lower):
        return
    if not isinstance(own, Exception):
        expected = str(own.graph)
        same = checks(f"{name}: graph", same_graph, expected, texts["graph"])
        if same and checks(f"{name}: names", same_text, expected, texts["graph"]):
            checks(f"{name}: readable", lambda: same_text(without_file_comments(own.graph_module.print_readable(**READABLE)),
                                                          without_file_comments(rung("lower", path, "--like", "torch", "--to", name, "--format", "readable"))))
            checks(f"{name}: code", lambda: same_text(own.graph_module.code, rung("lower", path, "--like", "torch", "--to", name, "--format", "code")))
        if not checks(f"{name}: write", rung, "lower", path, "--like", "torch", "--to", name, "-o", out):
            return
        programs = {}

        def read():
            programs["mine"] = load(out)

        if checks(f"{name}: torch loads it", read):
            mine = programs["mine"]
            same_values(case, eager, mine, checks, f"{name}: values")
            checks.equal(f"{name}: verifier", "ATEN", mine.dialect)
            if same:
                checks(f"{name}: metadata", same_metadata, own, mine)
                checks(f"{name}: signature", lambda: same_text(str(own.graph_signature), rung("show", out, "--format", "signature")))
                checks.equal(f"{name}: signature after loading", str(own.graph_signature), str(mine.graph_signature))
    check_default(case, checks, path, eager, name, texts.get("graph"))


def check_default(case, checks, path, eager, name, like_torch):
    """Without --like torch the program may differ, but its values may not."""
    texts = {}

    def lower():
        texts["graph"] = rung("lower", path, "--to", name)

    if not checks(f"{name}: lower", lower) or texts["graph"] == like_torch:
        return
    out = path[:-4] + f".{name}.own.pt2"
    if checks(f"{name}: write (default)", rung, "lower", path, "--to", name, "-o", out):
        same_values(case, eager, load(out), checks, f"{name}: values (default)")


class CheckModel:
    def __init__(self, seed):
        self.seed = seed

    def __call__(self, name, checks):
        case = models.build(name, self.seed)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, f"{name}.pt2")
            exported = torch.export.export(case.module, case.args, case.kwargs, strict=False)
            torch.export.save(exported, path)
            program = torch.export.load(path)
            eager = run_module(case.module, case.args, case.kwargs)
            if not checks("show", lambda: same_text(str(program.graph), rung("show", path))):
                return
            checks("show signature", lambda: same_text(str(program.graph_signature), rung("show", path, "--format", "signature")))
            check_rung(case, checks, path, program, eager, "aten", {})
            check_rung(case, checks, path, program, eager, "core", None)
            check_default(case, checks, path, eager, "composite", None)
