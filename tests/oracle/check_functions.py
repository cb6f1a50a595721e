"""Functions in C++ against torch: operators of OpInfo, drawn by the seed, each written as a C++ call. All are compiled into
one program that traces them with fake inputs, which is compared with make_fx's text, and calls them with values."""
import inspect
import os
import random
import re
import subprocess
import sys
import tempfile

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import SampleInput
from torch.utils import _pytree as pytree

import values as values_of
import common
import safetensor_files

sys.path.insert(0, os.path.join(common.ROOT, "scripts"))
import gen_functions
import gen_schema

BUILD = os.path.dirname(common.RUNG)
CXX = os.environ.get("CXX", "c++")
LIBRARIES = ["-lsimdjson", "-lminizip", "-lz", "-llapacke"]
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


def call_lines(call, result, results):
    """Python's functions return a tuple where C++ has a vector."""
    if not result.startswith("std::vector"):
        return [f"return {call};"]
    items = ", ".join(f"results[{i}]" for i in range(results))
    return [f"auto results = {call};", f"return std::tuple({items});" if results > 1 else f"return std::tuple<Tensor>({items});"]


def as_function(op, args, kwargs, names, results):
    namespace, name = function_of(op)
    for overload in gen_functions.overloads_of(FUNCTIONS["functions"][namespace][name], OPS):
        bound = bind(overload, args, kwargs, names)
        if bound is not None:
            called = gen_functions.CPP_NAMESPACE[namespace].removeprefix("rung::") + "::" + gen_functions.cpp_name(name)
            return call_lines(f"{called}({', '.join(bound)})", overload.result, results)
    raise NotWritten("no overload fits")


# ---- as a function that is written by hand, since torch's is Python

class Declared:
    """A declaration of src/ops/functional_*.h."""

    def __init__(self, namespace, result, name, parameters):
        self.namespace, self.result, self.name = namespace, result, name
        self.parameters = []
        for text in split_parameters(parameters):
            declared, _, default = (part.strip() for part in text.partition("="))
            type_, _, parameter = declared.rpartition(" ")
            self.parameters.append((type_.removeprefix("const ").removesuffix("&"), parameter, default or None))


def split_parameters(text):
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "<({") - (c in ">)}")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return parts + [part.strip()]


def declarations():
    found = []
    for path in sorted((gen_schema.ROOT / "src/ops").glob("functional_*.h")):
        text = re.sub(r"//[^\n]*", "", path.read_text())
        namespace = re.search(r"namespace rung::([\w:]+) {", text).group(1)
        for result, name, parameters in re.findall(r"\n([\w:<>, ]+?) (\w+)\(([^;]*?)\);", text):
            found.append(Declared(namespace, result, name, " ".join(parameters.split())))
    return found


DECLARED = declarations()
ATTENTION = re.sub(r"//[^\n]*", "", (gen_schema.ROOT / "src/ops/functional_attention.h").read_text())
PYTHON_NAMESPACE = {"torch": torch, "nn::functional": torch.nn.functional}
OPTIONS = {"dtype", "device"}
# What Python's functions take and C++ does without: writing in place, and the words of old versions.
WITHOUT = {"inplace": False, "size_average": None, "reduce": None, "out": None, "memory_format": torch.preserve_format, "layout": torch.strided,
           "pin_memory": False, "requires_grad": False, "return_indices": False, "_stacklevel": 3}


def positional_names(op, name):
    """Names of the parameters by position, with a star where they are gathered; None for functions written in C."""
    told = getattr(torch.nn.functional, f"{name}_with_indices", None) if op.__name__ == "fn" else op
    told = {"unique": torch.functional._unique_impl, "unique_consecutive": torch.functional._unique_consecutive_impl}.get(name, told)
    try:
        parameters = inspect.signature(told).parameters.values()
    except ValueError:
        return None
    return [("*" if p.kind == p.VAR_POSITIONAL else "") + p.name for p in parameters]


