#!/usr/bin/env python3
"""Runs the commands that README.md and docs/ show, and compares what they print with what is shown.

Usage: check_docs.py RUNG EXAMPLE...          in any folder; commands run in the project's

In a fenced block, "$ rung ..." is a command, "$ ladder ..." one where an example of that name is given, and the lines up to the next one what it prints. A shown line "..." stands
for any lines, and lines about time are not compared.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```[a-z]*\n(.*?)^```", re.S | re.M)
TIMED = re.compile(r"\d+ (ms|s)\b")


def commands(text, programs):
    """Pairs of a command and the lines shown below it, of commands that run one of `programs`."""
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, shown = part.partition("\n")
            if command.partition(" ")[0] in programs:
                yield command, shown.rstrip("\n").splitlines()


def matches(shown, printed):
    if not shown:
        return True  # only the command is shown
    pattern = "".join(r"(?:.*\n)*" if line.strip() == "..." else re.escape(line) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def main():
    programs = {pathlib.Path(path).name: str(pathlib.Path(path).resolve()) for path in sys.argv[1:]}
    count = wrong = 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for command, shown in commands(page.read_text(), programs):
            count += 1
            name, _, rest = command.partition(" ")
            run = subprocess.run(
                f"'{programs[name]}' {rest}", shell=True, cwd=ROOT, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            printed = [line for line in run.stdout.rstrip("\n").splitlines() if not TIMED.search(line)]
            shown = [line for line in shown if not TIMED.search(line)]
            if not matches(shown, printed):
                wrong += 1
                print(f"{page.relative_to(ROOT)}: $ {command}\n  shown:")
                print("\n".join("    " + line for line in shown) + "\n  printed:")
                print("\n".join("    " + line for line in printed[: len(shown) + 5]))
    print(f"{count} commands of the documents run, {wrong} print something else")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
