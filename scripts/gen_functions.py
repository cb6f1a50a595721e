#!/usr/bin/env python3
"""Write the functions and methods that Python users of torch know, from data/torch-functions.json and the schemas.

Usage: gen_functions.py [--check]

The functions are those of data/torch-functions.json: C functions of torch that are an operator themselves. Overloads
of a packet become overloads of one C++ function. Two that differ only in whether an argument is a tensor or a number
become one, which looks at what it was given, as torch's argument parser does. The data comes from
scripts/dump_functions.py. With --check nothing is written, and the exit code is 1 if a committed file is stale.
"""
import json
import sys

from generated import ROOT, write_or_check
from gen_schema import (KEYWORDS, MAIN_BUILD, OMITTED, cpp_parameter_default, cpp_parameter_type, has_function, load_ops,
                        load_registries, parameter_name, result_type)

# torch's parser takes a number for a tensor here; elsewhere the overload for numbers is called.
NUMBERS_AS_TENSORS = {"add", "sub", "mul", "div", "divide", "multiply", "subtract", "true_divide", "floor_divide"}
# Members of Tensor that are written by hand, and what needs values.
NO_METHODS = {"size", "stride", "numel", "dim", "storage_offset", "item", "is_nonzero", "tolist", "data_ptr", "sizes",
              "equal", "allclose", "is_same_size", "argument", "meta", "number", "same", "defined", "nelement", "ndimension"}
# std(x) means std.correction.
SPREADS = {"std", "var", "std_mean", "var_mean"}
# Factories: Python fills in the device. They stand in ops/functional.h.
FACTORIES = {"arange", "empty", "empty_like", "empty_permuted", "empty_strided", "eye", "full", "full_like", "linspace",
             "logspace", "ones", "ones_like", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm",
             "range", "scalar_tensor", "zeros", "zeros_like", "tril_indices", "triu_indices", "new_empty", "new_full",
             "new_ones", "new_zeros", "new_empty_strided", "bartlett_window", "blackman_window", "hamming_window",
             "hann_window", "kaiser_window", "from_file", "normal", "tensor", "fftfreq", "rfftfreq", "sparse_coo_tensor"}
BY_HAND = {("torch", "split"), ("torch", "einsum"), ("nn.functional", "scaled_dot_product_attention")}
CPP_NAMESPACE = {"torch": "rung::torch", "nn.functional": "rung::nn::functional", "linalg": "rung::torch::linalg",
                 "fft": "rung::torch::fft", "special": "rung::torch::special"}


class Parameter:
    def __init__(self, arg):
        self.name, self.arg = parameter_name(arg), arg
        self.type, self.default = cpp_parameter_type(arg.type), None
        if arg.default.kind != "NoDefault":
            self.default = cpp_parameter_default(arg)
        if arg.type.list and arg.type.list_size >= 1 and arg.type.name in ("kInt", "kSymInt"):
            self.type = self.type.replace("IntList", "OneOrMoreInts")
        self.is_tensor = arg.type.name == "kTensor" and not arg.type.list
        self.is_number = arg.type.name == "kScalar" and not arg.type.list
        self.is_either = False

    def allows(self, other):
        return self.type == other.type or (self.is_tensor and other.is_number) or (self.is_number and other.is_tensor) or (
            self.is_either and (other.is_number or other.is_tensor))


class Overload:
    """A C++ function of one or several overloads of a packet, which differ only in tensors and numbers."""

    def __init__(self, op):
        self.ops = [op]
        self.parameters = [Parameter(a) for a in op.args if a.type.name not in OMITTED]
        self.result = result_type(op)
        self.required = len(self.parameters)
        while self.required and self.parameters[self.required - 1].default is not None:
            self.required -= 1

    def merges(self, other):
        if len(self.parameters) != len(other.parameters) or self.result != other.result:
            return False
        pairs = list(zip(self.parameters, other.parameters))
        return all(a.allows(b) for a, b in pairs) and any(a.is_either or a.type != b.type for a, b in pairs)

    def merge(self, other):
        for mine, theirs in zip(self.parameters, other.parameters):
            if mine.type != theirs.type:
                mine.type, mine.default, mine.is_either = "const Tensor&", "{}" if mine.default and theirs.default else None, True
        self.ops += other.ops
        self.required = max(self.required, other.required)

    def types(self, count):
        return [p.type.removeprefix("std::optional<").removesuffix(">") for p in self.parameters[:count]]

    def yield_to(self, earlier):
        """Takes defaults away until no call fits both; False if that cannot be."""
        for count in range(max(self.required, earlier.required), min(len(self.parameters), len(earlier.parameters)) + 1):
            if self.types(count) == earlier.types(count):
                if count > self.required and self.parameters[count - 1].arg.keyword_only:
                    self.parameters = self.parameters[:count - 1]  # Python takes it by name alone
                    break
                self.required = count + 1
        return self.required <= len(self.parameters)


