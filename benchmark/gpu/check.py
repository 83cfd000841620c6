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
    wheel = max((layout.ROOT / "dist").glob("rgnn_runtime-*.whl"), key=lambda path: path.stat().st_mtime, default=None)
    made = subprocess.run([sys.executable, HERE / "bundle.py", folder, *(["--wheel", wheel] if wheel else [])])
    if made.returncode:
        return made.returncode
    runner = folder / "benchmark" / "gpu" / "run.py"
    import torch

    if not torch.cuda.is_available():
        print(f"no GPU here: unpack {folder}.tar.xz on a machine with one, and run in it: python benchmark/gpu/run.py")
        return 0
    return subprocess.run([sys.executable, runner, *options]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
