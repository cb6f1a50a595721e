"""Functions in C++ against torch's make_fx: operators of OpInfo, drawn by the seed, each written as a C++ call with fake
inputs; all are compiled into one program, run, and compared text by text."""
import os
import random
import re
import subprocess
import sys
import tempfile

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils import _pytree as pytree

import common

sys.path.insert(0, os.path.join(common.ROOT, "scripts"))
import gen_functions
import gen_schema

BUILD = os.path.dirname(common.RUNG)
CXX = os.environ.get("CXX", "c++")
LIBRARIES = ["-lsimdjson", "-lminizip", "-lz"]
LAYOUTS = {torch.strided: "Layout::kStrided"}
FORMATS = {torch.contiguous_format: "MemoryFormat::kContiguous", torch.channels_last: "MemoryFormat::kChannelsLast",
           torch.preserve_format: "MemoryFormat::kPreserve", torch.channels_last_3d: "MemoryFormat::kChannelsLast3d"}


class NotWritten(Exception):
    """What C++ has no form for; another operator is drawn."""


def dtype_names():
    """torch.float32 -> DType::kFloat32, as src/ir/dtype.h lists them."""
    text = open(os.path.join(common.ROOT, "src/ir/dtype.h")).read()
    return {getattr(torch, name): f"DType::{enumerator}" for enumerator, name in re.findall(r'X\((k\w+), "(\w+)"', text)
            if hasattr(torch, name)}


DTYPES = dtype_names()
OPS = [op for op in gen_schema.load_ops(gen_schema.load_registries()) if op.namespace in ("aten", "prims") and gen_schema.has_function(op)]
OP_OF_NAME = {op.name: op for op in OPS}
FUNCTIONS = gen_functions.json.loads((gen_schema.ROOT / "data/torch-functions.json").read_text())


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value == -2**63:
            return "std::numeric_limits<int64_t>::min()"
        return f"int64_t{{{value}}}" if abs(value) > 2**31 - 1 else str(value)
    if isinstance(value, complex):
        raise NotWritten("a complex number")
    if value != value:
        return "std::nan(\"\")"
    if value in (float("inf"), float("-inf")):
        return ("-" if value < 0 else "") + "std::numeric_limits<double>::infinity()"
    return repr(value)


def plain_literal(value, names):
    """A value that says itself what it is."""
    if isinstance(value, (torch.Tensor, torch.fx.Node)):
        return names[value]
    if isinstance(value, (bool, int, float, complex)):
        return number(value)
    if isinstance(value, str):
        return quoted(value)
    for table in (DTYPES, LAYOUTS, FORMATS):
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)) and value in table:
            return table[value]
    if isinstance(value, torch.device):
        return f"Device{{{quoted(value.type)}}}"
    raise NotWritten(f"a value of {type(value).__name__}")


def literal(value, arg_type, names):
    """A value as an argument of a schema's type."""
    kind = arg_type.name
    if arg_type.list:
        if value is None:
            return "std::nullopt" if arg_type.optional else "{}"
        values = list(value) if isinstance(value, (list, tuple, torch.Size)) else [value] * max(1, arg_type.list_size)
        if kind == "kTensor":
            return "std::vector<Tensor>{" + ", ".join("Tensor()" if v is None else names[v] for v in values) + "}"
        item = {"kFloat": "double", "kScalar": "Scalar", "kInt": "SymInt", "kSymInt": "SymInt", "kBool": "bool"}.get(kind)
        if item == "bool":
            return "std::array<bool, %d>{%s}" % (len(values), ", ".join(map(number, values)))
        if item is None:
            raise NotWritten(f"a list of {kind}")
        items = ", ".join(number(float(v) if kind == "kFloat" else v) for v in values)
        text = f"std::vector<{item}>{{{items}}}"
        return f"IntList({text})" if item == "SymInt" else f"std::span<const {item}>({text})"
    if value is None:
        return "Tensor()" if kind == "kTensor" else "std::nullopt"
    if kind == "kScalar" and not isinstance(value, torch.Tensor):
        return f"Scalar({number(value)})"
    if kind == "kTensor" and isinstance(value, (bool, int, float)):
        return f"Tensor(Scalar({number(value)}))"
    if kind == "kFloat":
        return number(float(value))
    if kind in ("kInt", "kSymInt"):
        return number(int(value))
    return plain_literal(value, names)


# ---- as torch's own function

