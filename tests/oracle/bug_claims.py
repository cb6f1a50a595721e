"""What rung claims of a bug case besides the values that it computes: each claim is a sentence of docs/bug-cases.md and a
function that fails where it does not hold. `case` has the case's exported program and its file (check_bugs.Case)."""
import json
import os
import re
import subprocess
import zipfile

import torch

from common import RUNG, Failed, rung

UNITS = os.environ.get("RUNG_UNIT", os.path.join(os.path.dirname(RUNG), "tests", "rung_unit"))

# Cases that are about something else than rung does, and why.
NOT_OURS = {
    "B41": "torch writes no file of it that could be read",
}


def need(condition, what):
    if not condition:
        raise Failed(what)


def calls(text):
    """Targets of a printed graph, in order: "aten.add.Tensor", "operator.mul"."""
    return [target.removeprefix("torch.ops.") for target in re.findall(r"call_function\[target=([\w.]+)\]", text)]


def lowered(case, *options, to="core"):
    return calls(rung("lower", case.file, "--to", to, *options))


def written(case, to="core"):
    path = case.file.replace(".pt2", f".{to}.pt2")
    rung("lower", case.file, "--to", to, "-o", path)
    return path


def outputs(path):
    return re.findall(r"^\w+: (\w+)", rung("show", path, "--format", "signature").split("# outputs")[1], re.M)


# ---- claims that many cases share

def torch_runs_it(case):
    """What rung wrote, loaded and run by torch, against the exported program."""
    from check_bugs import compare, values_of

    program = torch.export.load(written(case))
    for args, kwargs in case.inputs():
        expected = case.expected(args, kwargs)
        if expected is not None:
            compare(values_of(program.module(), args, kwargs), expected, case.tolerance())


def all_core(case):
    """By torch's own tag."""
    program = torch.export.load(written(case))
    targets = {n.target for n in program.graph.nodes if isinstance(n.target, torch._ops.OpOverload)}
    left = sorted(str(op) for op in targets if torch.Tag.core not in op.tags)
    need(not left, f"left over: {left}")


def counted(op):
    def holds(case):
        need(re.search(rf"^ *\d+  torch\.ops\.{re.escape(op)}\b", rung("census", case.file, "--to", "core"), re.M), "not named")

    return f"`rung census` names {op} before anything is lowered", holds


def nowhere_in_prims(stem):
    def holds(case):
        left = [op for op in lowered(case, to="prims") if stem in op]
        need(not left, f"left over: {left}")

    return f"no {stem} is left in prims", holds


def kept(op, *without):
    packet = ".".join(op.split(".")[:2])

    def holds(case):
        ops = lowered(case, "--keep", op)
        need(any(o == op or o.startswith(packet + ".") for o in ops), f"{op} is opened")
        for other in without:
            need(not any(other in o for o in ops), f"{other} is there too")

    return f"`--keep {op}` keeps it", holds


def signature(*kinds):
    def holds(case):
        got = outputs(written(case))
        need(got == list(kinds), f"outputs {got}")

    return "lowered, it returns " + " and ".join(kinds), holds


def unit(name, what):
    def holds(case):
        done = subprocess.run([UNITS, f"--test-case={name}"], capture_output=True, text=True)
        need(done.returncode == 0 and re.search(r"test cases:\s+1 \|\s+1 passed", done.stdout), "the unit test does not pass")

    return f"{what} (unit test *{name}*)", holds


# ---- claims of one case

def full_like_keeps_strides(case):
    ops = lowered(case)
    need(ops.count("aten.full_like.default") == 2, f"{ops}")
    loaded = torch.export.load(written(case))
    metas = [n.meta["val"].stride() for n in loaded.graph.nodes if n.op == "call_function"]
    need(metas == [(1, 3), (1, 3)], f"strides {metas}")


def casts_are_explained(case):
    need(lowered(case).count("aten._to_copy.default") == 4, "not four casts")
    text = rung("explain", case.file, "--to", "core")
    need(re.search(r"^silu = .*opened \(decomposition\) into 4 operators\n(  .*\n)*?  _to_copy = ", text, re.M), text)


