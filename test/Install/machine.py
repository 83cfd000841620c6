"""A Python environment on a machine that has nothing but Python; the programs beside this one run in it.

`python3 compile.py 2.13.0` makes the environment, installs the package and that PyTorch from `packages`, and runs
itself in it.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path


def install(environment: str, *packages: str) -> None:
    """Goes on in a new environment with these packages, if this isn't it already."""
    if sys.prefix.endswith(environment):
        return
    found = [name for name in ("clang", "gcc", "cc", "ld", "ld.lld", "llc", "mlir-opt") if shutil.which(name)]
    assert not found, f"expected a machine without a compiler and a linker, found {found}"
    assert not list(Path("/usr/lib").glob("llvm*")), "expected a machine without LLVM"
    start = time.monotonic()
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = Path(environment).resolve() / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--no-index", "--find-links", "packages"]
    subprocess.run([*pip, *packages], check=True)
    print(f"installed {', '.join(packages)} in {time.monotonic() - start:.0f} s", flush=True)
    os.execv(python, [python, *sys.argv])