def value_text(type_, value, names):
    """A value as an argument of a C++ type."""
    optional = type_.startswith("std::optional<")
    if optional:
        type_ = type_.removeprefix("std::optional<").removesuffix(">")
    is_number = isinstance(value, (bool, int, float))
    if value is None:
        if type_ == "Tensor":
            return "Tensor()"
        if optional or type_ in ("IntsOrNone", "OneOrMoreDoubles"):
            return "std::nullopt"
    elif type_ == "Tensor" and (isinstance(value, torch.Tensor) or is_number):
        return names[value] if isinstance(value, torch.Tensor) else f"Tensor(Scalar({number(value)}))"
    elif type_ == "Scalar" and is_number:
        return f"Scalar({number(value)})"
    elif type_ == "double" and is_number:
        return number(float(value))
    elif type_ in ("int64_t", "SymInt") and isinstance(value, int) and not isinstance(value, bool):
        return number(value)
    elif type_ in ("OneOrMoreInts", "IntsOrNone") and isinstance(value, int):
        return number(value)
    elif type_ in ("IntList", "OneOrMoreInts", "IntsOrNone") and isinstance(value, (list, tuple)) and all(isinstance(v, int) for v in value):
        return f"IntList(std::vector<SymInt>{{{', '.join(map(number, value))}}})"
    elif type_ == "OneOrMoreDoubles" and is_number:
        return number(float(value))
    elif type_ == "OneOrMoreDoubles" and isinstance(value, (list, tuple)):
        return f"std::vector<double>{{{', '.join(number(float(v)) for v in value)}}}"
    elif type_ == "std::vector<Tensor>" and isinstance(value, (list, tuple)) and all(isinstance(v, torch.Tensor) for v in value):
        return "std::vector<Tensor>{" + ", ".join(names[v] for v in value) + "}"
    elif (type_ == "bool" and isinstance(value, bool)) or (type_ == "DType" and isinstance(value, torch.dtype)) or (
            type_ == "std::string_view" and isinstance(value, str)):
        return plain_literal(value, names)
    raise NotWritten(f"{value!r} for a {type_}")


def option_text(value, names):
    return f"Device{{{quoted(value)}}}" if isinstance(value, str) else plain_literal(value, names)


def options_text(given, names):
    items = [f".{key} = {option_text(given.pop(key), names)}" for key in ("dtype", "device") if given.get(key) is not None]
    return f"torch::TensorOptions{{{', '.join(items)}}}"


def multi_head_options(given, names):
    """Its keywords in C++'s order."""
    fields = re.findall(r"\.?(\w+) = ", re.search(r"struct MultiHeadOptions {(.*?)\n};", ATTENTION, re.S).group(1))
    items = [f".{key} = {plain_literal(given.pop(key), names)}" for key in fields if given.get(key) is not None]
    return f"nn::functional::MultiHeadOptions{{{', '.join(items)}}}"


def bind_declared(declared, given, names):
    """The call's arguments in order; NotWritten if they do not fit."""
    given = dict(given)
    texts = []
    for type_, name, default in declared.parameters:
        key = next((k for k in given if k.lstrip("_") == name), None)
        if type_ == "TensorOptions":
            texts.append(options_text(given, names))
        elif type_ == "MultiHeadOptions":
            texts.append(multi_head_options(given, names))
        elif key is not None:
            texts.append(value_text(type_, given.pop(key), names))
        elif default is not None:
            texts.append("Tensor()" if type_ == "Tensor" and default == "{}" else default)
        else:
            raise NotWritten(f"{name} is not given")
    for key, value in given.items():
        if key in WITHOUT and value != WITHOUT[key] and value is not None:
            raise NotWritten(f"C++ has no {key}")
        if key not in WITHOUT and value is not None and value is not False:
            raise NotWritten(f"this overload has no {key}")
    return texts


def named_arguments(op, declared, args, kwargs):
    names = positional_names(op, declared.name.removesuffix("_with_indices"))
    if names is None:
        names = [name for _, name, _ in declared.parameters]
        if names[0] == "size" and args and isinstance(args[0], int):
            names = ["*size"]
    given = dict(kwargs)
    if names[0].startswith("*"):
        is_one = len(args) == 1 and (isinstance(args[0], (list, tuple)) or declared.parameters[0][0] == "Tensor")
        given[declared.parameters[0][1]] = args[0] if is_one else args
        return given
    if len(args) > len(names):
        raise NotWritten("more arguments than parameters")
    return given | dict(zip(names, args))


