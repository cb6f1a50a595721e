#!/usr/bin/env python3
"""Write the operator tables and the typed functions of rung from data/registry-*.json and data/prims_floor.txt.

Usage: gen_schema.py [--check]

The registries come from scripts/dump_registry.py, one for each torch version. Everything written here is committed;
one op is one line, so that a torch upgrade is a readable diff. With --check nothing is written, and the exit code is 1
if a committed file is stale.

Names in C++: packet and overload joined by "_", nothing for the default overload: aten::add.Tensor is add_Tensor,
aten::add_.Tensor is add__Tensor, aten::silu is silu. Dunder packets lose their leading underscores and all but one
of the trailing ones: aten::__and__.Tensor is and__Tensor. A C++ keyword gets a trailing "_".
"""
import json
import re
import sys
from dataclasses import dataclass

from generated import ROOT, write_or_check

BUILDS = ("2.2", "2.13", "2.14")
MAIN_BUILD = "2.13"  # arguments are this build's wherever it has the op

# What no schema says: kernels that Python adds to the dispatcher.
PYTHON_COMPOSITE_IMPLICIT = {
    "aten::_upsample_nearest_exact1d", "aten::_upsample_nearest_exact2d", "aten::_upsample_nearest_exact3d",
    "aten::native_batch_norm", "aten::upsample_nearest1d", "aten::upsample_nearest2d", "aten::upsample_nearest3d"}
PYTHON_COMPOSITE_IMPLICIT_BUILDS = ("2.13", "2.14")

# Questions about a tensor's metadata, which no traced program holds as calls.
METADATA_OPS = {
    "aten::is_contiguous", "aten::is_contiguous.memory_format", "aten::is_strides_like_format",
    "aten::is_non_overlapping_and_dense", "aten::size", "aten::sym_size", "aten::stride", "aten::sym_stride",
    "aten::storage_offset", "aten::sym_storage_offset", "aten::numel", "aten::sym_numel", "aten::dim"}

FLAG_OF_TAG = {
    "core": "kCore", "pointwise": "kPointwise", "reduction": "kReduction",
    "nondeterministic_seeded": "kNondeterministicSeeded", "dynamic_output_shape": "kDynamicOutputShape",
    "data_dependent_output": "kDataDependentOutput", "inplace_view": "kInplaceView",
    "maybe_aliasing_or_mutating": "kMaybeAliasingOrMutating", "view_copy": "kViewCopy", "generated": "kGenerated",
    "pt2_compliant_tag": "kPt2Compliant", "needs_exact_strides": "kNeedsExactStrides"}
FLAG_OF_KIND = {
    "composite_implicit": "kCompositeImplicit", "composite_explicit": "kCompositeExplicit", "cpu": "kHasCpuKernel",
    "meta": "kHasMetaKernel", "autograd": "kHasAutograd"}
# The order of the enumeration in schema.h, which is also the order in which flags are printed.
FLAGS = ("kExists kCore kInCoreTable kInAllTable kCompositeImplicit kCompositeExplicit kPreservable kPointwise kReduction "
         "kNondeterministicSeeded kDynamicOutputShape kDataDependentOutput kInplaceView kMaybeAliasingOrMutating kViewCopy "
         "kListed kHasCpuKernel kHasMetaKernel kGenerated kPt2Compliant kHasAutograd kNeedsExactStrides kOwnArguments").split()

TYPES = {
    "Tensor": "kTensor", "int": "kInt", "SymInt": "kSymInt", "float": "kFloat", "bool": "kBool", "SymBool": "kBool",
    "Scalar": "kScalar", "str": "kString", "ScalarType": "kScalarType", "Layout": "kLayout", "Device": "kDevice",
    "MemoryFormat": "kMemoryFormat", "Generator": "kGenerator", "Storage": "kStorage", "Stream": "kStream"}

KEYWORDS = set(
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const continue "
    "decltype default delete do double else enum explicit export extern false float for friend goto if inline int long "
    "mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register requires "
    "return short signed sizeof static struct switch template this throw true try typedef typeid typename union unsigned "
    "using virtual void volatile while xor xor_eq".split())