def constant_is_named(case):
    text = refusal(case, "lower", case.file, "--to", "core")
    need("is mutated: register it as a buffer" in text and "constant '" in text, text)


def refusal(case, *command):
    done = subprocess.run([RUNG, *command], capture_output=True, text=True)
    need(done.returncode in (1, 2), f"exit code {done.returncode}")
    return done.stderr


def metadata_passes(case):
    for node in case.program.graph.nodes:
        node.meta["custom"] = {"note": node.name}
    torch.export.save(case.program, case.file)
    loaded = torch.export.load(written(case))
    found = {n.name: n.meta for n in loaded.graph.nodes if n.op == "call_function"}
    need(all(meta.get("custom") for meta in found.values()), "a note is lost")
    need(all(meta.get("from_node") for meta in found.values()), "a node does not say where it is from")


def buffer_holds_input(case):
    import numpy as np

    folder = os.path.dirname(case.file)
    given, made = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    np.savez(given, in0=case.args[0].numpy())
    rung("run", written(case), "--inputs", given, "-o", made)
    need(np.array_equal(np.load(made)["mutated.cache"], case.args[0].numpy()), "the write is lost")


def running_numbers(case):
    """Eager's buffers after one call, against what rung writes back."""
    import copy

    import numpy as np

    module = copy.deepcopy(case.module)
    module(*copy.deepcopy(case.args))
    folder = os.path.dirname(case.file)
    given, made = os.path.join(folder, "in.npz"), os.path.join(folder, "out.npz")
    np.savez(given, in0=case.args[0].numpy())
    rung("run", written(case), "--inputs", given, "-o", made)
    arrays = np.load(made)
    for name, buffer in module.named_buffers():
        key = "mutated." + name
        need(not name.startswith("a.") or key not in arrays.files, f"{name} of the module in eval mode is written")
        if name.startswith("b."):
            need(np.allclose(arrays[key], buffer.numpy(), rtol=1e-5), f"{name} differs")


def inputs_in_order(case):
    text = rung("lower", case.file, "--to", "core")
    need(re.findall(r"placeholder\[target=(\w+)\]", text) == ["unused", "x", "y"], text)


def asserts_stay_single(case):
    once = lowered(case)
    again = calls(rung("lower", written(case), "--to", "core"))
    need(once.count("aten._assert_scalar.default") == again.count("aten._assert_scalar.default") == 2, "asserts are doubled")
    need("u0: VR[1, 6]" in rung("show", written(case), "--format", "ranges"), "the range is lost")


def regions_inlined(case):
    with torch.enable_grad():
        program = torch.export.export(case.module, case.args)
    path = case.file.replace(".pt2", ".grad.pt2")
    torch.export.save(program, path)
    need("wrap_with_set_grad_enabled" in rung("show", path), "torch wrote no region")
    text = rung("lower", path, "--to", "core")
    need("wrap_with" not in text, "a region is left")
    need(calls(text).count("aten._to_copy.default") == 3, f"{calls(text)}")


def module_tree(case):
    program = torch.export.load(written(case))
    stacks = [list(n.meta["nn_module_stack"].values())[-1][0] for n in program.graph.nodes if n.op == "call_function"]
    need(stacks == ["layers.0", "layers.1"], f"{stacks}")
    out = torch.export.unflatten(program)(*case.args)
    need(torch.equal(out, case.module(*case.args)), "the tree computes something else")


