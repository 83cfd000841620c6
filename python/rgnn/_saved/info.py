"""rgnn.inspect: what is in a saved module."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .file import opened


@dataclass(frozen=True)
class ModuleInfo:
    """What :func:`inspect` found.

    Attributes:
        name: of the model that was saved.
        compiler: versions of ``rgnn`` and ``llvm`` that made the code.
        targets: ``(name, processor)`` of each that there is code for, best first.
        target: the one whose code this processor runs; None where it runs none.
        gpus: chips of NVIDIA GPUs that there is machine code for; newer ones run that of the newest.
        calls: of each call that was compiled, its arguments with dtype and shape (-1: any size), and its mode.
        parameters: name, dtype and shape of each parameter and buffer.
        has_weights: whether their values are in the file.
        trains: whether there is code for gradients.
        fallbacks: operators that PyTorch runs, with the source line.
        bytes: size of the file.
        manifest: all that it says; docs/ModuleFormat.md.
    """

    name: str
    compiler: dict[str, str]
    targets: list[tuple[str, str]]
    target: str | None
    gpus: list[str]
    calls: list[str]
    parameters: list[tuple[str, str, tuple[int, ...]]]
    has_weights: bool
    trains: bool
    fallbacks: list[tuple[str, str]]
    bytes: int
    manifest: dict[str, Any]

    def __str__(self) -> str:
        numbers = sum(math.prod(shape) for *_, shape in self.parameters)
        made_by = ", ".join(f"{name} {version}" for name, version in self.compiler.items())
        targets = ", ".join(f"{name} ({cpu}){' *' if name == self.target else ''}" for name, cpu in self.targets)
        gpus = f"; GPUs: {', '.join(self.gpus)}" if self.gpus else ""
        lines = [
            f"{self.name}: {self.bytes:,} bytes, made by {made_by}",
            f"  code for {targets}{gpus}; {'with' if self.trains else 'without'} gradients",
            f"  {len(self.parameters)} parameters and buffers of {numbers:,} numbers, "
            f"{'with' if self.has_weights else 'without'} their values",
            *(f"  {call}" for call in self.calls),
            *(f"  runs in PyTorch: {op} ({where or 'unknown line'})" for op, where in self.fallbacks),
        ]
        return "\n".join(lines)


def inspect(path: str | os.PathLike) -> ModuleInfo:
    """Reads what a saved module is, and runs nothing of it.

    Raises:
        LoadError: the file is no saved module, is damaged, or is for another version.
        FileNotFoundError: there is no such file.
    """
    with opened(path) as file:
        return _describe(json.loads(file.manifest), file.target, Path(path).stat().st_size)


def _describe(manifest: dict, target: str | None, size: int) -> ModuleInfo:
    return ModuleInfo(
        name=manifest["name"],
        compiler=manifest["compiler"],
        targets=[(entry["name"], entry["cpu"]) for entry in manifest["targets"]],
        target=target,
        gpus=list(dict.fromkeys(chip for function in manifest["functions"]
                                for chip in (function.get("cuda") or {}).get("chips", ()))),
        calls=[_describe_call(call, manifest) for call in manifest["calls"]],
        parameters=[(entry["name"], entry["dtype"], tuple(entry["shape"])) for entry in manifest["parameters"]],
        has_weights=manifest["weights"] is not None,
        trains=any(region["trainings"] or region["split"] is not None for region in manifest["regions"]),
        fallbacks=[(step["torch"], step["where"]) for plan in manifest["plans"] for step in plan["steps"]
                   if "torch" in step],
        bytes=size,
        manifest=manifest,
    )  # fmt: skip


def _describe_call(call: dict, manifest: dict) -> str:
    arguments = list(call["paths"])
    if call["region"] is not None:
        interface = manifest["functions"][manifest["regions"][call["region"]]["function"]]["interface"]
        for number, (path, expected) in enumerate(zip(arguments, interface["inputs"])):
            sizes = ", ".join(str(size) if isinstance(size, int) and size >= 0 else "?" for size in expected["shape"])
            arguments[number] = f"{path}: {expected['dtype']}[{sizes}]"
    mode = "train" if call["training"] else "eval"
    autocast = f", autocast to {call['autocast']}" if call["autocast"] else ""
    return f"({', '.join(arguments)}), {mode} mode{autocast}"