# ---- reading schemas

@dataclass(frozen=True)
class Type:
    name: str  # an ArgType
    alias: str = ""
    write: bool = False
    optional: bool = False
    list: bool = False
    list_size: int = 0
    optional_items: bool = False


@dataclass(frozen=True)
class Arg:
    name: str
    type: Type
    keyword_only: bool
    default: object  # a Default


@dataclass(frozen=True)
class Default:
    kind: str  # without the leading k; "NoDefault" if there is none
    value: object = None


@dataclass(frozen=True)
class Result:
    name: str
    type: Type


def split_top_level(text):
    """Split at commas outside brackets and quotes."""
    parts, depth, start, quoted, i = [], 0, 0, False, 0
    while i < len(text):
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
        i += 1
    parts.append(text[start:].strip())
    return [p for p in parts if p]


def parse_type(text):
    match = re.fullmatch(r"([\w.]+)(?:\((\w)(!?)(?: -> \*)?\))?(\?)?(?:\[(\d*)\])?(\?)?", text)
    if text.startswith("Dict("):
        return Type("kObject")
    base, alias, write, first_mark, size, last_mark = match.groups()
    is_list = size is not None
    return Type(TYPES.get(base, "kObject"), alias or "", write == "!", bool(last_mark if is_list else first_mark), is_list,
                int(size or 0), is_list and bool(first_mark))


def parse_default(text, arg_type):
    if text is None:
        return Default("NoDefault")
    if text == "None":
        return Default("None")
    if text in ("True", "False"):
        return Default("Bool", int(text == "True"))
    if text.startswith('"'):
        return Default("String", re.sub(r"\\(.)", r"\1", text[1:-1]))
    if text.startswith("["):
        return Default("Ints", tuple(int(x) for x in split_top_level(text[1:-1])))
    if arg_type.name in ("kScalarType", "kLayout", "kMemoryFormat"):
        return Default(arg_type.name[1:], int(text))
    if not re.fullmatch(r"-?\d+", text):
        return Default("Float", float(text))
    if arg_type.list:  # one number stands for all
        return Default("Ints", (int(text),) * arg_type.list_size)
    return Default("Int", int(text))


def parse_args(text):
    args, keyword_only = [], False
    for part in split_top_level(text):
        if part == "*":
            keyword_only = True
            continue
        type_text, name, default = re.fullmatch(r"(.+?) (\w+)(?:=(.*))?", part).groups()
        arg_type = parse_type(type_text)
        args.append(Arg(name, arg_type, keyword_only, parse_default(default, arg_type)))
    return tuple(args)


def parse_results(text):
    if text.startswith("("):
        text = text[1:-1]
    results = []
    for part in split_top_level(text):
        type_text, name = re.fullmatch(r"(.+?)(?: (\w+))?", part).groups() if not part.startswith("Dict") else (part, None)
        results.append(Result(name or "", parse_type(type_text)))
    return tuple(results)


def closing_bracket(text, start):
    depth = 0
    quoted = False
    i = start
    while True:
        c = text[i]
        if quoted and c == "\\":
            i += 1
        elif c == '"':
            quoted = not quoted
        elif not quoted:
            depth += (c == "(") - (c == ")")
            if depth == 0:
                return i
        i += 1


def parse_schema(text):
    start = text.index("(")
    end = closing_bracket(text, start)
    return parse_args(text[start + 1:end]), parse_results(text[end + 1:].removeprefix(" -> "))


# ---- what the builds say of an op

@dataclass
class Op:
    name: str
    symbol: str  # aten_add_Tensor
    args: tuple
    results: tuple
    flags: dict  # build -> set of flag names
    texts: dict  # build -> schema
    own_args: dict  # build -> its arguments, where they differ from `args`

    @property
    def namespace(self):
        return self.name.split("::")[0]

    @property
    def function(self):
        """The name of the typed function in its namespace."""
        name = self.symbol[len(self.namespace) + 1:]
        return name + "_" if name in KEYWORDS else name

    @property
    def effect(self):
        if any(a.type.write for a in self.args):
            return "kWrite"
        return "kView" if any(r.type.alias for r in self.results) else "kNone"


