"""Captures of one place in a model are bounded; what differs from call to call is named where they run out."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from types import CodeType
from typing import Any

import torch
from torch import Tensor, nn

from . import private
from .leading import MOST_CONSTANTS
from .text import short_names

MAX_VERSIONS = 16
"""Captures of one place in a model; calls that fit none of them run in PyTorch."""

MAX_FAILURES = 2
"""Calls in which TorchDynamo may fail on a place that PyTorch runs; later ones do not try to capture it."""

MANY_SETS = 3
"""Captures of one place for other types in each of them, at which a warning names the way to have one."""


def is_full(code: CodeType, backend: Any) -> bool:
    """Whether a place has as many captures as it may have, of the model that is called.

    Args:
        code: of the place.
        backend: what the captures are for.
    """
    return len(private.captures_of(code, backend)) >= MAX_VERSIONS


def describe_overflow(frame: Any, backend: Any) -> str:
    """Why a call fits no capture of its place, and what to do.

    Args:
        frame: the call, as TorchDynamo knows it.
        backend: what the captures are for.
    """
    checks = _failed_checks(frame, backend)
    causes = list(filter(None, (_cause(check, frame) for check in checks)))
    fix = ("make what differs from call to call a tensor or a number, or compile the part of the model that does not "
           "read it")  # fmt: skip
    if 2 * len(causes) > len(checks):
        fix = Counter(causes).most_common(1)[0][0]
    return (f"{_place(frame.f_code)} has been captured {len(checks)} times, as often as it may be, and calls that fit "
            f"no capture run in PyTorch: {commonest(checks)} does not hold now; {fix}")  # fmt: skip


def describe_sets(frame: Any, backend: Any) -> str:
    """What to do where a place is captured once for each set of types that calls have; empty where it is not.

    Args:
        frame, backend: as of :func:`describe_overflow`.
    """
    if len(private.captures_of(frame.f_code, backend)) < MANY_SETS:
        return ""
    causes = list(filter(None, (_cause(check, frame) for check in _failed_checks(frame, backend))))
    if len(causes) < MANY_SETS:
        return ""
    return (f"{_place(frame.f_code)} is compiled for the {len(causes) + 1}th time, each time for other types of nodes "
            f"and edges: {Counter(causes).most_common(1)[0][0]}")  # fmt: skip


def describe_sparse(frame: Any) -> str:
    """Which argument of a call, or of its module's tensors, is a sparse matrix; empty where none is."""
    found = {name: value for name, value in frame.f_locals.items() if isinstance(value, Tensor)}
    for name, value in frame.f_locals.items():
        if isinstance(value, nn.Module):
            held = dict(value.named_buffers()) | dict(value.named_parameters()) | vars(value)
            found |= {f"{name}.{key}": tensor for key, tensor in held.items() if isinstance(tensor, Tensor)}
    for name, tensor in found.items():
        if tensor.layout is not torch.strided:
            layout = str(tensor.layout).removeprefix("torch.")
            return (f"`{name}` is a matrix of layout {layout}; give its edges and weights, which are compiled, "
                    "as `edge_index` and `edge_weight`")  # fmt: skip
    return ""


def _place(code: CodeType) -> str:
    return f"{code.co_name} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"


def _failed_checks(frame: Any, backend: Any) -> list[str]:
    """Of each capture of a place, the check that a call fails, as TorchDynamo writes it."""
    return [private.guard_failure(entry.guard_manager, entry.code, frame.f_locals, entry.compile_id, backend, True)
            for entry in private.captures_of(frame.f_code, backend)]  # fmt: skip


def describe_leading(names: set[str]) -> list[str]:
    """What is to be said of sizes in front of rows that are symbols."""
    return [f"`{short_names(name)}`, a size in front of the rows, has had more than {MOST_CONSTANTS} values; calls "
            "with others run in PyTorch" for name in sorted(names)]  # fmt: skip


def _cause(reason: str, frame: Any) -> str | None:
    """What to do about a check that depends on which types a batch has; None for others."""
    check = _check_of(reason)
    keys = (re.search(r"___dict_contains\(.*, (.+)\)$", check) or re.match(r"list\(dict\.keys\((.+)\)\)\[", check)
            or re.match(r"len\((.+)\) [!=]= \d+$", check))  # fmt: skip
    if keys is not None and _is_dictionary(keys[1], frame):
        return (f"`{keys[1]}` has other keys than before; give the same keys in the same order in each call, with an "
                "empty list of edges, or no rows, for what a batch has none of")  # fmt: skip
    empty = re.match(r"\(?(?:\d+\*)?(.+)\.size\(\)\[\d+\]\)? [!=]= 0$", check)
    if empty is not None:
        asked = re.search(r"# (\S+:\d+) in (\w+)(?= \(|$)", reason)
        where = f" ({asked[1]}, in {asked[2]})" if asked else ""
        return (f"the model asks whether `{empty[1]}` is empty{where}; leave the question out where no rows or edges "
                "give the same, or call a layer that does not ask")  # fmt: skip
    return None


def _is_dictionary(name: str, frame: Any) -> bool:
    with contextlib.suppress(Exception):
        return isinstance(eval(name, {}, dict(frame.f_locals)), dict)
    return False


def commonest(reasons: list[str]) -> str:
    """The check that fails for most captures, in the user's terms; the newest of them, which come first.

    Args:
        reasons: TorchDynamo's lines, such as ``0/15: self._modules['inner'].name == 'n15'  # return x  # f.py:8 in f``.
    """
    checks = list(map(_check_of, reasons))
    subjects = [re.split(r" (?:==|!=|<=?|>=?|is|in|not) |\. expected ", check)[0] for check in checks]
    subject = Counter(subjects).most_common(1)[0][0]
    return f"`{checks[subjects.index(subject)]}`"


def _check_of(reason: str) -> str:
    return short_names(re.sub(r"^\S+/\S+: ", "", reason).split("  #")[0].strip())
