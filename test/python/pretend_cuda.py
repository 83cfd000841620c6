"""A GPU for tests: a process in which tensors say that they are on one, and a driver that writes down what it is asked.

With that driver nothing runs: results hold what was in memory. With tools/cuda-emulator as the driver, kernels do.
"""

import ctypes
import importlib
import math
import os
import pathlib
import subprocess

import torch

CUDA, CPU = 2, 1  # DLPack's numbers
STREAM = 7

_ROOT = pathlib.Path(__file__).resolve().parents[2]


class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


class _Managed(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32 * 2), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("tensor", _Tensor),
    ]  # fmt: skip


_Read = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(_Tensor))
_Allocate = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Tensor), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p,
                             ctypes.c_void_p)  # fmt: skip
_Stream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class _Exchange(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p), ("allocate", _Allocate),
        ("from_object", ctypes.c_void_p), ("to_object", ctypes.c_void_p), ("read", _Read), ("stream", _Stream),
    ]  # fmt: skip


_capsule = ctypes.pythonapi
_capsule.PyCapsule_GetPointer.restype = ctypes.c_void_p
_capsule.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_capsule.PyCapsule_New.restype = ctypes.py_object
_capsule.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
on_host = []  # tensors that do not pretend
allocations = []  # of memory, each with its device's kind
_kept = []  # what C code holds pointers to


def pretend() -> None:
    """Changes PyTorch's table of C functions, before RGNN reads it."""
    name = b"dlpack_exchange_api"
    real = _Exchange.from_address(_capsule.PyCapsule_GetPointer(torch.Tensor.__dlpack_c_exchange_api__, name))

    def read(tensor, out):
        status = real.read(tensor, out)
        if not any(tensor is other for other in on_host):
            out[0].device.type = CUDA
        return status

    def allocate(like, out, context, fail):
        kind = like[0].device.type
        allocations.append(kind)
        like[0].device.type = CPU
        status = real.allocate(like, out, context, fail)
        like[0].device.type = kind
        if status == 0:
            _spoil(_Managed.from_address(out[0]).tensor)
        return status

    def stream(kind, device, out):
        assert (kind, device) == (CUDA, 0)
        out[0] = STREAM
        return 0

    table = _Exchange(real.major, real.minor, None, _Allocate(allocate), real.from_object, real.to_object, _Read(read),
                      _Stream(stream))  # fmt: skip
    _kept.extend([table, name])
    # Kernels stay text, which the driver can read, and Python's side takes every tensor for one on a GPU.
    for module in ("_target", "_run.region"):
        vars(importlib.import_module(f"rgnn.{module}")).update(
            assembler=lambda: None, common_device=lambda tensors: "cuda")
    functional = importlib.import_module("rgnn._dynamo.functional")
    make, functional.carry = functional.carry, lambda size, like: make(size, "cpu")
    graphs = importlib.import_module("rgnn._run.graphs")
    graphs.is_on_gpu, graphs.host_copy = lambda tensor: True, host_copy
    importlib.import_module("rgnn._run.region").Region._check = lambda self, tensors: None
    torch.Tensor.__dlpack_c_exchange_api__ = _capsule.PyCapsule_New(ctypes.addressof(table), name, None)


def _spoil(tensor: _Tensor) -> None:
    """Fills memory with NaNs: nothing was written to it."""
    sizes = (ctypes.c_int64 * tensor.ndim).from_address(tensor.shape) if tensor.ndim else []
    ctypes.memset(tensor.data, 0xFF, math.prod(sizes) * tensor.bits // 8 * tensor.lanes)


def host_copy(tensor):
    on_host.append(tensor.clone())
    return on_host[-1]


class Driver:
    """The driver of unittests/Runtime/Inputs/recording_driver.c, for code that is loaded from now on."""

    def __init__(self, folder: pathlib.Path):
        path = folder / "driver.so"
        source = _ROOT / "unittests/Runtime/Inputs/recording_driver.c"
        subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(path)], check=True)
        os.environ["RGNN_CUDA_DRIVER"] = str(path)
        self._library = ctypes.CDLL(str(path))
        self._library.recorded.restype = ctypes.c_char_p

    def fail(self, function: str, result: int) -> None:
        """Makes a function of the driver return an error from now on."""
        self._library.let_fail(function.encode(), result)

    def take(self) -> list[str]:
        """What it was asked since the last time."""
        lines = self._library.recorded().decode(errors="replace").splitlines()
        self._library.record_anew()
        return lines
