"""Are two graph texts (str(graph)) the same graph? Node for node, up to the names of nodes."""
import re

NODE = re.compile(r"%([A-Za-z_]\w*)")
TARGET = re.compile(r"= placeholder\[target=[^\]]*\]")
ON_NODE = re.compile(r"on node '(\w+)'")
WORD = re.compile(r"[A-Za-z_]\w*")


def lines_of(text):
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


def canonical(text):
    """The lines with every node renamed by order of definition: n0, n1, ..."""
    names, lines = {}, []
    for line in lines_of(text):
        if line == "graph():":
            continue
        defined = re.match(r"%(\w+) :", line)
        if defined:
            names[defined.group(1)] = f"n{len(names)}"
        renamed = lambda m: names.get(m.group(1), "?" + m.group(1))
        line = NODE.sub(lambda m: "%" + renamed(m), line)
        line = TARGET.sub("= placeholder", line)
        line = ON_NODE.sub(lambda m: f"on node '{renamed(m)}'", line)
        if line.startswith("return "):
            line = WORD.sub(lambda m: names.get(m.group(0), m.group(0)), line)
        lines.append(line)
    return lines


def first_difference(expected, got, names=True):
    """None if equal, else the first line that differs, both ways. Without `names`, up to the names of nodes."""
    a, b = (lines_of(t) if names else canonical(t) for t in (expected, got))
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return f"line {i}:\n    - {x[:400]}\n    + {y[:400]}"
    if len(a) != len(b):
        longer, sign = (a, "-") if len(a) > len(b) else (b, "+")
        return f"{len(a)} lines against {len(b)}; first extra:\n    {sign} {longer[min(len(a), len(b))][:400]}"
    return None
