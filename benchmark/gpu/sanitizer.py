"""NVIDIA's compute-sanitizer over small graphs: memory, races in shared memory, barriers.

`sanitizer.py CASE DEVICE` is what it runs: results and gradients of one layer on every small graph.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import layout
import torch
from store import Absent, Unit

TOOLS = ("memcheck", "racecheck", "synccheck")
MODELS = ("rgcn-mean-float32", "rgat-heads-float32", "hgt-heads-float32", "rgcn-mean-float64")
FOUND = 9  # exit status where the tool found something
REFUSED = r"Program hit CUDA_ERROR_NO_BINARY_FOR_GPU .* on CUDA API call to cuModuleLoadData"
DONE = "all graphs done"
SMALL = ("awkward", "dense", "loop", "edgeless")


def find() -> str | None:
    """The tool: of the bundle, of the CUDA Toolkit, or in PATH."""
    roots = [layout.ROOT / "compute-sanitizer"]
    roots += [Path(os.environ[name]) / "bin" for name in ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH") if name in os.environ]
    found = [root / "compute-sanitizer" for root in (*roots, Path("/usr/local/cuda/bin"))]
    return next((str(path) for path in found if path.exists()), shutil.which("compute-sanitizer"))


def plan(options: argparse.Namespace) -> list[Unit]:
    if not options.device.startswith("cuda"):
        return []
    return [{"part": "sanitizer", "group": tool, "name": f"{tool}-{model}", "tool": tool, "model": model}
            for tool in TOOLS for model in MODELS if (layout.CASES / f"{model}.rgnn").exists()]  # fmt: skip


def measure(unit: Unit, device: torch.device) -> dict:
    program = find()
    if not program:
        raise Absent("compute-sanitizer is neither in the CUDA Toolkit (CUDA_ROOT) nor in PATH")
    command = [program, "--tool", unit["tool"], "--error-exitcode", str(FOUND), sys.executable, __file__, unit["model"],
               str(device)]  # fmt: skip
    # PyTorch's allocator would hand out parts of large blocks, beyond whose ends is other memory.
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    return {"status": judge(done.returncode, done.stdout, done.stderr), "log": (done.stdout + done.stderr)[-4000:]}


def judge(code: int, out: str, errors: str) -> str:
    """ "ok" only where the program ran to its end and the tool says that it found nothing.

    A module has code for several GPUs, and the driver is asked for the newest first. Its answer that there is none for
    this GPU is an error to the tool, and no finding.
    """
    found = re.findall(r"^=+ (?!COMPUTE-SANITIZER)(\S.*)$", out, re.MULTILINE)
    summary = next((line for line in found if "SUMMARY" in line), None)
    if code == 0 and summary and re.search(r"SUMMARY: 0 (errors|hazards)", summary):
        return "ok"
    refused = len(re.findall(f"^=+ {REFUSED}", out, re.MULTILINE))
    if code == FOUND and DONE in out and refused and summary == f"ERROR SUMMARY: {refused} errors":
        return "ok"
    last = (errors.strip().splitlines() or ["no message"])[-1]
    return f"wrong: {found[0] if found and summary else f'exit {code}: {last}'}"


def main() -> None:
    layout.use_packages()
    from correctness import load, on, run
    from process import chosen_device

    device = chosen_device(sys.argv[2])
    model, case = load(sys.argv[1], device)
    for graph in case["graphs"]:
        if graph["graph"] in SMALL:
            run(model, on(graph["args"], device), on(graph["factors"], device))
    if device.type == "cuda":
        torch.cuda.synchronize()
    print(DONE)


if __name__ == "__main__":
    main()
