"""Kernels of PTX, run by the emulator of NVIDIA GPUs that other tests run models on."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
import torch

same = np.testing.assert_array_equal
LIBRARY = ctypes.CDLL(str(Path(__file__).resolve().parents[2] / "build/lib/rgnn_cuda_emulator.so"))
HEADER = ".version 8.1\n.target sm_90\n.address_size 64\n"
REGISTERS = ".reg .pred %p<20>; .reg .b16 %rs<40>; .reg .b32 %r<60>; .reg .b64 %rd<60>;\n"
PREFIX = {1: "%r", 2: "%rs", 4: "%r", 8: "%rd"}
TORCH = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.uint16, "bf16": np.uint16,
         **{f"{kind}{bits}": np.dtype(f"{'int' if kind == 's' else 'uint'}{bits}").type
            for kind in "sub" for bits in (8, 16, 32, 64)}}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def context():
    context = ctypes.c_void_p()
    assert LIBRARY.cuInit(0) == LIBRARY.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert LIBRARY.cuCtxPushCurrent_v2(context) == 0
    yield
    assert LIBRARY.cuCtxPopCurrent_v2(ctypes.byref(context)) == 0


def load(text: str) -> ctypes.c_void_p:
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    assert LIBRARY.cuModuleLoadData(ctypes.byref(module), text.encode()) == 0
    assert LIBRARY.cuModuleGetFunction(ctypes.byref(function), module, b"kernel") == 0
    return function


def in_kernel(body: str, sizes: tuple = (), top: str = "", limit: int = 1024) -> str:
    """A module with a kernel whose %rd<i> is parameter i, and %rd<20+i> where the thread's item is in that array."""
    parameters = ",\n".join(f".param .u64 kernel_param_{i}" for i in range(len(sizes)))
    prologue = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.s32 %r3, %r1, %r2, %r0;\n"
    for i, size in enumerate(sizes):
        prologue += f"ld.param.b64 %rd{i}, [kernel_param_{i}];\n"
        prologue += f"mul.wide.u32 %rd50, %r3, {size};\nadd.s64 %rd{20 + i}, %rd{i}, %rd50;\n"
    head = f".visible .entry kernel({parameters})\n.maxntid {limit}, 1, 1"
    return f"{HEADER}{top}\n{head}\n{{\n{REGISTERS}{prologue}{body}\nret;\n}}\n"


def start(function, arguments, blocks=(1,), threads=(32,), shared=0) -> int:
    sizes = [*blocks, 1, 1][:3] + [*threads, 1, 1][:3]
    pointers = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
    return LIBRARY.cuLaunchKernel(function, *sizes, shared, None, pointers, None)


def launch(body, *arrays, top="", limit=1024, result=0, **sizes):
    """Runs a kernel on arrays."""
    function = load(in_kernel(body, [array.itemsize for array in arrays], top, limit))
    assert start(function, [ctypes.c_uint64(array.ctypes.data) for array in arrays], **sizes) == result


def as_bits(values, kind):
    """Numbers of Python as an array of some type, which all of them are in."""
    numbers = torch.tensor(values, dtype=torch.float64).to(TORCH[kind])
    return (numbers.view(torch.int16) if "16" in kind else numbers).numpy().view(NUMPY[kind])


def as_numbers(array, kind):
    signed = array.view(f"int{8 * array.itemsize}")
    return torch.from_numpy(signed).view(TORCH[kind]).double().numpy()
