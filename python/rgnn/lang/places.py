"""Lines of users' code, for errors and for the compiler's messages."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import NoReturn

import torch

from .._errors import LanguageError

_OWN = tuple(os.path.join(os.path.dirname(path), "") for path in (__file__, torch.__file__))


@dataclass(frozen=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def text(self) -> str:
        """As MLIR writes it."""
        file = self.file.replace("\\", "\\\\").replace('"', '\\"')
        return f'loc("{file}":{self.line}:0)'


def here() -> Place:
    """The innermost line that runs and is neither this package's nor PyTorch's."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)


def refuse(text: str, place: Place | None = None) -> NoReturn:
    """Raises LanguageError for a line; by default the one that runs."""
    raise LanguageError(f"{place or here()}: {text}")