def as_declared(op, args, kwargs, names, results):
    reason = "no function of its own"
    for declared in DECLARED:
        if getattr(PYTHON_NAMESPACE[declared.namespace], declared.name.removesuffix("_with_indices"), None) is not op:
            continue
        try:
            given = named_arguments(op, declared, args, kwargs)
            if declared.name.endswith("_with_indices") != bool(given.pop("return_indices", False)):
                continue
            call = f"{declared.namespace}::{declared.name}({', '.join(bind_declared(declared, given, names))})"
            if declared.name.startswith("unique") and declared.result != "Tensor":
                wanted = [0] + [1] * bool(given.get("return_inverse")) + [2] * bool(given.get("return_counts"))
                items = ", ".join(f"std::get<{i}>(results)" for i in wanted)
                return [f"auto results = {call};", f"return std::tuple({items});" if len(wanted) > 1 else f"return {items};"]
            return call_lines(call, declared.result, results)
        except NotWritten as problem:
            reason = problem
    raise NotWritten(reason)


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
            self.values = self.computed(call, traced)
        returned_value = list(traced.graph.nodes)[-1].args[0]
        results = len(returned_value) if isinstance(returned_value, (tuple, list)) else 1
        self.inputs = [f"a{i}" for i in range(len(self.tensors))]
        self.forms = []
        names = ById({id(t): n for t, n in zip(self.tensors, self.inputs)})
        for write in (as_function, as_declared):
            try:
                self.forms.append(("function", write(op, (sample.input, *sample.args), sample.kwargs, names, results)))
                break
            except NotWritten as problem:
                self.reason = str(problem)
        with torch.no_grad():
            graph = make_fx(call, pre_dispatch=True)(*(t.clone() for t in self.tensors)).graph
        try:
            self.forms.append(("calls", as_calls(graph, self.inputs)))
        except NotWritten:
            if not self.forms:
                raise

    def computed(self, call, traced):
        """What torch computes; None for what is random or left uninitialized, and for dtypes that no file holds."""
        for node in traced.graph.nodes:
            if torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) or "empty" in str(node.target):
                return None
        values = values_of.leaves(call(*(t.clone() for t in self.tensors)))
        known = set(safetensor_files.DTYPES.values())
        return values if all(t.dtype in known for t in values + self.tensors) else None

    def value_problem(self, got, errors):
        """What is wrong with the values, and whether it is only that there is no kernel."""
        if self.values is None:
            return "", False
        if self.name in errors:
            return errors[self.name], re.search("cannot be computed|no kernel", errors[self.name]) is not None
        mine = [tensor for name, tensor in got.items() if name.rpartition("|")[0] == self.name]
        if len(mine) != len(self.values):
            return f"{len(mine)} results, torch has {len(self.values)}", False
        far = max((values_of.distance(a, b) for a, b in zip(mine, self.values)), default=0)
        return ("" if far <= values_of.ULPS else f"{far:.3g} ulps from torch"), False

    def text(self):
        kind, lines = self.forms[0]
        parameters = ", ".join(f"Tensor {name}" for name in self.inputs)
        fakes = ", ".join(fake_text(t) for t in self.tensors)
        return [f"  show({quoted(self.name)}, []({parameters}) {{"] + [f"    {line}" for line in lines] + [f"  }}, {{{fakes}}}, {str(self.values is not None).lower()});"]


class ById(dict):
    """Names of tensors, by identity: tensors compare item by item."""

    def __getitem__(self, tensor):
        return dict.__getitem__(self, id(tensor))


def fake_text(t):
    t = t.clone()
    text = f"fake({{{', '.join(map(str, t.shape))}}}, {DTYPES[t.dtype]})"
    return text if t.is_contiguous() else text + f".strided({{{', '.join(map(str, t.stride()))}}})"


class Extra:
    """A function that OpInfo has no samples of: some of its calls, each a function of a generator of tensors."""
    variant_test_name = ""
    dtypes = (torch.float32,)

    def __init__(self, op, *calls, name=None):
        self.op, self.calls, self.name = op, calls, name or op.__name__

    def sample_inputs(self, device, dtype, requires_grad):
        for call in self.calls:
            args, kwargs = call(torch.randn)
            yield SampleInput(args[0], args=tuple(args[1:]), kwargs=kwargs)


def call(*args, **kwargs):
    """A tuple stands for a tensor of these sizes."""
    def made(new):
        return [new(a) if isinstance(a, tuple) else a for a in args], {k: new(v) if isinstance(v, tuple) else v for k, v in kwargs.items()}
    return made


F = torch.nn.functional
def attention(length, keys, *batch, bias=None, zero=False, **options):
    query, key = (length, *batch, 8), (keys, *batch, 8)
    return call(query, key, key, 8, 2, (24, 8), (24,), bias, bias, zero, 0.0, (8, 8), (8,), **options)


