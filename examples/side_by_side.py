"""What the examples share: the same work with PyG and with RGNN, each in a process of its own, and measured.

Times hold what a user waits for. Memory is the peak of the process (VmHWM) from :func:`reset_peak` on, which the
examples call after imports, loading and construction of the model: compilation counts.
"""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import sys
import threading
import time
import warnings
from pathlib import Path

import rgnn

SIDES = {"pyg": "PyG", "rgnn": "RGNN"}
SERVER = multiprocessing.get_context("forkserver")  # imports PyTorch and PyG once, for all measurements


def for_side(side: str, model):
    """The model as this side runs it; a part that RGNN would leave to PyTorch is an error."""
    return rgnn.compile(model, fullgraph=True) if side == "rgnn" else model


def reset_peak() -> None:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")


def peak_mib() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024


def _answer(connection, function, arguments: tuple) -> None:
    warnings.filterwarnings("ignore")
    try:
        connection.send(function(*arguments))
    except Exception as error:
        connection.send({"error": (str(error).strip().splitlines() or [type(error).__name__])[0]})


def isolated(function, *arguments) -> dict:
    """The dict that a function of a module returns in a new process, or ``{"error": reason}``."""
    SERVER.set_forkserver_preload(["torch", "torch_geometric.nn"])
    ours, theirs = SERVER.Pipe()
    process = SERVER.Process(target=_answer, args=(theirs, function, arguments))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        process.join()
        return {"error": f"process died ({process.exitcode})"}
    finally:
        process.join()


class Progress:
    """A bar that moves while something runs on a terminal, one line per finished step elsewhere."""

    def __init__(self, steps: int):
        self.steps, self.done, self.live = steps, 0, sys.stdout.isatty()

    def run(self, text: str, function, *arguments) -> dict:
        """``isolated(function, *arguments)`` as the next step."""
        start, finished = time.monotonic(), threading.Event()

        def draw():
            while not finished.wait(0.2):
                bar = "#" * self.done + "." * (self.steps - self.done)
                sys.stdout.write(f"\r\033[K[{bar}] {text} ... {time.monotonic() - start:.0f} s")
                sys.stdout.flush()

        thread = threading.Thread(target=draw, daemon=True)
        if self.live:
            thread.start()
        try:
            return isolated(function, *arguments)
        finally:
            finished.set()
            self.done += 1
            if self.live:
                thread.join()
                sys.stdout.write("\r\033[K")
            else:
                print(f"[{self.done}/{self.steps}] {text}: {time.monotonic() - start:.1f} s", flush=True)


def table(lines: list[list[str]], left: int) -> str:
    """Aligned columns under the first line, the header; the first `left` columns are text."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = []
    for line in lines:
        cells = [cell.ljust(width) if i < left else cell.rjust(width)
                 for i, (cell, width) in enumerate(zip(line, widths, strict=True))]  # fmt: skip
        text.append("  ".join(cells).rstrip())
    return "\n".join([text[0], "-" * len(text[0]), *text[1:]])


def speed_up(results: dict[str, dict], key: str) -> str:
    """How many times faster RGNN is by ``results[side][key]``, in seconds."""
    times = [results[side].get(key) for side in SIDES]
    return f"{times[0] / times[1]:.1f}x" if all(times) else ""
