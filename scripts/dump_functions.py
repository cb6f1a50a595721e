#!/usr/bin/env python3
"""Write what Python users of torch call: functions and methods that are an operator themselves, and which have a
reference.

Usage: dump_functions.py OUT.json          with the torch of the build that is to be described

"functions" holds for each namespace (torch, nn.functional, linalg, fft, special) and for Tensor the names that are
C functions, with the packet of aten that they call; "references" the names that TorchRefsMode routes to torch._refs,
Python functions included.
"""
import json
import sys
import types

import torch
import torch.nn.functional
from torch._prims.context import torch_to_refs_map

NAMESPACES = {"torch": (torch, ""), "nn.functional": (torch.nn.functional, ""), "linalg": (torch.linalg, "linalg_"),
              "fft": (torch.fft, "fft_"), "special": (torch.special, "special_"), "Tensor": (torch.Tensor, "")}
RENAMED = {"logsigmoid": "log_sigmoid"}  # where the packet is not called as the function is


def packet_of(prefix, name):
    packet = prefix + RENAMED.get(name, name)
    return packet if hasattr(torch.ops.aten, packet) else None


def main():
    mapped = torch_to_refs_map()
    functions, references = {}, {}
    for namespace, (module, prefix) in NAMESPACES.items():
        functions[namespace], references[namespace] = {}, []
        for name in sorted(set(dir(module))):
            value = getattr(module, name, None)
            if name.startswith("_") or not callable(value):
                continue
            if value in mapped:
                references[namespace].append(name)
            is_c = isinstance(value, (types.BuiltinFunctionType, types.MethodDescriptorType))
            packet = packet_of(prefix, name) if is_c else None
            if packet:
                functions[namespace][name] = packet
    with open(sys.argv[1], "w") as out:
        json.dump({"torch": torch.__version__.split("+")[0], "functions": functions, "references": references}, out, indent=1)
        out.write("\n")


if __name__ == "__main__":
    main()
