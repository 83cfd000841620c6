"""What ptxas says of PTX. Needs no compiler."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass


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


def assemble(ptx: str, chip: str, ptxas: str, *flags: str) -> Resources:
    """What a kernel takes.

    Raises:
        RuntimeError: ptxas refuses it.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        command = [ptxas, "-v", f"-arch={chip}", *flags, file.name, "-o", os.devnull]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
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


__all__ = ["Resources", "assemble"]