def rank(op):
    """Python's order where a call fits several overloads: named tolerances, then the schema's default, then the others,
    those with more arguments by position first."""
    name = op.name.partition(".")[2] or "default"
    if op.name.split("::")[1].split(".")[0] in SPREADS:
        return {"dim": 0, "correction": 1}.get(name, 2), 0
    return {"atol_rtol_tensor": 0, "default": 1}.get(name, 2), -sum(not a.keyword_only for a in op.args)


def overloads_of(packet, ops):
    known = sorted((op for op in ops if op.name.split("::")[1].split(".")[0] == packet and MAIN_BUILD in op.texts), key=rank)
    base = packet.rstrip("_")
    if base in NUMBERS_AS_TENSORS:
        known = [op for op in known if not any(a.name == "other" and a.type.name == "kScalar" for a in op.args)]
    merged = []
    for op in known:
        new = Overload(op)
        into = next((m for m in merged if m.merges(new)), None)
        if into:
            into.merge(new)
        else:
            merged.append(new)
    if packet in SPREADS:
        alone = Overload(next(op for op in known if op.name.endswith(".correction")))
        alone.parameters, alone.required = alone.parameters[:1], 1
        merged.insert(0, alone)
    kept = []
    for overload in merged:
        if all(overload.yield_to(earlier) for earlier in kept):
            kept.append(overload)
    for position in range(max((len(o.parameters) for o in kept), default=0)):
        at = [o.parameters[position] for o in kept if position < len(o.parameters)]
        if len({p.type for p in at}) > 1:
            for parameter in at:  # a number must not be taken for a tensor or bool where another overload wants it
                if parameter.type == "const Tensor&" and not parameter.is_either and position > 0:
                    parameter.type = "const OnlyTensor&"
                    parameter.default = None if parameter.default is None else "Tensor()"
                if parameter.type == "bool" and any("Int" in p.type for p in at):
                    parameter.type = "OnlyBool"
                if parameter.type == "std::optional<bool>" and any("Int" in p.type for p in at):
                    parameter.type = "OnlyBoolOrNone"
                if parameter.type == "std::string_view":
                    parameter.type = "OnlyText"
    return kept


def parameter_list(overload, skip, with_defaults):
    out = []
    for i, p in enumerate(overload.parameters):
        if i < skip:
            continue
        default = f" = {p.default}" if with_defaults and i >= overload.required and p.default is not None else ""
        spelled = p.type.replace("std::optional<OneOrMoreInts>", "IntsOrNone")
        out.append(f"{spelled} {p.name}{default}")
    return ", ".join(out)


def call_of(overload, op, self_text):
    values = []
    for i, (p, arg) in enumerate(zip(overload.parameters, [a for a in op.args if a.type.name not in OMITTED])):
        text = self_text if i == 0 and self_text else p.name
        own = Parameter(arg)
        if own.is_number and p.type == "const Tensor&":
            text = f"number_or_none({text})" if arg.type.optional else f"{text}.number()"
        if p.type == "OneOrMoreInts" and arg.type.list_size > 1:  # Python's parser repeats a number, and no list
            text = f"repeated({text}, {arg.type.list_size})"
        values.append(text)
    return f"aten::{op.function}({', '.join(values)})"  # what was cut off has its default


def body_of(overload, self_text):
    """The most numeric overload that fits first; the one of tensors alone last."""
    def numbers(op):
        given = [a for a in op.args if a.type.name not in OMITTED]
        return [i for i, (p, a) in enumerate(zip(overload.parameters, given)) if Parameter(a).is_number and p.type == "const Tensor&"]

    lines = []
    ops = sorted(overload.ops, key=lambda op: -len(numbers(op)))
    for op in ops[:-1]:
        names = [self_text if i == 0 and self_text else overload.parameters[i].name for i in numbers(op)]
        is_pair = all(Parameter(op.args[i]).arg.type.optional for i in numbers(op)) and len(names) > 1
        condition = (" || " if is_pair else " && ").join(f"{n}.is_number()" for n in names)
        lines.append(f"if ({condition}) return {call_of(overload, op, self_text)};")
    lines.append(f"return {call_of(overload, ops[-1], self_text)};" if overload.result != "void"
                 else f"{call_of(overload, ops[-1], self_text)};")
    return " ".join(lines)