ATTENTION_CALLS = [
    attention(5, 7, 2), attention(5, 7, need_weights=False), attention(5, 7, 2, need_weights=False, attn_mask=(5, 7), zero=True),
    attention(5, 7, 2, key_padding_mask=torch.arange(14).view(2, 7) % 3 == 0, attn_mask=torch.arange(140).view(4, 5, 7) % 4 == 0),
    attention(5, 7, 2, bias=(1, 1, 8), average_attn_weights=False, key_padding_mask=(2, 7)),
    attention(5, 7, use_separate_proj_weight=True, q_proj_weight=(8, 8), k_proj_weight=(8, 8), v_proj_weight=(8, 8), training=False),
    attention(5, 5, 2, attn_mask=(5, 5), is_causal=True, need_weights=False),
]
EXTRAS = [
    Extra(F.affine_grid, call((2, 2, 3), [2, 3, 4, 5]), call((2, 3, 4), [2, 3, 4, 5, 6], True), call((1, 2, 3), [1, 2, 3, 4], align_corners=False)),
    Extra(F.dropout1d, call((3, 4)), call((2, 3, 4), 0.3), call((3, 4), training=False)),
    Extra(F.dropout2d, call((2, 3, 4, 4)), call((2, 3, 4), 0.3)),
    Extra(F.dropout3d, call((2, 3, 4, 4, 2)), call((3, 4, 2, 2), 0.3)),
    Extra(F.feature_alpha_dropout, call((2, 3, 4), 0.3, True), call((2, 3, 4))),
    Extra(F.fold, call((2, 12, 12), [4, 5], [2, 2]), call((2, 12, 9), 5, 2, 1, 1, 2), call((12, 4), [4, 4], 2, stride=2)),
    Extra(F.gumbel_softmax, call((3, 4)), call((3, 4), 0.5, True), call((3, 4), hard=True, dim=0)),
    Extra(F.lp_pool1d, call((2, 3, 8), 2, 3), call((2, 3, 8), 1.5, 2, 1, True), call((2, 3, 8), float("inf"), 2)),
    Extra(F.lp_pool2d, call((2, 3, 8, 8), 2.0, 3), call((2, 3, 8, 8), 3, [2, 3], 2), call((3, 8, 8), -float("inf"), 2)),
    Extra(F.lp_pool3d, call((2, 3, 8, 8, 4), 2.0, 2), call((2, 3, 8, 8, 4), 3, [2, 3, 1], ceil_mode=True)),
    Extra(F.fractional_max_pool2d, call((2, 3, 8, 8), 2, 5), call((3, 8, 8), [2, 3], output_ratio=0.6), call((2, 3, 8, 8), 2, output_ratio=[0.5, 0.4],
                                                                                                        return_indices=True)),
    Extra(F.fractional_max_pool3d, call((2, 3, 8, 8, 6), 2, [5, 4, 3]), call((3, 8, 8, 6), 2, output_ratio=0.6)),
    Extra(F.interpolate, call((2, 3, 8), 5, mode="area"), call((2, 3, 8, 8), scale_factor=1.5, mode="area"),
          call((2, 3, 8, 8), scale_factor=[1.5, 2], mode="bilinear", recompute_scale_factor=True, antialias=True),
          call((2, 3, 8, 8), [5, 4], mode="bicubic", antialias=True, align_corners=True), call((2, 3, 8, 8), scale_factor=0.5, mode="nearest-exact"),
          call((2, 3, 8, 8), 9, mode="lanczos", antialias=True), call((2, 3, 4, 5, 6), scale_factor=2, mode="trilinear"), name="interpolate.extra"),
    Extra(F.upsample, call((2, 3, 8, 8), 5), call((2, 3, 8), scale_factor=2.5, mode="linear")),
    Extra(F.gaussian_nll_loss, call((3, 4), (3, 4), 0.5), call((3, 4), (3, 4), 1.0, full=True, reduction="sum"), name="gaussian_nll_loss.number"),
    Extra(F.triplet_margin_with_distance_loss, call((3, 4), (3, 4), (3, 4), swap=True), name="triplet.swapped"),
    Extra(F.multi_head_attention_forward, *ATTENTION_CALLS),
    Extra(F.multi_head_attention_forward, *ATTENTION_CALLS[2:], name="multi_head_attention_forward.masks"),
    Extra(torch.chain_matmul, call((3, 4), (4, 5)), call((3, 4), (4, 5), (5, 2))),
    Extra(torch.cdist, call((3, 4), (5, 4), 2.0, "use_mm_for_euclid_dist"), call((3, 4), (5, 4), 1.0, "donot_use_mm_for_euclid_dist"), name="cdist.modes"),
    Extra(torch.tensordot, call((3, 4, 5), (4, 5, 2)), call((3, 4), (5, 2), 0), name="tensordot.number"),
    Extra(torch.stft, call((2, 40), 8, return_complex=True), call((40,), 8, 4, 6, return_complex=True, center=False), name="stft.plain"),
    Extra(F.embedding_bag, call(torch.arange(6).view(2, 3), (6, 4)), call(torch.arange(6), (6, 4), torch.tensor([0, 2, 5]), mode="max"), name="embedding_bag"),
    Extra(F.embedding, call(torch.arange(6).view(2, 3), (6, 4), 2, 1.0), name="embedding.max_norm"),
]


