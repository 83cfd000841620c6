"""What a model is compiled to for an NVIDIA GPU, which this machine need not have."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from _rgnn import run_pipeline

from ._options import Options


@dataclass
class Resources:
    """What a kernel takes of a multiprocessor, as ptxas says.

    Attributes:
        registers: of a thread.
        spilled: bytes of registers that a thread keeps in memory.
        shared: bytes of shared memory of a block.
        threads: of a block.
    """

    registers: int
    spilled: int
    shared: int
    threads: int

    @property
    def occupancy(self) -> float:
        """Share of a multiprocessor's warps that find room at once: sm_80, sm_90 and sm_100 have 64 warps, 32 blocks,
        65,536 registers and (sm_80) 164 kB of shared memory."""
        warps = -(-self.threads // 32)
        # Registers come by 256 for a warp, shared memory by 128 bytes; a block takes 1 kB of it besides.
        registers = -(-max(self.registers, 1) * 32 // 256) * 256 * warps
        shared = -(-self.shared // 128) * 128 + 1024
        return min(32, 65536 // registers, 163 * 1024 // shared, 64 // warps) * warps / 64

    def __str__(self) -> str:
        return (f"{self.threads} threads, {self.registers} registers, {self.spilled} bytes spilled, "
                f"{self.shared} bytes of shared memory, occupancy {self.occupancy:.2f}")


def parse_chip(target: object) -> str | None:
    """The chip that a target names: ``"cuda"`` stands for sm_90; None for no GPU."""
    if target == "cuda":
        return "sm_90"
    return target if isinstance(target, str) and re.fullmatch(r"sm_\d+[af]?", target) else None


def compile_for(text: str, chip: str, options: Options) -> tuple[str, dict[str, str]]:
    """The host's side of a captured function, and the PTX of each kernel by its name.

    Raises:
        CompileError: the compiler refuses the function.
    """
    arguments = " ".join(filter(None, [f"chip={chip} format=isa", options.kernel_pipeline()]))
    module = run_pipeline(text, f"rgnn-to-gpu{{{arguments}}}")
    host, ptx = [], {}
    for line in module.splitlines():
        # Modules have the names of what is launched first in them, kernels may have equal ones.
        if match := re.match(r'  gpu\.binary @(\w+) .*?assembly = "((?:[^"\\]|\\.)*)"', line):
            ptx[match[1]] = _unescape(match[2])
        else:
            host.append(line)
    return "\n".join(host), ptx


def _unescape(text: str) -> str:
    """MLIR writes a byte that does not print as two hexadecimal digits."""
    return re.sub(r"\\([0-9A-F]{2}|.)", lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1], text).rstrip("\0")


def find_ptxas() -> str | None:
    """NVIDIA's assembler, of the toolkit that CUDA_ROOT, CUDA_HOME or CUDA_PATH names, or else in PATH."""
    for name in ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"):
        if (root := os.environ.get(name)) and (Path(root) / "bin/ptxas").exists():
            return str(Path(root) / "bin/ptxas")
    return shutil.which("ptxas")


def assemble(ptx: str, chip: str, ptxas: str) -> Resources:
    """What a kernel takes.

    Raises:
        RuntimeError: ptxas refuses it.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        result = subprocess.run([ptxas, "-v", f"-arch={chip}", file.name, "-o", os.devnull], capture_output=True,
                                text=True, check=False)  # fmt: skip
    if result.returncode:
        raise RuntimeError(f"ptxas: {result.stderr}")

    def number(pattern: str) -> int:
        return sum(int(found) for found in re.findall(pattern, result.stderr))

    sizes = re.search(r"\.(?:req|max)ntid (\d+)(?:, (\d+))?(?:, (\d+))?", ptx)
    threads = 1
    for size in sizes.groups() if sizes else ():
        threads *= int(size or 1)
    registers, shared = number(r"Used (\d+) registers"), number(r"(\d+) bytes smem")
    return Resources(registers, number(r"(\d+) bytes spill"), shared, threads)


def describe(host: str, ptx: dict[str, str], chip: str) -> list[str]:
    """A line for each launch, in their order, with what its kernel takes where ptxas is at hand."""
    # Variants for graphs with few edges for each node have launches of their own.
    forward = re.search(r"^  func\.func @forward\(.*?^  }$", host, re.DOTALL | re.MULTILINE)
    launches = re.findall(r"gpu\.launch_func\s+@(\w+)::", forward[0] if forward else "")
    if not (ptxas := find_ptxas()):
        return launches
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        taken = dict(zip(ptx, pool.map(lambda text: assemble(text, chip, ptxas), ptx.values()), strict=True))
    return [f"{name}: {taken[name]}" for name in launches]


__all__ = ["Resources", "assemble", "compile_for", "describe", "find_ptxas", "parse_chip"]
