"""Files that scripts write: the one place where they are written, or with --check compared."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def write_or_check(texts):
    """`texts` by path in the project. Writes what is not current, or with --check names it; returns the exit code."""
    check = "--check" in sys.argv[1:]
    stale = []
    for path, text in texts.items():
        target = ROOT / path
        if target.exists() and target.read_text() == text:
            continue
        stale.append(path)
        if not check:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
    for path in stale:
        print("stale:" if check else "wrote", path)
    return 1 if stale and check else 0
