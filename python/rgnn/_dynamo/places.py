"""Where in the user's code a node of a graph comes from."""

from __future__ import annotations

import re
from traceback import FrameSummary

from torch.fx import Node

from .._capture.serialize import short_path
from .._capture.surroundings import user_frame


def place_of(node: Node) -> tuple[str, int] | None:
    """File and line of the innermost code of a layer or of the user; None where it is not known."""
    found = re.findall(r'File "([^"\n]+)", line (\d+), in (\S+)', node.meta.get("stack_trace") or "")
    frame = user_frame([FrameSummary(file, int(line), name, lookup_line=False) for file, line, name in found])
    return None if frame is None else (short_path(frame.filename), frame.lineno)


def location_of(node: Node) -> str:
    """The same as ``file:line``; empty where it is not known."""
    place = place_of(node)
    return "" if place is None else f"{place[0]}:{place[1]}"
