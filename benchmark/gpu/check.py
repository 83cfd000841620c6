"""`make gpu-check`: makes the bundle, and runs it where there is a GPU.

    .venv/bin/python benchmark/gpu/check.py [folder] [options of run.py]

Where there is none, it says how to go on: the folder is all that a machine with a GPU, Python and PyTorch needs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import layout

HERE = Path(__file__).resolve().parent


def main(argv: list[str]) -> int:
    named = argv[:1] if argv and not argv[0].startswith("-") else []
    folder, options = Path(named[0] if named else layout.ROOT / "build" / "gpu-check"), argv[len(named) :]
    made = subprocess.run([sys.executable, HERE / "bundle.py", folder])
    if made.returncode:
        return made.returncode
    runner = folder / "benchmark" / "gpu" / "run.py"
    import torch

    if not torch.cuda.is_available():
        print(f"no GPU here: copy {folder} to a machine with one, and run there: python benchmark/gpu/run.py")
        return 0
    return subprocess.run([sys.executable, runner, *options]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
