"""What code is compiled for: this machine's processor, or NVIDIA GPUs, which this machine need not have."""

from __future__ import annotations

import os
import re
import shutil
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

from ._options import Options
from ._run.device import common_device

SAVED_CHIPS = ("sm_80", "sm_90", "sm_100")
"""What a saved module has machine code for; newer chips get that of the newest, compiled when it is loaded."""
_DEFAULT_CHIP = "sm_90"


@dataclass(frozen=True)
class Target:
    """Code for the processor, or for GPUs.

    Attributes:
        chips: of GPUs; empty for the processor.
        tf32: whether float32 may be multiplied on tensor cores, which take the first 11 bits of a factor.
    """

    chips: tuple[str, ...] = ()
    tf32: bool = False

    @property
    def device(self) -> str:
        """``"cuda"`` or ``"cpu"``."""
        return "cuda" if self.chips else "cpu"

    def __str__(self) -> str:
        return f"target {', '.join(self.chips) or 'cpu'}"

    def pipeline(self, options: Options, form: str = "") -> str:
        """The options of the compiler's pipeline, ``rgnn-to-gpu`` or ``rgnn-to-cpu``.

        Args:
            options: what the user asked for.
            form: what kernels end as: ``"isa"`` for PTX, ``"bin"`` for machine code, ``"fatbin"`` for both; by default
                what is quickest to load.
        """
        if not self.chips:
            return options.pipeline()
        # Machine code, and where it is for other machines too, PTX for chips that are newer.
        form = form or ("isa" if assembler() is None else "fatbin" if len(self.chips) > 1 else "bin")
        parts = [f"chip={','.join(self.chips)} format={form}", "tf32=true" if self.tf32 else "",
                 f"toolkit={toolkit()}" if toolkit() else "", options.kernel_pipeline()]
        return " ".join(filter(None, parts))


CPU = Target()


def saved_target(target: Target) -> Target:
    """What a saved module has code for, so that other GPUs than that of ``target`` run it too."""
    return Target(tuple(dict.fromkeys((*target.chips, *SAVED_CHIPS))), target.tf32)


def check_target(target: object) -> None:
    """Raises ValueError for what names no target."""
    if target not in (None, "cpu") and parse_chip(target) is None:
        raise ValueError(f"target: expected None, 'cpu', 'cuda' or a chip such as 'sm_90', got {target!r}")


def parse_chip(target: object) -> str | None:
    """The chip that a target names: ``"cuda"`` stands for that of this machine, or sm_90; None for no GPU."""
    if target == "cuda":
        return _chip_of(torch.device("cuda")) if torch.cuda.is_available() else _DEFAULT_CHIP
    return target if isinstance(target, str) and re.fullmatch(r"sm_\d+[af]?", target) else None


def resolve(target: str | None, tensors: Sequence[Tensor]) -> Target:
    """The target of a call: what ``target`` names, or the device of the tensors."""
    if target is None:
        target = common_device(tensors)
        if target == "cuda" and torch.cuda.is_available():
            target = _chip_of(tensors[0].device)
    chip = parse_chip(target)
    return Target((chip,), allows_tf32()) if chip else CPU


def allows_tf32() -> bool:
    """Whether PyTorch's settings let products of float32 use tensor cores: autocast, whose 16 bits are fewer, does."""
    return torch.get_float32_matmul_precision() != "highest" or torch.is_autocast_enabled("cuda")


def _chip_of(device: torch.device) -> str:
    major, minor = torch.cuda.get_device_capability(device)
    return f"sm_{major}{minor}"


@cache
def toolkit() -> Path | None:
    """The CUDA Toolkit: what CUDA_ROOT, CUDA_HOME or CUDA_PATH names, NVIDIA's packages of this Python environment
    (nvidia-cuda-nvcc, nvidia-nvvm), that of the nvcc in PATH, or /usr/local/cuda."""
    named = [Path(root) for name in ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH") if (root := os.environ.get(name))]
    packages = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/cu*"), reverse=True)
    compiler = shutil.which("nvcc")
    found = [Path(compiler).resolve().parents[1]] if compiler else []
    roots = [*named, *packages, *found, Path("/usr/local/cuda")]
    return next((root for root in roots if (root / "nvvm/libdevice/libdevice.10.bc").exists()), None)


def assembler() -> str | None:
    """NVIDIA's ptxas, of the toolkit, or else in PATH."""
    path = toolkit() and toolkit() / "bin/ptxas"
    return str(path) if path and path.exists() else shutil.which("ptxas")