def function_of(op):
    """("torch", "add") if the operator is a function that C++ has, too."""
    for namespace in gen_functions.CPP_NAMESPACE:
        module = torch
        for part in namespace.split(".") if namespace != "torch" else []:
            module = getattr(module, part)
        for name in FUNCTIONS["functions"][namespace]:
            if getattr(module, name, None) is op and name not in gen_functions.FACTORIES and (namespace, name) not in gen_functions.BY_HAND:
                return namespace, name
    raise NotWritten("no function of its own")


def fits(parameter, value):
    t = parameter.arg.type
    if value is None:
        return t.optional
    if parameter.is_either:
        return isinstance(value, (torch.Tensor, bool, int, float))
    if t.list:
        one = t.list_size >= 1 and isinstance(value, int) and not isinstance(value, bool)
        kind = torch.Tensor if t.name == "kTensor" else (int, float) if t.name in ("kFloat", "kScalar") else int
        return one or (isinstance(value, (list, tuple)) and all(isinstance(v, kind) for v in value))
    kinds = {"kTensor": torch.Tensor, "kInt": int, "kSymInt": int, "kFloat": (int, float), "kBool": bool, "kScalar": (bool, int, float),
             "kString": str, "kScalarType": torch.dtype, "kMemoryFormat": torch.memory_format, "kLayout": torch.layout, "kDevice": torch.device}
    if t.name == "kTensor" and isinstance(value, (int, float)):
        return parameter.type == "const Tensor&" and parameter.arg.name == "other"
    if t.name in ("kInt", "kSymInt") and isinstance(value, bool):
        return False
    return t.name in kinds and isinstance(value, kinds[t.name])


def argument_text(parameter, value, names):
    if parameter.is_either and not isinstance(value, torch.Tensor):
        return "Tensor()" if value is None else f"Tensor(Scalar({number(value)}))"
    return literal(value, parameter.arg.type, names)


def bind(overload, args, kwargs, names):
    """The call's arguments in order, or None if they do not fit the overload."""
    if len(args) > len(overload.parameters):
        return None
    given = dict(kwargs)
    values = []
    for i, parameter in enumerate(overload.parameters):
        if i < len(args):
            value = args[i]
        elif parameter.arg.name in given:
            value = given.pop(parameter.arg.name)
        elif i >= overload.required or parameter.default is not None:
            values.append(None)
            continue
        else:
            return None
        if not fits(parameter, value):
            return None
        values.append(argument_text(parameter, value, names))
    if given:
        return None
    while values and values[-1] is None:
        values.pop()
    if len(values) < overload.required:
        return None
    return [v if v is not None else (p.default if p.default != "{}" else "Tensor()") for v, p in zip(values, overload.parameters)]


def as_function(op, args, kwargs, names, results):
    namespace, name = function_of(op)
    for overload in gen_functions.overloads_of(FUNCTIONS["functions"][namespace][name], OPS):
        bound = bind(overload, args, kwargs, names)
        if bound is not None:
            called = gen_functions.CPP_NAMESPACE[namespace].removeprefix("rung::") + "::" + gen_functions.cpp_name(name)
            call = f"{called}({', '.join(bound)})"
            if not overload.result.startswith("std::vector"):
                return [f"return {call};"]
            items = ", ".join(f"results[{i}]" for i in range(results))  # Python's function returns a tuple
            return [f"auto results = {call};", f"return std::tuple({items});" if results > 1 else f"return std::tuple<Tensor>({items});"]
    raise NotWritten("no overload fits")


# ---- as calls of aten, one for each that torch's dispatcher sees first

def as_calls(graph, inputs):
    lines, names = [], {}
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    for node, name in zip(placeholders, inputs):
        names[node] = name
    for node in graph.nodes:
        if node.op == "call_function":
            write_call(node, names, lines)
        elif node.op == "output":
            lines.append(f"return {returned(node.args[0], names)};")
        elif node.op != "placeholder":
            raise NotWritten("a tensor with values")
    return lines


def returned(value, names):
    if isinstance(value, torch.fx.Node):
        return names[value]
    if isinstance(value, tuple) and all(isinstance(v, torch.fx.Node) for v in value):
        return f"std::tuple({', '.join(names[v] for v in value)})" if len(value) > 1 else f"std::tuple<Tensor>({names[value[0]]})"
    if isinstance(value, list) and all(isinstance(v, torch.fx.Node) for v in value):
        return "std::vector<Tensor>{" + ", ".join(names[v] for v in value) + "}"
    raise NotWritten("a result of another type")