def draw(seed, count, match):
    """`count` operators, and how many were passed over, by reason."""
    rng = random.Random(seed)
    candidates = [op for op in [*op_db, *EXTRAS] if match in op.name]
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

static nn::StateDict given, results;

static void keep(const std::string& name, const Tensor& result) {
  if (result.is_real()) results.emplace_back(name + "|" + std::to_string(results.size()), result);
}
static void keep(const std::string& name, const std::vector<Tensor>& all) {
  for (const Tensor& result : all) keep(name, result);
}
template <typename... T>
static void keep(const std::string& name, const std::tuple<T...>& all) {
  std::apply([&](const auto&... each) { (keep(name, each), ...); }, all);
}

template <typename... P>
static std::tuple<P...> arguments(const std::string& name, std::tuple<P...>*) {
  std::tuple<P...> made;
  size_t next = 0;
  auto find = [&] {
    std::string key = name + "|" + std::to_string(next++);
    for (auto& [each, tensor] : given)
      if (each == key) return tensor.clone();
    return Tensor();
  };
  std::apply([&](auto&... each) { ((each = find()), ...); }, made);
  return made;
}

template <typename F>
static void show(const char* name, F f, const std::vector<Input>& inputs, bool has_values) {
  std::printf("=== %s\\n", name);
  try {
    std::printf("%s\\n", make_fx(f, inputs).code().c_str());
  } catch (const std::exception& error) {
    std::printf("refused: %s\\n", error.what());
  }
  if (!has_values) return;
  try {
    using Parameters = typename detail::Signature<F>::Parameters;
    keep(name, std::apply(f, arguments(name, static_cast<Parameters*>(nullptr))));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "+++ %s\\n%s\\n", name, error.what());
  }
}

int main(int, char** argv) {
  given = nn::load_safetensors(argv[1]);
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
            out.write("\n".join(lines + ["  nn::save_safetensors(results, argv[2]);", "}"]) + "\n")
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
        given, results = os.path.join(folder, "given"), os.path.join(folder, "results")
        safetensor_files.save({f"{case.name}|{i}": t for case in cases if case.values is not None for i, t in enumerate(case.tensors)}, given)
        done = subprocess.run([program, given, results], capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise common.Failed(done.stderr[-2000:] or f"exit code {done.returncode}")
        values = safetensor_files.load(results)
    got = dict(part.split("\n", 1) for part in done.stdout.split("=== ")[1:])
    errors = dict(part.split("\n", 1) for part in done.stderr.split("+++ ")[1:])
    out_of_reach = [case for case in cases if got[case.name].startswith("refused: no path to")]
    notes += [f"{case.name}: {got[case.name].strip()}" for case in out_of_reach]
    cases = [case for case in cases if case not in out_of_reach][:count]
    failed = without_kernel = 0
    for note in notes:
        print(f"note functions/{note}")
    for case in cases:
        text = got[case.name].strip()
        problem, is_kernel = case.value_problem(values, errors)
        without_kernel += is_kernel
        if text != case.expected:
            failed += 1
            print(f"FAILED functions/{case.name} ({case.forms[0][0]}): expected\n{case.expected}\ngot\n{text}", flush=True)
        elif problem and not is_kernel:
            failed += 1
            print(f"FAILED functions/{case.name} ({case.forms[0][0]}): values: {problem.strip()}", flush=True)
        elif is_kernel and os.environ.get("RUNG_VERBOSE"):
            print(f"no kernel: {case.name} ({case.forms[0][0]}): {problem.strip()}")
    by_form = {kind: sum(case.forms[0][0] == kind for case in cases) for kind in ("function", "calls")}
    print(f"functions: {len(cases) - failed} passed, {failed} failed of {len(cases)} (seed {seed}; {by_form['function']} as torch's function, "
          f"{by_form['calls']} as calls of aten; {len(passed_over)} passed over; {len(out_of_reach)} out of reach; "
          f"{sum(case.values is not None for case in cases) - without_kernel} computed, {without_kernel} without a kernel)")
    if os.environ.get("RUNG_VERBOSE"):
        print("\n".join("passed over " + line for line in passed_over))
    return len(cases) - failed, failed


if __name__ == "__main__":
    passed, failures = check(int(sys.argv[1]) if len(sys.argv) > 1 else 0, int(sys.argv[2]) if len(sys.argv) > 2 else 100,
                             sys.argv[3] if len(sys.argv) > 3 else "")
    sys.exit(failures > 0)
