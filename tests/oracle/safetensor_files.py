"""Files of the safetensors format, without the package."""
import json
import struct

import torch

DTYPES = {
    "BOOL": torch.bool, "U8": torch.uint8, "I8": torch.int8, "I16": torch.int16, "I32": torch.int32, "I64": torch.int64,
    "U16": torch.uint16, "U32": torch.uint32, "U64": torch.uint64,
    "F16": torch.float16, "BF16": torch.bfloat16, "F32": torch.float32, "F64": torch.float64, "C64": torch.complex64,
}


def load(path):
    """Tensors by name, in the order of the file."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        first, last = entry["data_offsets"]
        dtype = DTYPES[entry["dtype"]]
        values = torch.frombuffer(bytearray(data[first:last]), dtype=dtype) if last > first else torch.empty(0, dtype=dtype)
        tensors[name] = values.reshape(entry["shape"])
    return tensors


def save(tensors, path):
    names = {dtype: name for name, dtype in DTYPES.items()}
    header, parts, offset = {}, [], 0
    for name, tensor in tensors.items():
        tensor = tensor.detach().resolve_conj().resolve_neg().contiguous()
        data = bytes(tensor.reshape(-1).view(torch.uint8).tolist()) if tensor.numel() else b""
        header[name] = {"dtype": names[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [offset, offset + len(data)]}
        parts.append(data)
        offset += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))