def write_call(node, names, lines):
    name = f"v{len(lines)}"
    if node.target.__name__ == "getitem":
        source, index = node.args
        many = source.meta["results"]
        names[node] = name
        lines.append(f"Tensor {name} = {names[source]}[{index}];" if many == "list" else f"Tensor {name} = std::get<{index}>({names[source]});")
        return
    schema = getattr(node.target, "_schema", None)
    if schema is None:
        raise NotWritten(f"a call of {node.target}")
    key = schema.name + ("." + schema.overload_name if schema.overload_name else "")
    op = OP_OF_NAME.get(key)
    if op is None:
        raise NotWritten(f"{key} has no function")
    values = dict(zip((a.name for a in op.args), node.args)) | dict(node.kwargs)
    arguments = [literal(values[a.name], a.type, names) if a.name in values else default_text(a) for a in op.args
                 if a.type.name not in gen_schema.OMITTED]
    node.meta["results"] = "list" if len(op.results) == 1 and op.results[0].type.list else "tuple"
    names[node] = name
    call = f"aten::{op.function}({', '.join(arguments)})" if op.namespace == "aten" else f"prims::{op.function}({', '.join(arguments)})"
    lines.append(f"auto {name} = {call};" if op.results else f"{call};")


def default_text(arg):
    text = gen_schema.cpp_parameter_default(arg)
    return "Tensor()" if text == "{}" and arg.type.name == "kTensor" else text


# ---- cases

class Case:
    def __init__(self, name, op, sample):
        self.name = name
        leaves, spec = pytree.tree_flatten(((sample.input, *sample.args), sample.kwargs))
        self.tensors = [v for v in leaves if isinstance(v, torch.Tensor)]
        where = [i for i, v in enumerate(leaves) if isinstance(v, torch.Tensor)]
        if len({id(t) for t in self.tensors}) != len(self.tensors):
            raise NotWritten("one tensor given twice")
        if any(t.layout != torch.strided or t.is_conj() or t.is_neg() or t.dtype not in DTYPES for t in self.tensors):
            raise NotWritten("an input that is not dense")

        def call(*tensors):
            filled = list(leaves)
            for i, t in zip(where, tensors):
                filled[i] = t
            args, kwargs = pytree.tree_unflatten(filled, spec)
            return op(*args, **kwargs)

        with torch.no_grad():
            traced = make_fx(call)(*(t.clone() for t in self.tensors))
            self.expected = traced.code.strip()
            make_fx(call, tracing_mode="fake")(*(t.clone() for t in self.tensors))  # fails where values are needed
        returned_value = list(traced.graph.nodes)[-1].args[0]
        results = len(returned_value) if isinstance(returned_value, (tuple, list)) else 1
        self.inputs = [f"a{i}" for i in range(len(self.tensors))]
        self.forms = []
        try:
            names = {id(t): n for t, n in zip(self.tensors, self.inputs)}
            lines = as_function(op, (sample.input, *sample.args), sample.kwargs, ById(names), results)
            self.forms.append(("function", lines))
        except NotWritten:
            pass
        with torch.no_grad():
            graph = make_fx(call, pre_dispatch=True)(*(t.clone() for t in self.tensors)).graph
        try:
            self.forms.append(("calls", as_calls(graph, self.inputs)))
        except NotWritten:
            if not self.forms:
                raise

    def text(self):
        kind, lines = self.forms[0]
        parameters = ", ".join(f"Tensor {name}" for name in self.inputs)
        fakes = ", ".join(fake_text(t) for t in self.tensors)
        return [f"  show({quoted(self.name)}, []({parameters}) {{"] + [f"    {line}" for line in lines] + [f"  }}, {{{fakes}}});"]


class ById(dict):
    """Names of tensors, by identity: tensors compare item by item."""

    def __getitem__(self, tensor):
        return dict.__getitem__(self, id(tensor))


def fake_text(t):
    t = t.clone()
    text = f"fake({{{', '.join(map(str, t.shape))}}}, {DTYPES[t.dtype]})"
    return text if t.is_contiguous() else text + f".strided({{{', '.join(map(str, t.stride()))}}})"