def load_registries():
    registries = {b: json.loads((ROOT / f"data/registry-{b}.json").read_text()) for b in BUILDS}
    for registry in registries.values():
        registry["builtins"] = [n for n, o in registry["ops"].items() if "torchscript_only" in o]
        # Built-ins of TorchScript have no kernel, so no exported program holds them.
        registry["ops"] = {n: o for n, o in registry["ops"].items()
                           if "torchscript_only" not in o and n.startswith(("aten::", "prims::"))}
        registry["core_table"], registry["all_table"] = set(registry["core_table"]), set(registry["all_table"])
        for listed in registry["listed"].values():
            listed["packets"] = set(listed["packets"])
    return registries


def python_name(name):
    namespace, rest = name.split("::")
    packet, _, overload = rest.partition(".")
    return f"{namespace}.{packet}.{overload or 'default'}"


def is_preservable(name, entry, args, composite_implicit):
    return (composite_implicit and name.startswith("aten::") and not any(a.type.alias for a in args)
            and "maybe_aliasing_or_mutating" not in entry["tags"] and name not in METADATA_OPS
            and name != "aten::native_batch_norm")


def flags_of(name, build, registry, args):
    entry = registry["ops"].get(name)
    if entry is None:
        return set()
    flags = {"kExists"} | {FLAG_OF_TAG[t] for t in entry["tags"] if t in FLAG_OF_TAG}
    flags |= {FLAG_OF_KIND[k] for k in entry["kinds"] if k in FLAG_OF_KIND}
    if name in PYTHON_COMPOSITE_IMPLICIT and build in PYTHON_COMPOSITE_IMPLICIT_BUILDS:
        flags.add("kCompositeImplicit")
    if python_name(name) in registry["core_table"]:
        flags.add("kInCoreTable")
    if python_name(name) in registry["all_table"]:
        flags.add("kInAllTable")
    namespace, packet, _ = python_name(name).split(".")
    if packet in registry["listed"][namespace]["packets"]:
        flags.add("kListed")
    if is_preservable(name, entry, args, "kCompositeImplicit" in flags):
        flags.add("kPreservable")
    return flags


def symbol_of(name, joint="_"):
    namespace, packet, overload = python_name(name).split(".")
    if packet.startswith("__") and packet.endswith("__"):
        packet = packet[2:-1]
    return f"{namespace}_{packet}" + ("" if overload == "default" else joint + overload)


def symbols_of(names):
    """One C++ name for each op: two underscores before the overload where one would name two ops alike."""
    by_symbol = {}
    for name in names:
        by_symbol.setdefault(symbol_of(name), []).append(name)
    symbols = {n: symbol_of(n) if len(by_symbol[symbol_of(n)]) == 1 else symbol_of(n, "__") for n in names}
    assert len(set(symbols.values())) == len(symbols), "two ops share a C++ name"
    return symbols


def make_op(name, symbol, registries):
    texts = {b: r["ops"][name]["schema"] for b, r in registries.items() if name in r["ops"]}
    parsed = {b: parse_schema(t) for b, t in texts.items()}
    args, results = parsed.get(MAIN_BUILD) or next(iter(parsed.values()))
    flags = {b: flags_of(name, b, r, parsed[b][0] if b in parsed else ()) for b, r in registries.items()}
    own_args = {b: p[0] for b, p in parsed.items() if p[0] != args}
    for build in own_args:
        flags[build].add("kOwnArguments")
    return Op(name, symbol, args, results, flags, texts, own_args)


def load_ops(registries):
    names = sorted(set().union(*(r["ops"] for r in registries.values())))
    symbols = symbols_of(names)
    return [make_op(n, symbols[n], registries) for n in names]