def kinds_of_file(case):
    """Each wrong file, and what the message must say of it."""
    folder = os.path.dirname(case.file)
    junk, state, script, half, deflated, future = (os.path.join(folder, n) for n in
                                                   ("junk.pt2", "state.pt", "script.pt", "half.pt2", "deflated.pt2", "future.pt2"))
    with open(junk, "wb") as file:
        file.write(b"not a zip")
    torch.save({"a": torch.ones(1)}, state)
    torch.jit.save(torch.jit.trace(torch.nn.ReLU(), torch.ones(1)), script)
    with open(case.file, "rb") as file:
        content = file.read()
    with open(half, "wb") as file:
        file.write(content[: len(content) // 2])
    with zipfile.ZipFile(case.file) as source, zipfile.ZipFile(deflated, "w", zipfile.ZIP_DEFLATED) as one, zipfile.ZipFile(future, "w") as other:
        for entry in source.infolist():
            data = source.read(entry)
            one.writestr(entry.filename, data)
            if entry.filename.endswith("models/model.json"):
                document = json.loads(data)
                document["schema_version"]["major"] = 99
                data = json.dumps(document).encode()
            other.writestr(entry.filename, data)
    for path, words in ((junk, "zip"), (state, "torch.save"), (script, "TorchScript"), (half, "truncated"), (future, "99")):
        text = refusal(case, "show", path)
        need(words.lower() in text.lower(), f"{os.path.basename(path)}: {text.strip()}")
    need(rung("show", deflated) == rung("show", case.file), "a deflated archive reads otherwise")


def custom_op_kept(case):
    ops = lowered(case)
    need(ops == ["bugcase.twice.default", "bugcase.thrice.default"], f"{ops}")


def views_kept(case):
    need({"aten.transpose.int", "aten.split.Tensor"} <= set(lowered(case, "--keep", "aten.transpose.int", "--keep", "aten.split.Tensor")), "opened")
    need("cannot be kept" in refusal(case, "lower", case.file, "--to", "core", "--keep", "aten.narrow"), "ignored")


def one_result_pool(case):
    ops = lowered(case, "--keep", "aten.max_pool2d")
    need(ops.count("aten.max_pool2d.default") == 1 and ops.count("aten.max_pool2d_with_indices.default") == 1, f"{ops}")


def nn_160_blocks(case):
    module = torch.nn.Sequential(*[m for _ in range(160) for m in (torch.nn.Linear(4, 4), torch.nn.LayerNorm(4), torch.nn.GELU())]).eval()
    path = case.file.replace(".pt2", ".long.pt2")
    torch.export.save(torch.export.export(module, case.args), path)
    done = subprocess.run([RUNG, "lower", path, "--to", "core", "--format", "none", "--time"], capture_output=True, text=True, check=True)
    need(float(re.search(r"in ([\d.]+) ms", done.stderr)[1]) < 100, done.stderr)


def no_metadata_asserts(case):
    """A set that does not accept them goes without; the lowered program is otherwise the same."""
    path = os.path.join(os.path.dirname(case.file), "set.json")
    ops = [op for op in dict.fromkeys(lowered(case)) if op.startswith("aten.") and "_assert_tensor_metadata" not in op]
    with open(path, "w") as file:
        json.dump({"name": "without", "ops": ops}, file)
    need(set(lowered(case, to=path)) == set(ops), "another graph")


def written_once_with_message(case):
    text = rung("lower", case.file, "--to", "prims")
    need(text.count("_assert_async.msg") == 1 and "must hold" in text and "view_of" not in text and "item" not in text, text)


def sizes_stay_symbolic(case):
    text = rung("lower", case.file, "--to", "core", "--format", "readable")
    result = re.findall(r'view\w*: "f32\[(.*?)\]"', text)
    need(result and all("s" in sizes for sizes in result), f"{result}")


def constant_input_is_fixed(case):
    text = rung("show", case.file, "--format", "signature")
    need("CONSTANT" in text.upper() or "3" in text, text)
    need("operator.mul" in lowered(case), "size arithmetic is gone")


def attention_is_opened(case):
    need(not any("attention" in op for op in lowered(case)), "attention is left")


def pools_are_right_size(case):
    loaded = torch.export.load(written(case))
    sizes = [tuple(n.meta["val"].shape[-2:]) for n in loaded.graph.nodes if "pool2d.default" in str(n.target)]
    need(sizes and sizes[0] == (9, 9), f"{sizes}")


CLAIMS = {
    "B02": [signature("USER_INPUT_MUTATION", "USER_OUTPUT")],
    "B03": [("lowered to core, no attention is left", attention_is_opened)],
    "B07": [("full_like stays, with the strides of its model", full_like_keeps_strides)],
    "B08": [kept("aten.upsample_nearest2d.vec", "arange", "index")],
    "B09": [("torch's four casts, and `rung explain` says that they are silu's", casts_are_explained)],
    "B13": [counted("aten.bucketize.Tensor"), nowhere_in_prims("bucketize")],
    "B15": [counted("aten.multinomial.default")],
    "B19": [kept("aten.gru.input", "sigmoid"), nowhere_in_prims("gru")],
    "B22": [("a set without metadata asserts is reached", no_metadata_asserts)],
    "B27": [signature("USER_INPUT_MUTATION", "USER_OUTPUT")],
    "B29": [signature("BUFFER_MUTATION", "USER_OUTPUT"), ("the buffer holds the input after a run", buffer_holds_input)],
    "B31": [("lowering is refused, the constant is named, and the remedy", constant_is_named)],
    "B32": [signature("USER_INPUT_MUTATION", "USER_OUTPUT", "USER_OUTPUT")],
    "B34": [("notes in `custom` pass through, and every node says where it is from", metadata_passes)],
    "B44": [kept("aten.rms_norm", "rsqrt")],
    "B45": [nowhere_in_prims("weight_norm"), nowhere_in_prims("vector_norm")],
    "B48": [unit("a table that is changed leaves its copies alone", "tables are values")],
    "B49": [kept("aten.scaled_dot_product_attention", "softmax", "bmm")],
    "B50": [("inputs stay in order, the unused one too", inputs_in_order)],
    "B54": [("asserts once however often it is lowered; u0 has its range", asserts_stay_single), nowhere_in_prims("aten.max")],
    "B56": [("running numbers are the eager module's, and those in eval mode are left alone", running_numbers), nowhere_in_prims("batch_norm")],
    "B57": [unit("batch norm without running numbers is refused by name", "an error that names what is missing")],
    "B58": [("a set without metadata asserts is reached", no_metadata_asserts)],
    "B59": [("one assert with its message in prims, and nothing made for it", written_once_with_message)],
    "B73": [kept("aten.upsample_bicubic2d.vec")],
    "B75": [("160 blocks are lowered in less than 100 ms", nn_160_blocks)],
    "B76": [unit("native_dropout without a mode gives a value of its own", "in rung's own traces the input stays the input")],
    "B77": [counted("aten.adaptive_max_pool2d.default"), nowhere_in_prims("adaptive_max_pool")],
    "B79": [("sizes stay symbolic", sizes_stay_symbolic)],
    "B81": [("a set without metadata asserts is reached", no_metadata_asserts)],
    "B83": [("each wrong file is called what it is; a deflated archive is read", kinds_of_file)],
    "B84": [unit("a table that is changed leaves its copies alone", "tables are values")],
    "B85": [("operators of another library stay whole", custom_op_kept)],
    "B88": [("transpose and split are kept, narrow is refused aloud", views_kept)],
    "B91": [("the ceil-mode pools have 9 by 9 results", pools_are_right_size)],
    "B94": [("`--keep aten.max_pool2d` gives the one-result pool where nobody asks for indices", one_result_pool)],
    "B98": [kept("aten.baddbmm", "_to_copy", "convert")],
    "B100": [unit("an input with values is traced by its sizes", "rung's make_fx traces by sizes; numbers are in the graph only where they are asked for")],
    "B101": [("torch unflattens what rung wrote", module_tree)],
    "B106": [("both regions are inlined, with three casts", regions_inlined)],
    "B107": [("constants are inputs that are fixed; arithmetic on sizes stays", constant_input_is_fixed)],
}
ALL_CORE = {"B01", "B03", "B06", "B07", "B09", "B17", "B19", "B21", "B36", "B39", "B55", "B61", "B62", "B80", "B105"}


def of(case_id, has_file):
    """Pairs of a sentence and a function of the case."""
    claims = []
    if case_id in ALL_CORE:
        claims.append(("core operators only", all_core))
    claims += CLAIMS.get(case_id, [])
    if has_file and case_id != "B31":
        claims.append(("torch loads what rung wrote and computes the same", torch_runs_it))
    return claims