def draw(seed, count, match):
    """`count` operators, and how many were passed over, by reason."""
    rng = random.Random(seed)
    candidates = [op for op in op_db if match in op.name]
    rng.shuffle(candidates)
    cases, passed_over = [], []
    for info in candidates:
        if len(cases) == count:
            break
        name = f"{info.name}.{info.variant_test_name}".rstrip(".")
        try:
            torch.manual_seed(seed)
            dtype = torch.float32 if torch.float32 in info.dtypes else sorted(info.dtypes, key=str)[0]
            samples = list(info.sample_inputs("cpu", dtype, requires_grad=False))
            sample = rng.choice(samples[:20])
            cases.append(Case(name, info.op, sample))
        except Exception as error:  # torch itself cannot trace it, or C++ cannot say it
            passed_over.append(f"{name}: {type(error).__name__}: {str(error).splitlines()[0][:100] if str(error) else ''}")
    return cases, passed_over


SOURCE_HEAD = """#include <rung/rung.h>

#include <cmath>
#include <cstdio>
#include <limits>

using namespace rung;

template <typename F>
static void show(const char* name, F f, const std::vector<Input>& inputs) {
  std::printf("=== %s\\n", name);
  try {
    std::printf("%s\\n", make_fx(f, inputs).code().c_str());
  } catch (const std::exception& error) {
    std::printf("refused: %s\\n", error.what());
  }
}

int main() {
"""


def compile_all(cases, folder):
    """The program; a form that does not compile gives way to the next. Returns the notes on that."""
    notes = []
    source, program = os.path.join(folder, "functions.cpp"), os.path.join(folder, "functions")
    while True:
        lines, owner = SOURCE_HEAD.splitlines(), {}
        for case in cases:
            for line in case.text():
                lines.append(line)
                owner[len(lines)] = case
        with open(source, "w") as out:
            out.write("\n".join(lines + ["}"]) + "\n")
        done = subprocess.run([CXX, "-std=c++20", "-O0", "-fmax-errors=0", f"-I{common.ROOT}/include", f"-I{common.ROOT}/src", source,
                               os.path.join(BUILD, "librung.a"), *LIBRARIES, "-o", program], capture_output=True, text=True)
        if done.returncode == 0:
            return program, notes
        wrong = {int(n) for n in re.findall(r"functions\.cpp:(\d+):\d+: error", done.stderr)}
        failing = {id(owner[n]): owner[n] for n in wrong if n in owner}
        if not failing:
            raise common.Failed(done.stderr[-2000:])
        for case in failing.values():
            first = next((line for line in done.stderr.splitlines() if ": error:" in line and owner.get(int(re.search(r":(\d+):", line).group(1))) is case), "")
            notes.append(f"{case.name}: does not compile as a {case.forms[0][0]}: {first.split('error: ')[-1][:160]}: {case.forms[0][1][-1][:160]}")
            case.forms.pop(0)
        cases[:] = [case for case in cases if case.forms]


def check(seed, count, match=""):
    """Prints failures and the seed; returns (passed, failed). An operator that rung refuses for want of a meta or a
    decomposition is out of reach: it is named, and another one takes its place."""
    cases, passed_over = draw(seed, count + count // 5, match)
    with tempfile.TemporaryDirectory() as folder:
        program, notes = compile_all(cases, folder)
        printed = subprocess.run([program], capture_output=True, text=True, timeout=300).stdout
    got = dict(part.split("\n", 1) for part in printed.split("=== ")[1:])
    out_of_reach = [case for case in cases if got[case.name].startswith("refused: no path to")]
    notes += [f"{case.name}: {got[case.name].strip()}" for case in out_of_reach]
    cases = [case for case in cases if case not in out_of_reach][:count]
    failed = 0
    for note in notes:
        print(f"note functions/{note}")
    for case in cases:
        text = got[case.name].strip()
        if text != case.expected:
            failed += 1
            print(f"FAILED functions/{case.name} ({case.forms[0][0]}): expected\n{case.expected}\ngot\n{text}", flush=True)
    by_form = {kind: sum(case.forms[0][0] == kind for case in cases) for kind in ("function", "calls")}
    print(f"functions: {len(cases) - failed} passed, {failed} failed of {len(cases)} (seed {seed}; {by_form['function']} as torch's function, "
          f"{by_form['calls']} as calls of aten; {len(passed_over)} passed over; {len(out_of_reach)} out of reach)")
    if os.environ.get("RUNG_VERBOSE"):
        print("\n".join("passed over " + line for line in passed_over))
    return len(cases) - failed, failed


if __name__ == "__main__":
    passed, failures = check(int(sys.argv[1]) if len(sys.argv) > 1 else 0, int(sys.argv[2]) if len(sys.argv) > 2 else 100,
                             sys.argv[3] if len(sys.argv) > 3 else "")
    sys.exit(failures > 0)