# ---- the tables

def quote(text):
    return json.dumps(text, ensure_ascii=True)


def literal(text):
    """With its length: a compiler that counts letters while it evaluates constants gives up on a table of this size."""
    return quote(text) + "sv"


def cpp_default(default):
    if default.kind == "Ints":
        assert len(default.value) <= 3, "Default::ints is too small"
        return f"integers({', '.join(map(str, default.value))})"
    if default.kind == "None":
        return "none"
    if default.kind == "Bool":
        return "boolean(true)" if default.value else "boolean(false)"
    if default.kind == "Float":
        return f"real({default.value!r})"
    if default.kind == "String":
        return f"text({quote(default.value)})"
    maker = {"Int": "integer", "ScalarType": "scalar_type", "Layout": "layout", "MemoryFormat": "memory_format"}
    return f"{maker[default.kind]}({default.value})"


def cpp_type_fields(t):
    fields = [f".type = {t.name}"] if t.name != "kTensor" else []
    fields += [f".{f} = true" for f in ("optional", "list", "optional_items") if getattr(t, f)]
    fields += [f".list_size = {t.list_size}"] if t.list_size else []
    return fields


def cpp_alias_fields(t):
    return ([f".alias = '{t.alias}'"] if t.alias else []) + ([".write = true"] if t.write else [])


def cpp_arg(arg):
    fields = [f'.name = "{arg.name}"'] + cpp_type_fields(arg.type)
    fields += [".keyword_only = true"] if arg.keyword_only else []
    fields += cpp_alias_fields(arg.type)
    fields += [f".default_value = {cpp_default(arg.default)}"] if arg.default.kind != "NoDefault" else []
    return "{" + ", ".join(fields) + "}"


def cpp_result(result):
    fields = ([f'.name = "{result.name}"'] if result.name else []) + cpp_type_fields(result.type)
    return "{" + ", ".join(fields + cpp_alias_fields(result.type)) + "}"


def args_array(symbol, args):
    return f"constexpr ArgDef {symbol}[] = {{{', '.join(map(cpp_arg, args))}}};"


def result_word(result):
    t = result.type
    alias = f"_{t.alias}{'w' if t.write else ''}" if t.alias else ""
    return t.name[1:] + ("List" if t.list else "") + alias + (f"_{result.name}" if result.name else "")


def result_arrays(ops):
    """Lists of results are few, so that ops share them: {results: name of its array}, named after what it holds."""
    arrays = {r: "_".join(map(result_word, r)) for r in sorted({op.results for op in ops if op.results}, key=repr)}
    assert len(set(arrays.values())) == len(arrays), "two lists of results share a name"
    return {r: f"results::{name}" for r, name in arrays.items()}


def in_builds(values):
    """A value for each build, or one value if all are equal."""
    values = [values[b] for b in BUILDS]
    return values[0] if len(set(values)) == 1 else "{" + ", ".join(values) + "}"


def op_row(op, arrays):
    flags = in_builds({b: " | ".join(f for f in FLAGS if f in op.flags[b]) or "0" for b in BUILDS})
    texts = {op.texts[b] for b in op.texts}
    text = literal(texts.pop()) if len(texts) == 1 else in_builds({b: literal(op.texts.get(b, "")) for b in BUILDS})
    args = f"args::{op.symbol}" if op.args else "{}"
    return f"    row({literal(op.name)}, {args}, {arrays.get(op.results, '{}')}, {op.effect}, {flags}, {text}),"


def header(purpose, registries):
    versions = ", ".join(registries[b]["torch"].split("+")[0] for b in BUILDS)
    return [f"// {purpose}", f"// generated by scripts/gen_schema.py from torch {versions}; do not edit", "// clang-format off"]


