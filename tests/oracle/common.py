"""What the checks against live torch share: running rung, comparing values, collecting failures, two processes."""
import copy
import logging
import multiprocessing
import os
import re
import subprocess
import sys
import time
import traceback
import warnings
from collections import Counter

warnings.filterwarnings("ignore")
import torch
from torch.utils import _pytree as pytree

torch.set_num_threads(1)
logging.disable(logging.CRITICAL)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUNG = os.environ.get("RUNG", os.path.join(ROOT, "build", "release", "rung"))
RESAVE = os.environ.get("RUNG_RESAVE", os.path.join(os.path.dirname(RUNG), "tests", "rung_resave"))
CORPUS = os.environ.get("RUNG_CORPUS", os.path.join(os.path.dirname(ROOT), "shared", "corpus"))


class Failed(Exception):
    """A check that did not hold; the message says how."""


class Refused(Exception):
    """What rung says that it cannot do yet; counted in a note."""


class Checks:
    """Counts the checks of one case; a failing one is kept, and the next goes on."""

    def __init__(self, case):
        self.case, self.passed, self.failed, self.notes = case, 0, [], []

    def __call__(self, what, function, *args):
        """Runs `function`; True if it held."""
        try:
            function(*args)
        except Refused as refusal:
            self.notes.append(f"refused: {refusal}")
            return False
        except Exception as error:
            text = str(error) if isinstance(error, Failed) else f"{type(error).__name__}: {error}"
            if not isinstance(error, Failed):
                place = traceback.extract_tb(error.__traceback__)[-1]
                text += f" (at {os.path.basename(place.filename)}:{place.lineno})"
            self.failed.append((what, text[:1500]))
            return False
        self.passed += 1
        return True

    def equal(self, what, expected, got):
        def check():
            if expected != got:
                raise Failed(f"expected {str(expected)[:300]!r}, got {str(got)[:300]!r}")

        return self(what, check)


def rung(*args, code=0):
    """Standard output of rung; Failed if it exits otherwise than with `code` (with another one than 0: standard error)."""
    done = subprocess.run([RUNG, *map(str, args)], capture_output=True, text=True, timeout=120)
    if done.returncode != code:
        raise Failed(f"exit code {done.returncode}: {done.stderr.strip()[-600:]}" if done.stderr else f"exit code {done.returncode}")
    return done.stdout if code == 0 else done.stderr


def tensors_of(value):
    return pytree.tree_leaves(value)


def compare_values(expected, got, tolerance=1e-4, exact=False, metadata_only=False):
    """Two outputs, leaf by leaf; raises Failed at the first that differs."""
    a, b = tensors_of(expected), tensors_of(got)
    if len(a) != len(b):
        raise Failed(f"{len(a)} values expected, got {len(b)}")
    for i, (x, y) in enumerate(zip(a, b)):
        if not isinstance(x, torch.Tensor):
            if x != y:
                raise Failed(f"value {i}: expected {x!r}, got {y!r}")
            continue
        if x.dtype != y.dtype or x.shape != y.shape:
            raise Failed(f"value {i}: expected {x.dtype}{list(x.shape)}, got {y.dtype}{list(y.shape)}")
        if metadata_only:
            continue
        x, y = x.detach().resolve_conj().resolve_neg(), y.detach().resolve_conj().resolve_neg()
        if exact or not (x.is_floating_point() or x.is_complex()):
            good = torch.equal(torch.nan_to_num(x), torch.nan_to_num(y)) if x.is_floating_point() else torch.equal(x, y)
        else:
            wide = torch.complex128 if x.is_complex() else torch.float64
            good = torch.allclose(x.to(wide), y.to(wide), rtol=tolerance, atol=tolerance * 0.1, equal_nan=True)
        if not good:
            where = (x.double() - y.double()).abs().max().item() if x.numel() and not x.is_complex() else "?"
            raise Failed(f"value {i} ({x.dtype}{list(x.shape)}) differs, by at most {where}")


def load(path):
    program = torch.export.load(path)
    program.validate()
    return program


def run_module(module, args, kwargs=None):
    """Outputs, the inputs after the call, and the buffers after the call; the arguments are left as they are."""
    args, kwargs = copy.deepcopy((args, kwargs or {}))
    with torch.no_grad():
        torch.manual_seed(0)
        out = module(*args, **kwargs)
    buffers = {name: value.detach().clone() for name, value in module.named_buffers()}
    return out, (args, kwargs), buffers


def without_file_comments(text):
    """Without the comments that say where a node came from, and empty lines."""
    return "\n".join(line for line in text.splitlines() if line.strip() and not line.strip().startswith(("# File:", "# Annotation:", "# No stacktrace")))


def run_cases(title, cases, check, jobs):
    """Calls check(case, Checks) for every case in `jobs` processes; prints failures; returns (passed, failed)."""
    began = time.time()
    passed, failed, notes = 0, 0, []
    worker = _Worker(check)
    context = multiprocessing.get_context("fork")
    with context.Pool(jobs, maxtasksperchild=40) as pool:
        for checks in pool.imap_unordered(worker, cases, chunksize=1):
            passed += checks.passed
            failed += len(checks.failed)
            notes += checks.notes
            for what, text in checks.failed:
                print(f"FAILED {title}/{checks.case}: {what}: {text}", flush=True)
    for note, count in sorted(Counter(notes).items()):
        print(f"note {title}/{note}" + (f" ({count} times)" if count > 1 else ""))
    print(f"{title}: {passed} passed, {failed} failed in {time.time() - began:.0f} s", flush=True)
    return passed, failed


class _Worker:
    def __init__(self, check):
        self.check = check

    def __call__(self, case):
        checks = Checks(str(case))
        try:
            self.check(case, checks)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            checks.failed.append(("stopped", f"{type(error).__name__}: {str(error)[:500]} (at {os.path.basename(last.filename)}:{last.lineno})"))
        return checks
