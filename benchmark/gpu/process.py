"""A process that measures a group of units, one after another: `process.py RESULTS DEVICE < units`, one as JSON a line.

What is measured is written at once. A unit that raises is a result, too; one that ends the process is run.py's to note.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import layout

layout.use_packages()

import torch  # noqa: E402
from store import Absent, Store  # noqa: E402


def measure(unit: dict, device: torch.device) -> dict:
    try:
        return importlib.import_module(unit["part"]).measure(unit, device)
    except Absent as reason:
        return {"status": f"absent: {reason}"}
    except Exception as error:  # goes into the table; the others go on
        lines = str(error).strip().splitlines() or [""]
        full = isinstance(error, (MemoryError, torch.OutOfMemoryError)) or "out of memory" in str(error)
        return {"status": "out of memory" if full else f"{type(error).__name__}: {lines[0]}"[:300]}


def chosen_device(name: str) -> torch.device:
    """A device with its number, which is now the current one."""
    device = torch.device(name)
    if device.type == "cuda":
        device = torch.device("cuda", device.index or 0)
        torch.cuda.set_device(device)
    return device


def main() -> None:
    store, device = Store(Path(sys.argv[1])), chosen_device(sys.argv[2])
    for line in sys.stdin:
        unit = json.loads(line)
        store.put(unit, measure(unit, device))


if __name__ == "__main__":
    main()