def write_ops(ops, registries):
    arrays = result_arrays(ops)
    lines = header("Every overload of aten and prims: arguments, results, flags and schema texts, sorted by name.", registries)
    lines += ['#include "schema/rows.h"', "", "namespace rung::gen {", "namespace {", "", "namespace args {"]
    lines += [args_array(op.symbol, op.args) for op in ops if op.args]
    for build in BUILDS:
        lines += ["", f"// Where torch {build} has other arguments."]
        lines += [args_array(own_symbol(op, build), op.own_args[build]) for op in ops if build in op.own_args]
    lines += ["}  // namespace args", ""]
    lines += ["// Shared: Tensor_aw_values is Tensor(a!) values."] + ["namespace results {"]
    lines += [f"constexpr ReturnDef {name.removeprefix('results::')}[] = {{{', '.join(map(cpp_result, r))}}};" for r, name in arrays.items()]
    lines += ["}  // namespace results", "", "}  // namespace", "", "constexpr OpSchema kOps[] = {"]
    lines += [op_row(op, arrays) for op in ops]
    lines += ["};", "const size_t kOpCount = std::size(kOps);", ""]
    lines += own_args_table(ops) + build_facts(registries) + ["", "}  // namespace rung::gen"]
    return lines


def own_symbol(op, build):
    return f"{op.symbol}_in_{build.replace('.', '_')}"


def own_args_table(ops):
    rows = [f"    {{{i}, Build::k{b.replace('.', '_')}, args::{own_symbol(op, b)}}},"
            for i, op in enumerate(ops) for b in BUILDS if b in op.own_args]
    return ["constexpr OwnArguments kOwnArgumentRows[] = {"] + rows + ["};", "const size_t kOwnArgumentCount = std::size(kOwnArgumentRows);"]


def foreign_names(table):
    return sorted(n for n in table if not n.startswith(("aten.", "prims.")))


def listed_facts(registry, namespace):
    """What dir() lists; built-ins are overloads of TorchScript that Python shows beside the dispatcher's."""
    listed = registry["listed"][namespace]
    packet_of = {n: python_name(n).split(".")[1] for n in [*registry["ops"], *registry["builtins"]] if n.startswith(namespace + "::")}
    builtins = sum(packet_of.get(n) in listed["packets"] for n in registry["builtins"])
    with_kernel = {packet_of[n] for n in registry["ops"] if n in packet_of}
    return (f'{{.names = {listed["names"]}, .packets = {len(listed["packets"])}, .overloads = {listed["overloads"]}, '
            f'.builtin_packets = {len(listed["packets"] - with_kernel)}, .builtin_overloads = {builtins}}}')


def build_facts(registries):
    lines, facts = [], []
    for build, registry in registries.items():
        suffix = build.replace(".", "_")
        spans = []
        for table, symbol in (("core_table", f"foreign_core_{suffix}"), ("all_table", f"foreign_all_{suffix}")):
            names = foreign_names(registry[table])
            if names:
                lines += ["", f"constexpr std::string_view {symbol}[] = {{"] + [f"    {quote(n)}," for n in names] + ["};"]
            spans.append(symbol if names else "{}")
        facts += [f'    {{.torch = {quote(registry["torch"])}, .foreign_core = {spans[0]}, .foreign_all = {spans[1]},',
                  f'     .listed_aten = {listed_facts(registry, "aten")},', f'     .listed_prims = {listed_facts(registry, "prims")}}},']
    return lines + ["", "constexpr BuildFacts kBuildFacts[kBuilds] = {"] + facts + ["};"]


def write_ids(ops, registries):
    lines = header("A constant for each overload: op::aten_add_Tensor is the id of aten::add.Tensor.", registries)
    lines += ["#pragma once", '#include "schema/schema.h"', "", "namespace rung::op {", ""]
    lines += [f"inline constexpr OpId {op.symbol} = {i};" for i, op in enumerate(ops)]
    return lines + ["", "}  // namespace rung::op"]


# ---- the floor of the prims rung

