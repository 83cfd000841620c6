"""Assembles the PTX of each kernel of a module (standard input) by ptxas, and prints what it takes.

Usage: ptx_resources.py ARCH. Fails where ptxas does, where registers spill, or where fewer than a quarter of the warps
that a multiprocessor holds find room.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

# Of every multiprocessor from sm_80 to sm_100; a block of sm_80 has a little less shared memory than its 164 kB.
REGISTERS, WARPS, BLOCKS, SHARED = 65536, 64, 32, 163 * 1024


def kernels(text: str) -> list[tuple[str, str]]:
    """Name and PTX of each kernel."""
    found = re.findall(r'gpu\.binary @(\w+) .*?assembly = "((?:[^"\\]|\\.)*)"', text)
    # MLIR writes a byte that does not print as two hexadecimal digits.
    unescape = lambda m: chr(int(m[1], 16)) if len(m[1]) == 2 else m[1]  # noqa: E731
    return [(name, re.sub(r"\\([0-9A-F]{2}|.)", unescape, ptx).rstrip("\0")) for name, ptx in found]


def assemble(name: str, ptx: str, arch: str) -> str:
    """What `ptxas -v` says."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        command = ["ptxas", "-v", "--warning-as-error", f"-arch={arch}", file.name, "-o", "/dev/null"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise RuntimeError(f"{name}: {result.stderr}")
    return result.stderr


def number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    return int(match[1]) if match else 0


def occupancy(registers: int, shared: int, threads: int) -> float:
    """Share of the warps of a multiprocessor that find room."""
    warps = -(-threads // 32)
    # Registers come by 256 for a warp, shared memory by 128 bytes, of which a block takes 1 kB more.
    of_warp = -(-registers * 32 // 256) * 256
    of_block = -(-shared // 128) * 128 + 1024
    return min(BLOCKS, REGISTERS // (of_warp * warps), SHARED // of_block, WARPS // warps) * warps / WARPS


def main(arch: str) -> None:
    found = kernels(sys.stdin.read())
    if not found:
        sys.exit("expected kernels, got none")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        output = list(pool.map(lambda kernel: assemble(*kernel, arch), found))
    for (name, ptx), said in zip(found, output, strict=True):
        threads = 1
        for size in re.search(r"\.(?:req|max)ntid (\d+)(?:, (\d+))?(?:, (\d+))?", ptx).groups():
            threads *= int(size or 1)
        registers, shared = number(r"Used (\d+) registers", said), number(r"(\d+) bytes smem", said)
        spills = number(r"(\d+) bytes spill stores", said) + number(r"(\d+) bytes spill loads", said)
        share = occupancy(registers, shared, threads)
        loads, copies = len(re.findall(r"ld\.global", ptx)), len(re.findall(r"cp\.async\.c[ag]", ptx))
        print(
            f"{name} {arch}: {registers} registers, {spills} bytes spilled, {shared} bytes shared, "
            f"occupancy {share:.2f}, {loads} loads, {copies} asynchronous copies"
        )
        if spills or share < 0.25:
            sys.exit(f"{name}: expected no spills and an occupancy of 0.25, got {spills} bytes and {share:.2f}")


main(sys.argv[1])
