"""Assembles the PTX of each kernel of a module (standard input) by ptxas, and prints what it takes.

Usage: ptx_resources.py ARCH. Fails where ptxas does, where registers spill, or where fewer than a quarter of the warps
that a multiprocessor holds find room.
"""

import concurrent.futures
import os
import pathlib
import re
import sys

from _rgnn import read_ptx

# Without the package, which would bring PyTorch.
sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "python" / "rgnn"))
from _ptx import assemble  # noqa: E402


def main(arch: str) -> None:
    kernels = read_ptx(sys.stdin.read())
    if not kernels:
        sys.exit("expected kernels, got none")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        taken = list(pool.map(lambda ptx: assemble(ptx, arch, "ptxas", "--warning-as-error"), kernels.values()))
    for (name, ptx), resources in zip(kernels.items(), taken, strict=True):
        loads, copies = len(re.findall(r"ld\.global", ptx)), len(re.findall(r"cp\.async\.c[ag]", ptx))
        print(
            f"{name} {arch}: {resources.registers} registers, {resources.spilled} bytes spilled, "
            f"{resources.shared} bytes shared, occupancy {resources.occupancy:.2f}, {loads} loads, "
            f"{copies} asynchronous copies"
        )
        if resources.spilled or resources.occupancy < 0.25:
            sys.exit(f"{name}: expected no spills and an occupancy of 0.25, got {resources}")


main(sys.argv[1])