def load_floor(ops):
    """The lines of data/prims_floor.txt: (op, reason), checked against the ops there are."""
    floor = []
    for line in (ROOT / "data/prims_floor.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            floor.append(tuple(line.split(": ", 1)))
    unknown = {name for name, _ in floor} - {op.name for op in ops}
    assert not unknown, f"data/prims_floor.txt: no such op: {sorted(unknown)}"
    return sorted(floor)


def write_floor(ops, registries):
    symbols = {op.name: op.symbol for op in ops}
    lines = header("The floor of the prims rung, from data/prims_floor.txt.", registries)
    lines += ['#include "schema/floor.h"', '#include "schema/gen/op_ids.h"', "", "namespace rung {", "",
              "std::span<const FloorOp> prims_floor() {", "  static constexpr FloorOp kFloor[] = {"]
    lines += [f"    {{op::{symbols[name]}, {quote(reason)}}}," for name, reason in load_floor(ops)]
    return lines + ["  };", "  return kFloor;", "}", "", "}  // namespace rung"]


# ---- the typed functions

# An argument of these types has no C++ parameter: None is passed.
OMITTED = ("kGenerator", "kStorage", "kStream", "kObject", "kDimname")
PLAIN = {"kTensor": "const Tensor&", "kInt": "SymInt", "kSymInt": "SymInt", "kFloat": "double", "kBool": "bool",
         "kScalar": "const Scalar&", "kString": "std::string_view", "kScalarType": "DType", "kLayout": "Layout",
         "kDevice": "const Device&", "kMemoryFormat": "MemoryFormat"}
ITEMS = {"kTensor": "TensorList", "kInt": "IntList", "kSymInt": "IntList", "kFloat": "std::span<const double>",
         "kScalar": "std::span<const Scalar>", "kString": "std::span<const std::string_view>"}
DTYPE_OF_C10 = {4: "DType::kInt64"}
MEMORY_FORMAT_OF_C10 = {0: "MemoryFormat::kContiguous"}


def has_function(op):
    """Whether a body may call the op: not out=, not named tensors, nothing required that a traced program cannot hold."""
    if not ({"2.2", MAIN_BUILD} & op.texts.keys()):
        return False
    if any(a.keyword_only and a.type.write for a in op.args) or re.search(r"(^|_)out($|_)", python_name(op.name).split(".")[2]):
        return False
    if re.search(r"(?i)dimname|names|::align_|::rename", op.name):
        return False
    return not any(a.type.name in OMITTED and a.type.name != "kGenerator" and a.default.kind == "NoDefault" for a in op.args)


def cpp_parameter_type(t):
    if t.name == "kBool" and t.list:
        return f"const std::array<bool, {t.list_size}>&"
    if t.list:
        return f"std::optional<{ITEMS[t.name]}>" if t.optional else ITEMS[t.name]
    if not t.optional or t.name == "kTensor":
        return PLAIN[t.name]
    if t.name in ("kScalar", "kDevice"):
        return f"const std::optional<{t.name[1:]}>&"
    return f"std::optional<{PLAIN[t.name]}>"


def cpp_parameter_default(arg):
    default, t = arg.default, arg.type
    if default.kind == "None":
        return "{}" if t.name == "kTensor" else "std::nullopt"
    if default.kind == "Ints":
        return "{" + ", ".join(map(str, default.value)) + "}"
    if default.kind == "String":
        return quote(default.value)
    if default.kind == "Bool":
        return "true" if default.value else "false"
    if default.kind == "ScalarType":
        return DTYPE_OF_C10[default.value]
    if default.kind == "MemoryFormat":
        return MEMORY_FORMAT_OF_C10[default.value]
    return repr(float(default.value)) if t.name == "kFloat" else repr(default.value)


def parameter_name(arg):
    return arg.name + "_" if arg.name in KEYWORDS else arg.name


def parameters(op, with_defaults):
    """The C++ parameter list; a default only where all that follow have one too."""
    out = []
    defaults_end = not with_defaults
    for arg in reversed([a for a in op.args if a.type.name not in OMITTED]):
        defaults_end = defaults_end or arg.default.kind == "NoDefault"
        default = "" if defaults_end else f" = {cpp_parameter_default(arg)}"
        out.append(f"{cpp_parameter_type(arg.type)} {parameter_name(arg)}{default}")
    return ", ".join(reversed(out))


def result_kind(t):
    if t.name != "kTensor":
        return "Argument"
    return "std::vector<Tensor>" if t.list else "Tensor"


def result_type(op):
    kinds = [result_kind(r.type) for r in op.results]
    if len(kinds) == 1:
        return kinds[0]
    return f"std::tuple<{', '.join(kinds)}>" if kinds else "void"


def result_value(kind, text):
    return {"Argument": text, "Tensor": f"Tensor({text})", "std::vector<Tensor>": f"tensors_of({text})"}[kind]


def declaration(op, with_defaults):
    return f"{result_type(op)} {op.function}({parameters(op, with_defaults)})"


def to_argument(arg):
    if arg.type.name in OMITTED:
        return "Argument::none()"
    maker = "list_argument" if arg.type.list else "to_argument"
    return f"{maker}({parameter_name(arg)})"


def definition(op):
    kinds = [result_kind(r.type) for r in op.results]
    call = f"dispatch(op::{op.symbol}, args)"
    args = "const Argument args[] = {" + ", ".join(map(to_argument, op.args)) + "};" if op.args else "const Arguments args;"
    if not kinds:
        body = f"{call};"
    elif len(kinds) == 1:
        body = f"return {result_value(kinds[0], call)};"
    else:
        items = ", ".join(result_value(k, f"results[{i}]") for i, k in enumerate(kinds))
        body = f"const Arguments results = {call}.list_items(); return {{{items}}};"
    return f"{declaration(op, False)} {{ {args} {body} }}"


def write_functions_header(namespace, ops, registries):
    lines = header(f"One function for each functional, view and in-place overload of {namespace}.", registries)
    lines += ["//",
              "// A function is named as its packet, then _Overload unless that is the default: add_Tensor, silu, relu_, add__Tensor.",
              "// Dunder packets: __and__.Tensor is and__Tensor. int and SymInt are SymInt; an absent Tensor? is Tensor().",
              "// A Generator has no parameter; None is passed. Results that are not tensors come back as an Argument.",
              "#pragma once", "#include <array>", "#include <optional>", "#include <span>", "#include <string_view>",
              "#include <tuple>", "#include <vector>", "", '#include "ir/tensor.h"', "", f"namespace rung::{namespace} {{", ""]
    lines += [declaration(op, True) + ";" for op in ops]
    return lines + ["", f"}}  // namespace rung::{namespace}"]


def write_functions(namespace, ops, registries):
    lines = header(f"The typed functions of {namespace}: each packs its arguments in schema order and dispatches.", registries)
    lines += [f'#include "ops/gen/{namespace}.h"', "", '#include "ops/call.h"', '#include "schema/gen/op_ids.h"', "",
              f"namespace rung::{namespace} {{", ""]
    lines += [definition(op) for op in ops]
    return lines + ["", f"}}  // namespace rung::{namespace}"]


def function_files(ops, registries):
    files = {}
    for namespace in ("aten", "prims"):
        callable_ops = [op for op in ops if op.namespace == namespace and has_function(op)]
        names = [op.function for op in callable_ops]
        assert len(set(names)) == len(names), "two functions share a name"
        files[f"src/ops/gen/{namespace}.h"] = write_functions_header(namespace, callable_ops, registries)
        files[f"src/ops/gen/{namespace}_gen.cpp"] = write_functions(namespace, callable_ops, registries)
    return files


def main():
    registries = load_registries()
    ops = load_ops(registries)
    files = {"src/schema/gen/ops_gen.cpp": write_ops(ops, registries), "src/schema/gen/op_ids.h": write_ids(ops, registries),
             "src/schema/gen/floor_gen.cpp": write_floor(ops, registries)}
    files |= function_files(ops, registries)
    return write_or_check({path: "\n".join(lines) + "\n" for path, lines in files.items()})


if __name__ == "__main__":
    sys.exit(main())
