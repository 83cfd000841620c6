"""Captures of one place in a model are bounded; what differs from call to call is named where they run out."""

from __future__ import annotations

import os
import re
from collections import Counter
from types import CodeType
from typing import Any

from . import private
from .text import short_names

MAX_VERSIONS = 16
"""Captures of one place in a model; calls that fit none of them run in PyTorch."""


def is_full(code: CodeType) -> bool:
    """Whether a place has as many captures as it may have, of the model that is called."""
    return len(private.captures_of(code, private.current_region())) >= MAX_VERSIONS


def describe_overflow(frame: Any, backend: Any) -> str:
    """Why a call fits no capture of its place, and what to do.

    Args:
        frame: the call, as TorchDynamo knows it.
        backend: what the captures are for.
    """
    code = frame.f_code
    reasons = [private.guard_failure(entry.guard_manager, entry.code, frame.f_locals, entry.compile_id, backend, True)
               for entry in private.captures_of(code, private.current_region())]  # fmt: skip
    place = f"{code.co_name} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})"
    return (f"{place} has been captured {len(reasons)} times, as often as it may be, and calls that fit no capture run "
            f"in PyTorch: {commonest(reasons)} does not hold now; make what differs from call to call a tensor or a "
            "number, or compile the part of the model that does not read it")  # fmt: skip


def commonest(reasons: list[str]) -> str:
    """The check that fails for most captures, in the user's terms; the newest of them, which come first.

    Args:
        reasons: TorchDynamo's lines, such as ``0/15: self._modules['inner'].name == 'n15'  # return x  # f.py:8 in f``.
    """
    checks = [short_names(re.sub(r"^\S+/\S+: ", "", reason).split("  #")[0].strip()) for reason in reasons]
    subjects = [re.split(r" (?:==|!=|<=?|>=?|is|in|not) |\. expected ", check)[0] for check in checks]
    subject = Counter(subjects).most_common(1)[0][0]
    return f"`{checks[subjects.index(subject)]}`"