def cpp_name(name):
    return name + "_" if name in KEYWORDS else name


def functions(data, ops):
    """(namespace, C++ name, whether it has a reference, overload) of every function."""
    for namespace in CPP_NAMESPACE:
        for name, packet in data["functions"][namespace].items():
            if name in FACTORIES or (namespace, name) in BY_HAND:
                continue
            for overload in overloads_of(packet, ops):
                yield namespace, cpp_name(name), name in data["references"][namespace], overload


def methods(data, ops):
    for name, packet in data["functions"]["Tensor"].items():
        if name in NO_METHODS or name in FACTORIES or name in KEYWORDS:
            continue
        for overload in overloads_of(packet, ops):
            first = overload.parameters[0] if overload.parameters else None
            if first is not None and first.type == "const Tensor&":
                yield name, name in data["references"]["Tensor"], overload


def heading(purpose, data):
    return [f"// {purpose}", f"// generated by scripts/gen_functions.py from torch {data['torch']}; do not edit", "// clang-format off"]


def definition(scope, name, referenced, overload, is_method):
    parameters = parameter_list(overload, 1 if is_method else 0, False)
    off = "" if referenced else "const WithoutReference plain; "
    body = body_of(overload, "(*this)" if is_method else "")
    return f"{overload.result} {scope}{name}({parameters}){' const' if is_method else ''} {{ {off}{body} }}"


def write_header(data, ops):
    lines = heading("torch's functions that are operators themselves, with the defaults of Python.", data)
    lines += ["#pragma once", "#include <array>", "#include <optional>", "#include <span>", "#include <string_view>", "#include <tuple>",
              "#include <vector>", "", '#include "ir/tensor.h"', ""]
    current = None
    for namespace, name, _, overload in functions(data, ops):
        if namespace != current:
            lines += [f"}}  // namespace {CPP_NAMESPACE[current]}"] if current else []
            lines += ["", f"namespace {CPP_NAMESPACE[namespace]} {{", ""]
            current = namespace
        lines.append(f"{overload.result} {name}({parameter_list(overload, 0, True)});")
    return lines + ["", f"}}  // namespace {CPP_NAMESPACE[current]}"]


def write_source(data, ops):
    lines = heading("Each calls its operator; without a reference, nothing inside of it goes to one.", data)
    lines += ['#include "ops/gen/torch.h"', "", '#include "ops/gen/aten.h"', '#include "ops/number_argument.h"', '#include "ops/repeated.h"',
              '#include "trace/without_reference.h"', ""]
    current = None
    for namespace, name, referenced, overload in functions(data, ops):
        if namespace != current:
            lines += [f"}}  // namespace {CPP_NAMESPACE[current]}"] if current else []
            lines += ["", f"namespace {CPP_NAMESPACE[namespace]} {{", ""]
            current = namespace
        lines.append(definition("", name, referenced, overload, False))
    lines += [f"}}  // namespace {CPP_NAMESPACE[current]}", "", "namespace rung {", ""]
    lines += [definition("Tensor::", name, referenced, overload, True) for name, referenced, overload in methods(data, ops)]
    return lines + ["", "}  // namespace rung"]


def write_methods(data, ops):
    lines = heading("The methods of torch.Tensor that are operators; a part of class Tensor.", data)
    return lines + [f"{overload.result} {name}({parameter_list(overload, 1, True)}) const;" for name, _, overload in methods(data, ops)]


def main():
    data = json.loads((ROOT / "data/torch-functions.json").read_text())
    ops = [op for op in load_ops(load_registries()) if op.namespace == "aten" and has_function(op)]
    files = {"src/ops/gen/torch.h": write_header(data, ops), "src/ops/gen/torch_gen.cpp": write_source(data, ops),
             "src/ir/gen/tensor_methods.h": write_methods(data, ops)}
    return write_or_check({path: "\n".join(lines) + "\n" for path, lines in files.items()})


if __name__ == "__main__":
    sys.exit(main())
