#!/usr/bin/env python3
"""Numbers of torch 2.13 that unit tests hold rung's against: random.txt, values.pt2, values.safetensors and arrays.npz.

Usage: make_values.py          writes beside itself; needs torch 2.13.0
"""
import pathlib
import sys
import warnings

warnings.filterwarnings("ignore")
import numpy as np
import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "oracle"))
import make
import safetensor_files

torch.set_num_threads(1)


def random_lines():
    """For each size and dtype, what each op draws after the same seed, in hexadecimal floats."""
    for size in (1, 5, 15, 16, 17, 33):
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            torch.manual_seed(size)
            draws = {
                "rand": torch.rand(size, dtype=dtype),
                "randn": torch.randn(size, dtype=dtype),
                "normal_": torch.empty(size, dtype=dtype).normal_(2.0, 3.3),
                "uniform_": torch.empty(size, dtype=dtype).uniform_(-0.37, 1.9),
                "exponential_": torch.empty(size, dtype=dtype).exponential_(1.7),
                "bernoulli_": torch.empty(size, dtype=dtype).bernoulli_(0.4),
                "bernoulli": torch.bernoulli(torch.full((size,), 0.4, dtype=dtype)),
            }
            for name, values in draws.items():
                yield name, size, dtype, values
        yield "randint", size, torch.int64, torch.randint(-3, (1 << 28) - 3, (size,))
        yield "randint_wide", size, torch.int64, torch.randint(-3, 1 << 40, (size,))
        yield "randperm", size, torch.int64, torch.randperm(size)


class Values(torch.nn.Module):
    """One result for each kind of kernel."""

    def forward(self, x, image, weight, index):
        mask = x > 0.3
        wide = torch.nn.functional.conv2d(image, weight, stride=2, padding=1, groups=2)
        pooled = torch.nn.functional.max_pool2d(wide, 2)
        values, order = torch.sort(x, dim=1, descending=True)
        return (
            torch.nn.functional.gelu(x), torch.softmax(x, -1), torch.nn.functional.layer_norm(x, (6,)), x.t() @ x,
            x.sum(0), x.var(1), x.amax(), x.argmax(1), torch.cumsum(x, 1), x[index], (x * mask).t().contiguous(),
            torch.where(mask, x, 0.0), torch.gather(x, 1, index.expand(5, 3)), x.scatter(1, index.expand(5, 3), 7.0),
            values, order, torch.topk(x, 2).values, wide, pooled, torch.fft.rfft(x).abs(), x.half().float(),
            torch.nn.functional.interpolate(image, scale_factor=2), x.to(torch.int32) // 2, x.bfloat16() * 3,
        )


def write_arrays():
    grid = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.savez_compressed(HERE / "arrays.npz", grid=grid, fortran=np.asfortranarray(grid), number=np.int64(-7), empty=np.zeros((0, 2)),
             truth=np.array([True, False]), wave=np.array([1 + 2j], np.complex64), half=np.array([0.5], np.float16))


def main():
    with open(HERE / "random.txt", "w") as out:
        for name, size, dtype, values in random_lines():
            numbers = " ".join(value.hex() for value in values.double().tolist())
            out.write(f"{name} {size} {str(dtype)[6:]} {numbers}\n")
    torch.manual_seed(0)
    inputs = (torch.randn(5, 6), torch.randn(2, 4, 8, 6), torch.randn(6, 2, 3, 3), torch.tensor([4, 0, 2]))
    program = make.without_folders(torch.export.export(Values(), inputs))
    torch.export.save(program, HERE / "values.pt2")
    tensors = {f"in{i}": tensor for i, tensor in enumerate(inputs)}
    tensors |= {f"out{i:02d}": tensor for i, tensor in enumerate(Values()(*inputs))}
    safetensor_files.save(tensors, HERE / "values.safetensors")
    write_arrays()


if __name__ == "__main__":
    main()
