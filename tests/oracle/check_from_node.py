"""Where the nodes of a written program are from: torch's own from_node, with rung's bodies in between."""
import os
import re
import tempfile

import torch

import models
from check_models import decomposed
from common import Failed, Refused, rung

RULE = re.compile(r"rung: (.+) of (\S+)")


def steps(node):
    """The entries of a node's from_node from the newest to the oldest: (name, target, pass, action, graph)."""
    found, level = [], node.meta.get("from_node") or []
    while level:
        if len(level) != 1:
            raise Failed(f"{node.name}: {len(level)} entries at one level")
        source = level[0]
        found.append((source.name, source.target, source.pass_name, source._get_action_string(), source.graph_id))
        level = source.from_node
    return found


def without_rules(found):
    """What torch would have written, without its graphs' addresses."""
    return [step[:4] for step in found if not RULE.fullmatch(step[2])]


def rules(found):
    """The bodies of the latest lowering, the outermost first."""
    chain = []
    for step in found[1:]:
        match = RULE.fullmatch(step[2])
        if not match:
            break
        chain.insert(0, match[2])
    return chain


def calls(graph):
    return [node for node in graph.nodes if node.op == "call_function" and "_unused_" not in node.name]


def same_history(torchs, mine):
    """Every call has torch's record, if the graphs are the same. Of views that torch makes anew at the end it knows
    nothing, and of what was in a region only the region: rung names the node."""
    by_name = {node.name: node for node in calls(mine.graph)}
    for node in calls(torchs.graph):
        want, got = without_rules(steps(node)), without_rules(steps(by_name[node.name]))
        if want != got and want and not want[0][1].startswith("wrap_with_"):
            raise Failed(f"{node.name}: expected {want}, got {got}")


def explained_chains(explained):
    """The bodies that `rung explain` shows above each node of the result: a line with " = " is a call, one without a
    body, and what stands below a line is indented by two."""
    chains, above = {}, []
    for line in explained.splitlines():
        text = line.lstrip()
        depth = (len(line) - len(text)) // 2
        call = re.match(r"(\w+) = ([\w.]+)\(", text)
        if depth == 0:
            opened = call and re.search(r"# .*opened \(", line)
            above = [call[2] if opened else None]
        elif call:
            chains[call[1]] = [body for body in above[:depth] if body]
        elif not text.startswith("#"):
            above = above[:depth] + [text.split()[0]]
    return chains


def same_rules(program, explained):
    """Every call names the bodies that `rung explain` names. What was done around the source's own body (casts of a region,
    a write that became functional) stands in the trace beside what the body did."""
    chains = explained_chains(explained)
    for node in calls(program.graph):
        if node.name in chains and rules(steps(node)) not in (chains[node.name], chains[node.name][1:]):
            raise Failed(f"{node.name}: expected {chains[node.name]}, got {rules(steps(node))}")
    if calls(program.graph) and not chains and "opened (" in explained:
        raise Failed("the trace shows no node")
    return len(chains)


def tell_apart(program, levels):
    """Entries of one graph have one number, and those of two have two."""
    numbers = [set() for _ in range(levels)]
    for node in calls(program.graph):
        found = [step for step in steps(node) if not RULE.fullmatch(step[2])]
        for level, step in enumerate(found[:levels]):
            numbers[level].add(step[4])
    flat = [number for level in numbers for number in level]
    if len(set(flat)) != len(flat):
        raise Failed(f"graphs of different levels have one number: {numbers}")


def nested(first, second):
    """What a node of `second` was made from, it names with all that `first` knew of it."""
    known = {node.name: steps(node) for node in calls(first.graph)}
    for node in calls(second.graph):
        found = steps(node)
        at = next((i for i, step in enumerate(found) if step[2] == "ExportedProgram.module()"), None)
        if at is None or found[0][0] not in known:
            continue  # a size that is read from an input
        if found[at + 1:] != known[found[0][0]]:
            raise Failed(f"{node.name}: expected {known[found[0][0]]} below {found[0][0]}, got {found[at + 1:]}")


def same_nodes(before, after):
    for a, b in zip(calls(before.graph), calls(after.graph), strict=True):
        if a.meta.get("from_node") != b.meta.get("from_node"):
            raise Failed(f"{a.name}: {a.meta.get('from_node')} became {b.meta.get('from_node')}")


class CheckFromNode:
    def __init__(self, seed):
        self.seed = seed

    def __call__(self, name, checks):
        case = models.build(name, self.seed)
        with tempfile.TemporaryDirectory() as folder:
            source, core, prims, again = (os.path.join(folder, f"{part}.pt2") for part in ("source", "core", "prims", "again"))
            exported = torch.export.export(case.module, case.args, case.kwargs, strict=False)
            torch.export.save(exported, source)
            programs = {}

            def lower(above, below, name):
                try:
                    rung("lower", above, "--to", name, "-o", below)
                except Failed as error:
                    if "no path to 'prims'" in str(error):
                        raise Refused("some operators have no path to prims") from error
                    raise
                programs[name] = torch.export.load(below)

            if not checks("to core", lower, source, core, "core"):
                return
            own = decomposed(exported, None)
            if not isinstance(own, Exception) and [n.name for n in calls(own.graph)] == [n.name for n in calls(programs["core"].graph)]:
                checks("torch's record", same_history, own, programs["core"])
            checks("the bodies", same_rules, programs["core"], rung("explain", source, "--to", "core"))
            if not checks("to prims", lower, core, prims, "prims"):
                return
            checks("the bodies below", same_rules, programs["prims"], rung("explain", core, "--to", "prims"))
            checks("graphs told apart", tell_apart, programs["prims"], 4)
            checks("the first lowering is known after the second", nested, programs["core"], programs["prims"])
            torch.export.save(programs["prims"], again)
            checks("torch writes it again", lambda: same_nodes(programs["prims"], torch.export.load(again)))
