"""Measures rung beside torch and writes docs/performance.md.

Usage: bench.py [--build build/release] [--out docs/performance.md] [--parts models,dynamic,sets,operators,chain,tracing,files,running,startup,callgrind] [--match TEXT]
"""
import argparse
import functools
import glob
import importlib.util
import json
import logging
import math
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile

warnings.filterwarnings("ignore")
import torch

torch.set_num_threads(1)
logging.disable(logging.WARNING)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORPUS = os.environ.get("RUNG_CORPUS", os.path.join(os.path.dirname(ROOT), "shared", "corpus"))
LOWER = "rung::lower(rung::ExportedProgram const&, rung::DecompositionTable const&, rung::LowerOptions const&)"


def output_of(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{os.path.basename(command[0])} exits with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def json_of(*command):
    return json.loads(output_of(*command))


def table(head, rows):
    align = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in [head, align, *rows]) + "\n"


def slope(points):
    """Of the log-log line by least squares."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mx, my = statistics.fmean(xs), statistics.fmean(ys)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sum((x - mx) ** 2 for x in xs)


def verdict(good):
    return "met" if good else "**not met**"


class Bench:
    def __init__(self, build, match, folder):
        self.build, self.match, self.folder = build, match, folder
        self.summary = []

    def program(self, name):
        return os.path.join(self.build, "bench", name)

    def goal(self, what, value, good):
        self.summary.append((what, value, verdict(good)))

    # ------------------------------------------------------------------ models

    def model_files(self, dynamic=False):
        recorded = [f for f in sorted(glob.glob(os.path.join(CORPUS, "models", "*.pt2"))) if f.endswith("_dyn.pt2") == dynamic]
        files = recorded if recorded or dynamic else self.exported_files()
        return [f for f in files if self.match in os.path.basename(f)]

    def exported_files(self):
        sys.path.insert(0, os.path.join(ROOT, "tests", "oracle"))
        import models

        files = []
        for name in ("resnet", "mobilenet", "convnext", "vit", "unet", "gpt2", "llama", "t5", "bert", "transformer_layers", "mamba"):
            case = models.build(name, 0)
            files.append(os.path.join(self.folder, f"{name}.pt2"))
            torch.export.save(torch.export.export(case.module, case.args, case.kwargs, strict=False), files[-1])
        return files

    def torch_seconds(self, path):
        """Median of three run_decompositions() after a warm-up; the reason in words where torch refuses."""
        program = torch.export.load(path)
        times = []
        for _ in range(4):
            start = time.process_time()
            try:
                program.run_decompositions()
            except Exception:
                return None
            times.append(time.process_time() - start)
        return statistics.median(times[1:])

    def rung_seconds(self, files):
        report = json_of(self.program("rung_bench_lower"), *files, "--benchmark_format=json", "--benchmark_min_time=0.1",
                         "--benchmark_repetitions=5", "--benchmark_report_aggregates_only=true")
        found = {}
        for entry in report["benchmarks"]:
            if entry.get("error_occurred"):
                found[entry["run_name"]] = entry["error_message"]
            elif entry.get("aggregate_name") == "median":
                found[entry["run_name"]] = entry
        return found

    def models(self):
        return "## Lowering to core ATen\n\n" + self.against_torch(self.model_files(), "models")

    def dynamic(self):
        files = self.model_files(dynamic=True)
        return "## Programs with dynamic sizes\n\n" + self.against_torch(files, "models with dynamic sizes") if files else ""

    def against_torch(self, files, what):
        self.foreign_ops()
        mine = self.rung_seconds(files)
        rows, ratios, stuck = [], [], []
        for path in files:
            name, entry = os.path.basename(path)[:-4], mine.get(path)
            if not isinstance(entry, dict):
                stuck.append(f"- {name}: {str(entry).split(': ', 1)[-1]}")
                continue
            seconds = entry["cpu_time"] * 1e-6
            theirs = self.torch_seconds(path)
            ratio = theirs / seconds if theirs else None
            ratios += [ratio] if ratio else []
            rows.append((name, f"{entry['nodes_in']:.0f}", f"{entry['nodes_out']:.0f}", f"{theirs * 1e3:,.0f}" if theirs else "refuses",
                         f"{seconds * 1e3:.3f}", f"{seconds * 1e9 / entry['nodes_out']:.0f}", f"{ratio:,.0f}" if ratio else "-"))
            print(*rows[-1], flush=True)
        text = "torch's `run_decompositions()` (one thread, median of three after a warm-up) against rung's `lower` in process (median of five times many). CPU time, so that other work of the machine counts little.\n\n"
        text += table(("model", "nodes", "lowered", "torch, ms", "rung, ms", "rung, ns a node", "ratio"), rows)
        if stuck:
            text += "\nWithout a path to core as yet:\n\n" + "\n".join(stuck) + "\n"
        if ratios:
            self.goal(f"lowering against torch, each of {len(ratios)} {what}: at least 1,000 times faster",
                      f"{min(ratios):,.0f} to {max(ratios):,.0f} times, median {statistics.median(ratios):,.0f}", min(ratios) >= 1000)
        return text

    @functools.cache
    def foreign_ops(self):
        """An op of the transformers library that one recorded program calls: torch needs its shape to load it."""
        @torch.library.custom_op("transformers::grouped_mm_fallback", mutates_args=())
        def op(input: torch.Tensor, weight: torch.Tensor, offs: torch.Tensor) -> torch.Tensor:
            raise NotImplementedError

        op.register_fake(lambda input, weight, offs: input.new_empty(input.shape[0], weight.shape[2]))

    # ------------------------------------------------------------------ op sets

    def sets(self):
        """What the search for a way into an op set costs: as a command, and in a process that goes on."""
        files = self.model_files()
        measured = [json.loads(line) for line in output_of(self.program("rung_bench_sets"), *files).splitlines()]
        by_set = {}
        for entry in measured:
            command = self.command_ratio(entry["file"], entry["set"])
            ratios = (command, entry["again"] / entry["core"], entry["anew"] / entry["core"])
            by_set.setdefault(entry["set"], []).append((ratios, entry["nodes"], os.path.basename(entry["file"])[:-4]))
        rows = []
        for name, ratios in by_set.items():
            rows.append([name])
            for which in range(3):
                most, calls, model = max((ratio[which], calls, model) for ratio, calls, model in ratios)
                rows[-1] += [f"{statistics.median(ratio[which] for ratio, _, _ in ratios):.2f}", f"{most:.2f} ({model})"]
                if which == 1:
                    rows[-1].append(f"{calls:.1f}")
        most = [max(ratio[which] for ratios in by_set.values() for ratio, _, _ in ratios) for which in range(3)]
        pairs = f"{len(measured)} pairs of a model and a set"
        self.goal(f"`rung lower --to SET` against `rung lower --to core`, {pairs}: at most 3 times", f"at most {most[0]:.2f} times", most[0] <= 3)
        self.goal(f"the lowering alone by a table that has met the model before, {pairs}: at most 3 times", f"at most {most[1]:.2f} times", most[1] <= 3)
        self.goal(f"the lowering alone with nothing known, {pairs}: at most 3 times", f"at most {most[2]:.2f} times", most[2] <= 3)
        return ("## Lowering to op sets\n\nCPU time of lowering to the set as a multiple of lowering to core, the least of several runs that take turns. "
                "Command: `rung lower FILE --to SET -o OUT.pt2` as a whole, from the start of the process to its end. "
                "The others are the lowering alone, inside of a process: again by a table that has met the model, and with nothing known, so that every distinct call is searched anew. Nodes: how many times as many calls that model has on the set as on core.\n\n"
                + table(("set", "command, median", "most", "again, median", "most", "its nodes", "anew, median", "most"), rows))

    def command_ratio(self, file, name):
        def seconds(rung):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run([os.path.join(self.build, "rung"), "lower", file, "--to", rung, "-o", os.path.join(self.folder, "lowered.pt2")], capture_output=True, text=True)
            if done.returncode not in (0, 2):
                raise RuntimeError(f"rung exits with {done.returncode}: {done.stderr.strip()[-500:]}")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        runs = [(seconds(name), seconds("core")) for _ in range(3)]
        return min(run[0] for run in runs) / min(run[1] for run in runs)

    # ------------------------------------------------------------------ operators

    @staticmethod
    def unpack(archive, folder):
        """The cases of a file of tests/golden, without the arrays beside the programs, which torch does not read."""
        os.makedirs(folder)
        with zipfile.ZipFile(archive) as outer, outer.open("cases.zip") as inner, zipfile.ZipFile(inner) as cases:
            for name in cases.namelist():
                with cases.open(name) as packed, zipfile.ZipFile(packed) as case, \
                        zipfile.ZipFile(os.path.join(folder, os.path.basename(name)), "w") as out:
                    for entry in case.namelist():
                        if not entry.endswith("/extra/values"):
                            out.writestr(entry, case.read(entry))

    def operators(self):
        """Every recorded program of a single operator in one process; some of them beside torch, drawn anew each time."""
        folder = os.path.join(self.folder, "opinfo")
        self.unpack(os.path.join(ROOT, "tests", "golden", "opinfo.zip"), folder)
        mine = json_of(self.program("rung_bench_corpus"), folder)
        drawn = random.sample(sorted(mine["by_file"]), 40)
        pairs = [(theirs, mine["by_file"][name]) for name in drawn if (theirs := self.torch_seconds(os.path.join(folder, name)))]
        theirs, ours = (sum(each) for each in zip(*pairs))
        self.goal(f"{mine['programs']:,} programs of single operators, lowered in one process: under 2 s", f"{mine['lower']:.2f} s", mine["lower"] < 2)
        row = (f"{mine['programs']:,}", f"{mine['nodes_out']:,}", f"{mine['load'] * 1e3:,.0f}", f"{mine['lower'] * 1e3:,.0f}", len(pairs),
               f"{theirs * 1e3:,.0f}", f"{ours * 1e3:.2f}", f"{theirs / ours:,.0f}")
        return ("## Operators\n\nThe programs of `tests/golden/opinfo.zip`, each loaded and lowered to core once, in one process; of some, drawn at random, torch's `run_decompositions()` (median of three after a warm-up) besides. CPU time.\n\n"
                + table(("programs", "lowered nodes", "load, ms", "lower, ms", "drawn", "of these torch, ms", "rung, ms", "ratio"), [row]))

    # ------------------------------------------------------------------ growth

    def chain(self):
        """A chain of n blocks (Linear, SiLU, LayerNorm), static and with a dynamic number of rows."""
        text = ("## Growth\n\nA chain of n blocks (Linear, SiLU, LayerNorm) lowered to core: CPU time, the median of runs in one process that keeps its memory from run to run, the least of nine processes; "
                "the first run also waits for the system to clear new pages. Memory is what lowering adds at its peak.\n\n")
        return text + self.growth("chain of blocks") + "\nWith a dynamic number of rows:\n\n" + self.growth("chain with a dynamic size", "dynamic")

    def growth(self, what, *options):
        # Neighbours on the machine slow down what misses its caches: of several processes the least disturbed one counts.
        sizes = (10, 100, 1000, 10_000, 100_000)
        rounds = [[json_of(self.program("rung_bench_chain"), n, *options) for n in sizes] for _ in range(9)]
        results = [min(of_size, key=lambda r: r["seconds"]) for of_size in zip(*rounds)]
        rows = [(f"{r['blocks']:,}", f"{r['nodes_in']:,}", f"{r['nodes_out']:,}", f"{r['seconds'] * 1e3:,.3f}", f"{r['seconds'] * 1e9 / r['nodes_out']:,.0f}",
                 f"{r['first_seconds'] * 1e3:,.3f}", f"{r['kib'] / 1024:,.1f}", f"{r['kib'] * 1024 / r['nodes_out']:,.0f}") for r in results]
        time_slope, first_slope = (slope([(r["blocks"], r[key]) for r in results]) for key in ("seconds", "first_seconds"))
        memory = [(r["blocks"], r["kib"]) for r in results if r["kib"] > 0]
        memory_slope = slope(memory) if len(memory) > 1 else float("nan")
        self.goal(f"{what}, slope of the log-log line of time: at most 1.05", f"{time_slope:.3f}", time_slope <= 1.05)
        self.goal(f"{what}, slope of the log-log line of memory: at most 1.05", f"{memory_slope:.3f}", memory_slope <= 1.05)
        return (table(("blocks", "nodes", "lowered", "ms", "ns a node", "first run, ms", "MiB", "bytes a node"), rows)
                + f"\nSlope of the log-log line: {time_slope:.3f} (time), {first_slope:.3f} (time of the first run), {memory_slope:.3f} (memory).\n")

    # ------------------------------------------------------------------ tracing

    def tracing(self):
        """make_fx on a function of 10,000 calls, in both."""
        from torch._decomp import core_aten_decompositions
        from torch.fx.experimental.proxy_tensor import make_fx

        calls = 10_000

        def function(x):
            for _ in range(calls // 4):
                x = torch.sin(torch.nn.functional.silu(x) * x + 1)
            return x

        def torch_seconds(decompositions):
            start = time.process_time()
            make_fx(function, decomposition_table=decompositions, tracing_mode="fake")(torch.zeros(4, 8))
            return time.process_time() - start

        mine = json_of(self.program("rung_bench_trace"), calls)
        theirs = {"seconds": torch_seconds({}), "core_seconds": torch_seconds(core_aten_decompositions())}
        rows = [(what, f"{theirs[key] * 1e3:,.0f}", f"{mine[key] * 1e3:.2f}", f"{mine[key] * 1e9 / calls:.0f}", f"{theirs[key] / mine[key]:,.0f}")
                for what, key in (("as called", "seconds"), ("to core ATen", "core_seconds"))]
        self.goal("tracing a function of 10,000 calls: under 10 ms", f"{mine['seconds'] * 1e3:.2f} ms", mine["seconds"] < 0.01)
        return ("## Tracing\n\n`make_fx` on a function of 10,000 calls (silu, a product, a sum, a sine, on and on) with a fake input: CPU time, torch once, rung in the median.\n\n"
                + table(("table", "torch, ms", "rung, ms", "rung, ns a call", "ratio"), rows))

    # ------------------------------------------------------------------ files

    @staticmethod
    def real_models():
        spec = importlib.util.spec_from_file_location("bench_models", os.path.join(ROOT, "bench", "models.py"))
        bench_models = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(bench_models)
        return bench_models.REAL

    def files(self):
        rows, ratios = [], []
        for name, make in self.real_models().items():
            path = os.path.join(self.folder, "real.pt2")
            module, args = make()
            torch.export.save(torch.export.export(module, args, strict=False), path)
            del module
            text_path = os.path.join(self.folder, "model.json")
            with zipfile.ZipFile(path) as archive, open(text_path, "wb") as text:
                text.write(archive.read(next(n for n in archive.namelist() if n.endswith("models/model.json"))))
            r = json_of(self.program("rung_bench_file"), path, text_path, os.path.join(self.folder, "out.pt2"), 9)
            plain = r["parse"] + r["copy"]
            ratios.append(r["total"] / plain)
            rows.append((name, f"{r['bytes'] / 1e6:,.0f}", f"{r['json_bytes'] / 1e3:,.0f}", f"{r['load'] * 1e3:.1f}", f"{r['lower'] * 1e3:.1f}", f"{r['save'] * 1e3:.1f}", f"{r['total'] * 1e3:.1f}",
                         f"{r['parse'] * 1e3:.2f}", f"{r['copy'] * 1e3:.1f}", f"{ratios[-1]:.2f}", f"{r['anonymous_kib'] / 1024:.1f}"))
            print(*rows[-1], flush=True)
            os.remove(path)
        self.goal("load + lower + save against parsing the JSON with simdjson and copying the file: at most 3 times",
                  ", ".join(f"{ratio:.2f}" for ratio in ratios), max(ratios) <= 3)
        return ("## Files of real size\n\nLoad, lower to core, save, against parsing the program's JSON with simdjson and copying the file (median of nine, ms). Memory is the peak of the process's own pages, without the mapped weights.\n\n"
                + table(("model", "MB", "JSON, kB", "load", "lower", "save", "all", "parse", "copy", "ratio", "memory, MiB"), rows))

    # ------------------------------------------------------------------ running

    def running(self):
        """Reference kernels beside torch's, on models of real size."""
        rows = []
        for name, make in self.real_models().items():
            path = os.path.join(self.folder, "real.pt2")
            module, args = make()
            program = torch.export.export(module, args, strict=False)
            torch.export.save(program, path)
            run = program.module()
            with torch.no_grad():
                run(*args)
                start = time.process_time()
                run(*args)
                theirs = time.process_time() - start
            del module, run, program
            start = os.times()
            peak = int(output_of("/usr/bin/env", "python3", "-c",
                                 "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
                                 "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)",
                                 os.path.join(self.build, "rung"), "run", path))
            end = os.times()
            mine = end.children_user + end.children_system - start.children_user - start.children_system
            rows.append((name, f"{os.path.getsize(path) / 1e6:,.0f}", f"{theirs:.2f}", f"{mine:.1f}", f"{mine / theirs:.0f}", f"{peak / 1024:,.0f}"))
            print(*rows[-1], flush=True)
            os.remove(path)
        return ("## Running with reference kernels\n\n`rung run` on the file's sample inputs beside torch's eager kernels (one thread, second run): CPU time in seconds, and the peak of resident memory, mapped weights included.\n\n"
                + table(("model", "MB", "torch", "rung", "times torch", "memory, MiB"), rows))

    # ------------------------------------------------------------------ start-up, instructions

    def startup(self):
        mine = json_of(self.program("rung_bench_startup"), 100, os.path.join(self.build, "rung"), "--version")
        empty = json_of(self.program("rung_bench_startup"), 100, shutil.which("true"))
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import torch"], check=True)
        theirs = time.perf_counter() - start
        self.goal("start-up of `rung --version`: under 5 ms", f"{mine['seconds'] * 1e3:.2f} ms", mine["seconds"] < 0.005)
        return ("## Start-up\n\nMedian of 100, started and waited for.\n\n"
                + table(("program", "ms"), [("`rung --version`", f"{mine['seconds'] * 1e3:.2f}"), ("`true`", f"{empty['seconds'] * 1e3:.2f}"), ("`python -c 'import torch'` (once)", f"{theirs * 1e3:,.0f}")]))

    def callgrind(self):
        if shutil.which("valgrind") is None:
            return ""
        rows = []
        for path in [f for f in self.model_files() if os.path.basename(f)[:-4] in ("llama", "resnet", "vit")]:
            out = os.path.join(self.folder, "callgrind.out")
            try:
                output_of("valgrind", "--tool=callgrind", f"--toggle-collect={LOWER}", f"--callgrind-out-file={out}", os.path.join(self.build, "rung"), "lower", path, "--to", "core", "--format", "none")
                nodes = self.rung_seconds([path])[path]["nodes_out"]
            except (RuntimeError, TypeError):
                continue
            with open(out) as file:
                count = next(int(line.split()[1]) for line in file if line.startswith(("summary:", "totals:")))
            rows.append((os.path.basename(path)[:-4], f"{count:,}", f"{nodes:.0f}", f"{count / nodes:,.0f}"))
        return "## Instructions\n\nCounted by callgrind inside `lower`, once, with cold caches of its own.\n\n" + table(("model", "instructions", "lowered nodes", "a node"), rows) if rows else ""


def machine():
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1]) / 2**20
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    return f"{os.cpu_count()} cores ({os.uname().machine}), {memory:.0f} GiB of memory; {compiler}; torch {torch.__version__}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--out", default=os.path.join(ROOT, "docs", "performance.md"))
    parser.add_argument("--parts", default="models,dynamic,sets,operators,chain,tracing,files,running,startup,callgrind")
    parser.add_argument("--match", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.build, options.match, folder)
        texts = [getattr(bench, part)() for part in options.parts.split(",")]
    head = f"# Performance\n\nWritten by `make bench`; do not edit. Measured on {machine()}.\n\n"
    head += table(("goal", "measured", ""), bench.summary)
    text = head + "\n" + "\n".join(filter(None, texts))
    with open(options.out, "w") as file:
        file.write(text)
    print(text)


if __name__ == "__main__":
    main()
