"""What is named on the command line: functions that make models and inputs, and files to write."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any


class WrongInputError(ValueError):
    """What is asked for cannot be; it says why."""


def make_model(place: str) -> tuple[Any, tuple, dict[str, Any]]:
    """The model that the function at a place gives, and what to call it with, by position and by name."""
    given = call(place)
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not callable(given[0]):
        raise WrongInputError(f"expected '{place}' to return (model, inputs), got {describe(given)}")
    return given[0], *arguments_of(place, given[1])


def check_writable(path: Path, name: str = "--out") -> None:
    """To be asked before a model is compiled for minutes."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise WrongInputError(f"{name}: expected a folder '{folder}', got none")
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise WrongInputError(f"{name}: expected a file that can be written, got '{path}'")


def call(place: str) -> Any:
    """What the function at ``FILE.py:FUNCTION`` returns."""
    function = _find(place)
    return _run(place, function)


def _run(place: str, run: Callable[[], Any]) -> Any:
    """Runs the user's code, whose errors are shown whole."""
    try:
        return run()
    except Exception as error:
        traceback.print_exception(error)
        raise WrongInputError(f"'{place}' raised {type(error).__name__}") from error


def _find(place: str) -> Callable[[], Any]:
    name, _, function = place.rpartition(":")
    if not name or not function.isidentifier():
        raise WrongInputError(f"expected FILE.py:FUNCTION or MODULE:FUNCTION, got '{place}'")
    if name.endswith(".py") or os.sep in name:
        path = Path(name)
        if not path.is_file():
            raise WrongInputError(f"expected a Python file at '{path}', got none")
        module = _run(name, lambda: _load(path))
    else:
        sys.path.insert(0, os.getcwd())
        if _spec_of(name) is None:
            raise WrongInputError(f"expected a module '{name}' or a file '{name}.py', got none by that name")
        module = _run(name, lambda: importlib.import_module(name))
    found = getattr(module, function, None)
    if found is None:
        raise WrongInputError(f"expected a function '{function}' in '{name}', which has none by that name")
    if not callable(found):
        raise WrongInputError(f"expected a function '{function}' in '{name}', got {describe(found)}")
    return found


def _spec_of(name: str) -> Any:
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None


def _load(path: Path) -> Any:
    """Runs a file as a module, which finds others beside it, as a program does."""
    sys.path.insert(0, str(path.resolve().parent))
    name = f"explained_{path.stem}"  # no other module has it
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise WrongInputError(f"expected a Python file, got '{path}'")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments_of(place: str, inputs: Any) -> tuple[tuple, dict[str, Any]]:
    if isinstance(inputs, (tuple, list)):
        return tuple(inputs), {}
    if isinstance(inputs, dict) and all(isinstance(name, str) and name.isidentifier() for name in inputs):
        return (), inputs
    raise WrongInputError(f"expected '{place}' to give inputs as a tuple, a list, or a dictionary by names of "
                          f"arguments, got {describe(inputs)}")  # fmt: skip


def describe(value: Any) -> str:
    size = f" of {len(value)}" if isinstance(value, (tuple, list)) else ""
    return f"{type(value).__name__}{size}"
