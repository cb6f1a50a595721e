#!/usr/bin/env python3
"""Who may include whom: a file includes headers of its own folder and of lower ones, and the public headers see few.

Usage: check_layers.py          prints every include that breaks the rule, and exits 1 if there is one
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Lowest first. Folders of one level do not know each other.
LEVELS = [["base"], ["schema", "shape"], ["ir"], ["meta", "ref"], ["trace"], ["ops"], ["pass", "rules"], ["opset"],
          ["export", "page"], ["interp"], ["nn"],
          ["api"], ["tools"]]
LEVEL = {folder: level for level, folders in enumerate(LEVELS) for folder in folders}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<(rung/[^>]+)>)', re.M)
# Nobody but the table of families names one, and files are read and written without knowing what ops mean.
APART = {("pass", "ops"), ("export", "ops"), ("export", "meta"), ("export", "trace")}
# Public headers of plain values, which the sources use too.
VALUES = {"rung/error.h", "rung/build.h", "rung/version.h"}
# What users hold, or derive from: public headers include these of src, which are installed with all that they include.
HELD = {"ir/tensor.h", "nn/modules.h", "nn/safetensors.h", "ops/functional.h", "ref/data.h", "trace/mode.h"}


def includes(path):
    for quoted, public in INCLUDE.findall(path.read_text()):
        yield quoted or public


def allowed(folder, included):
    if included.startswith("rung/"):
        return folder in ("api", "include") or included in VALUES
    if folder == "include":
        return included in HELD
    if "/" not in included:  # beside the file itself
        return folder == "tools"
    target = included.split("/")[0]
    if folder not in LEVEL or target not in LEVEL:
        return False
    return target == folder or (LEVEL[target] < LEVEL[folder] and (folder, target) not in APART)


def sources():
    """Every file under the rule, and the folder that it counts as."""
    for path in sorted(ROOT.glob("src/*/**/*")):
        yield path, path.relative_to(ROOT / "src").parts[0]
    for folder, pattern in (("include", "include/rung/*"), ("tools", "tools/rung/*")):
        for path in sorted(ROOT.glob(pattern)):
            yield path, folder


def main():
    files = [(path, folder) for path, folder in sources() if path.suffix in (".h", ".cpp")]
    broken = 0
    for path, folder in files:
        for included in includes(path):
            if allowed(folder, included):
                continue
            print(f"{path.relative_to(ROOT)}: includes {included}, which lies no lower than {folder}/")
            broken += 1
    print(f"{len(files)} files, {broken} includes against the layers")
    return 1 if broken or not files else 0


if __name__ == "__main__":
    sys.exit(main())
