#!/usr/bin/env python3
"""Holds what `rung explain --model-explorer` writes against the program's file and the rest of the command line.

Usage: model_explorer_test.py RUNG OUT      graphs are left in the folder OUT
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LLAMA, LOOPS, EFFECTS = "examples/llama.pt2", "tests/unit/files/loops.pt2", "tests/unit/files/effects.pt2"


def run(*command):
    return subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE).stdout


def graphs_of(path, rung):
    """The graphs as exported, and those on the rung."""
    target = OUT / f"{pathlib.Path(path).stem}-{rung}.json"
    run(RUNG, "explain", path, "--to", rung, "--model-explorer", str(target))
    graphs = json.loads(target.read_text())["graphs"]
    is_lowered = [f", on {rung}" in graph["id"] for graph in graphs]
    return [g for g, low in zip(graphs, is_lowered) if not low], [g for g, low in zip(graphs, is_lowered) if low]


def attribute(node, key):
    return next((pair["value"] for pair in node["attrs"] if pair["key"] == key), None)


def census_of(path):
    lines = run(RUNG, "census", path).splitlines()[:-1]
    return {name: int(count) for count, name in (line.split() for line in lines)}


def calls_of(graphs):
    ops = (attribute(node, "op") for graph in graphs for node in graph["nodes"])
    return dict(collections.Counter(op for op in ops if op))


class ModelExplorer(unittest.TestCase):
    def test_edges_come_from_nodes_that_are_there(self):
        for path, rung in ((LLAMA, "core"), (LLAMA, "prims"), (LOOPS, "core"), (EFFECTS, "core")):
            for graph in sum(graphs_of(path, rung), []):
                nodes = {node["id"]: node for node in graph["nodes"]}
                self.assertEqual(len(nodes), len(graph["nodes"]), graph["id"])
                before = set()
                for node in graph["nodes"]:
                    for number, edge in enumerate(node["incomingEdges"]):
                        self.assertIn(edge["sourceNodeId"], before)
                        outputs = nodes[edge["sourceNodeId"]]["outputsMetadata"]
                        self.assertIn(edge["sourceNodeOutputId"], [output["id"] for output in outputs], edge)
                        self.assertEqual(edge["targetNodeInputId"], str(number))
                    before.add(node["id"])
                self.assertTrue(any(node["incomingEdges"] for node in graph["nodes"]))

    def test_every_call_is_a_node(self):
        lowered = str(OUT / "lowered.pt2")
        for path, rung in ((LLAMA, "core"), (LLAMA, "prims"), (LOOPS, "prims")):
            source, result = graphs_of(path, rung)
            self.assertEqual(calls_of(source), census_of(path))
            run(RUNG, "lower", path, "--to", rung, "-o", lowered)
            self.assertEqual(calls_of(result), census_of(lowered))

    def test_namespaces_are_modules(self):
        with zipfile.ZipFile(ROOT / LLAMA) as file:
            entry = next(name for name in file.namelist() if name.endswith("models/model.json"))
            recorded = json.loads(file.read(entry))["graph_module"]["graph"]["nodes"]
        paths = {}
        for node in recorded:
            stack = node["metadata"]["nn_module_stack"].split(";")
            for output in node["outputs"]:
                paths[output["as_tensor"]["name"] if "as_tensor" in output else None] = stack[-1].split(",")[1]
        calls = [node for node in graphs_of(LLAMA, "core")[0][0]["nodes"] if attribute(node, "op")]
        self.assertTrue(all(node["namespace"] for node in calls))
        checked = 0
        for node in calls:
            if node["id"] in paths:
                self.assertEqual(node["namespace"].replace("/", "."), paths[node["id"]])
                checked += 1
        self.assertGreater(checked, 150)

    def test_lowered_nodes_stand_below_their_source_by_the_bodies_that_made_them(self):
        (source,), (result,) = graphs_of(LLAMA, "core")
        spaces = {node["id"]: node["namespace"] for node in source["nodes"]}
        deepest = 0
        for node in result["nodes"]:
            if not attribute(node, "op"):
                continue
            name = attribute(node, "from").split(" = ")[0]
            chain = re.findall(r"([\w.]+) \(\w+\)", attribute(node, "opened by") or "")
            below = node["namespace"].removeprefix(spaces[name]).strip("/").split("/") if chain else []
            self.assertTrue(node["namespace"].startswith(spaces[name]))
            self.assertEqual(len(below), len(chain), node["id"])
            for part, op in list(zip(below, chain))[1:]:
                self.assertEqual(re.sub(r" \(\d+\)$", "", part), op)
            if chain:
                self.assertEqual(result["groupNodeAttributes"][node["namespace"]]["opened"], chain[-1])
            deepest = max(deepest, len(chain))
        self.assertGreater(deepest, 4)

    def test_calls_lead_to_their_graphs(self):
        source, result = graphs_of(LOOPS, "core")
        ids = {graph["id"] for graph in source + result}
        led_to = {name for graph in source + result for node in graph["nodes"] for name in node["subgraphIds"]}
        self.assertTrue(led_to and led_to <= ids)
        self.assertEqual(led_to, ids - {source[0]["id"], result[0]["id"]})

    def test_what_a_set_refuses_says_so(self):
        _, (result,) = graphs_of(LLAMA, "executorch_xnnpack")
        refused = [attribute(node, "refused") for node in result["nodes"] if attribute(node, "refused")]
        text = run(RUNG, "explain", LLAMA, "--to", "executorch_xnnpack")
        self.assertEqual(sorted(refused), sorted(re.findall(r"^\s+# (outside of .*)$", text, re.M)))
        self.assertTrue(refused)


if __name__ == "__main__":
    RUNG = sys.argv[1]
    OUT = pathlib.Path(sys.argv[2]).resolve()
    OUT.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
