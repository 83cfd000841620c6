"""What can go wrong, by name."""

from __future__ import annotations

import functools

import _rgnn_runtime
from _rgnn_runtime import InputError

from . import _version

_version.check(_rgnn_runtime)  # here, as all of the package imports this first


class RGNNError(RuntimeError):
    """Base of RGNN's errors, but for :class:`InputError`, which is a ValueError."""


class CompileError(RGNNError):
    """The compiler refused the options, or failed on a model that it had taken on."""


class LanguageError(CompileError):
    """A function of :func:`rgnn.function` has what its language has not; the text says where, and what to write."""


class FallbackError(RGNNError):
    """With ``fullgraph=True``: a part of the model would run in PyTorch."""


class LoadError(RGNNError):
    """A file is no saved module, is damaged, or is for another machine or version; the text says what was expected."""


class TrainingError(RGNNError):
    """A gradient was asked for that compiled code does not compute; the text says why."""


class VerificationError(RGNNError):
    """With ``verify``: compiled code differs from PyTorch; the text says in what, and where the report is."""


def joined(refusal: InputError, error: Exception) -> InputError:
    """A refusal that is an error of PyTorch's class as well, and says what PyTorch says: who expects that meets it.

    One that is joined already, is joined anew.
    """
    refusal = getattr(refusal, "refusal", refusal)
    made = _joined_class(type(error))(f"{refusal} (PyTorch: {first_line(error)})")
    made.refusal = refusal
    return made


@functools.cache
def _joined_class(kind: type[Exception]) -> type[InputError]:
    if issubclass(InputError, kind):
        return InputError
    members = {"__module__": "rgnn", "__reduce__": lambda self: (InputError, self.args)}
    try:
        return type("InputError", (InputError, kind), members)
    except TypeError:  # classes of different layouts
        return InputError


def first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]


__all__ = ["CompileError", "FallbackError", "InputError", "LanguageError", "LoadError", "RGNNError",
           "TrainingError", "VerificationError", "first_line", "joined"]  # fmt: skip
