"""Where in the user's code a node of a graph comes from."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from traceback import FrameSummary

import torch
import torch_geometric
from torch.fx import Node

from . import layers, overrides


def place_of(node: Node) -> tuple[str, int] | None:
    """File and line of the innermost code of a layer or of the user; None where it is not known."""
    found = re.findall(r'File "([^"\n]+)", line (\d+), in (\S+)', node.meta.get("stack_trace") or "")
    place = place_of_frames([FrameSummary(file, int(line), name, lookup_line=False) for file, line, name in found])
    if place is None and isinstance(node.meta.get("val"), torch.SymInt) and node.users:
        return place_of(next(iter(node.users)))
    return place


def place_of_frames(frames: Sequence[FrameSummary]) -> tuple[str, int] | None:
    """The same for a stack, outermost frame first."""
    frame = _user_frame(frames)
    return None if frame is None else (short_path(frame.filename), frame.lineno)


def location_of(node: Node) -> str:
    """The same as ``file:line``; empty where it is not known."""
    place = place_of(node)
    return "" if place is None else f"{place[0]}:{place[1]}"


def short_path(path: str) -> str:
    """``path`` relative to the import path it was found on, as in an import statement."""
    best = path
    for root in sys.path:
        prefix = os.path.join(os.path.abspath(root or "."), "")
        if path.startswith(prefix) and len(path) - len(prefix) < len(best):
            best = path[len(prefix) :]
    return best


_TORCH = os.path.join(os.path.dirname(torch.__file__), "")
# What stands for a call of the user's code, as the rules of sparse matrices do.
_STANDS_IN = tuple(os.path.join(os.path.dirname(os.path.dirname(overrides.__file__)), name, "")
                   for name in ("_capture", "_sparse", "_dynamo"))  # fmt: skip
_GENERATED = ("<frozen", "<string>", "<eval_with_key")
_PYG = os.path.join(os.path.dirname(torch_geometric.__file__), "")
# The machinery of message passing says less than the layer that calls it; so does all that is no layer.
_PYG_LAYERS = _PYG + "nn/", _PYG + "contrib/"
_PYG_MACHINERY = tuple(_PYG + part for part in ("nn/conv/message_passing.py", "nn/aggr/", "nn/dense/"))


# The same of rgnn.dgl, whose layers are under nn.
_DGL = os.path.join(os.path.dirname(os.path.dirname(overrides.__file__)), "dgl", "")
_DGL_LAYERS, _DGL_MACHINERY = _DGL + "nn/", _DGL + "nn/pytorch/conv/passing.py"


def _user_frame(frames: Sequence[FrameSummary]) -> FrameSummary | None:
    """The innermost frame of a layer or of the user's code, else of other framework code."""
    fallback = None
    for frame in reversed(frames):
        if frame.filename.startswith((_TORCH, *_GENERATED)) or _is_generated(frame):
            continue
        if frame.filename in (overrides.__file__, layers.__file__):
            place = overrides.stock_location(frame.name)
            if place is None:
                continue
            frame = FrameSummary(*place, frame.name, lookup_line=False)
        elif frame.filename.startswith(_STANDS_IN):
            continue
        if not _is_machinery(frame.filename):
            return frame
        fallback = fallback or frame
    return fallback


def _is_machinery(path: str) -> bool:
    """Whether a file is one of PyG's, or of rgnn.dgl, that layers and models are made of."""
    if path.startswith(_DGL):
        return path == _DGL_MACHINERY or not path.startswith(_DGL_LAYERS)
    return path.startswith(_PYG) and (not path.startswith(_PYG_LAYERS) or path.startswith(_PYG_MACHINERY))


def _is_generated(frame: FrameSummary) -> bool:
    """Whether the frame is in code that PyG writes to a file of a random name, which no two processes share."""
    name = os.path.basename(frame.filename)[: -len("_xxxxxxxx.py")]  # it imports the file under the rest of its name
    return getattr(sys.modules.get(name), "__file__", None) == frame.filename
