"""Writes what a model is compiled to, and why, as one page.

    python -m rgnn.explain model.py:make_model              # make_model() gives (model, inputs)
    python -m rgnn.explain package.model:make_model --out page.html
    python -m rgnn.explain net.rgnn                         # a file that compiled.save wrote
    python -m rgnn.explain net.rgnn --inputs model.py:make_inputs

Inputs are a tuple or list of what the model is called with, or a dictionary of what it is called with by name. Of a
saved module, times are measured where there are inputs.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._errors import RGNNError

if TYPE_CHECKING:
    from .._explain.report import Report


class WrongInputError(Exception):
    """What is asked for cannot be; it says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m rgnn.explain", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("model", help="FILE.py:FUNCTION, MODULE:FUNCTION, or a saved module")
    parser.add_argument("--out", type=Path, default=Path("explain.html"), help="the page (%(default)s)")
    parser.add_argument("--inputs", metavar="FILE.py:FUNCTION", help="a function that gives inputs of a saved module")
    parser.add_argument("--target", help="cpu, cuda or a chip such as sm_90")
    parser.add_argument("--no-times", action="store_true", help="do not measure times")
    options = parser.parse_args(arguments)
    try:
        _check_writable(options.out)
        report = _explain(options)
        report.html(options.out)
    except (WrongInputError, RGNNError, ImportError, OSError, ValueError) as error:
        print(f"python -m rgnn.explain: {error}", file=sys.stderr)
        return 1
    print(f"{str(report).splitlines()[0]}; written to {options.out}")
    return 0


def _explain(options: argparse.Namespace) -> Report:
    if ":" not in options.model:
        return _explain_saved(options)
    if options.inputs:
        raise WrongInputError(f"--inputs is for a saved module: '{options.model}' gives its own")
    given = _call(options.model)
    if not isinstance(given, (tuple, list)) or len(given) != 2 or not callable(given[0]):
        raise WrongInputError(f"expected '{options.model}' to return (model, inputs), got {_describe(given)}")
    args, keywords = _arguments(options.model, given[1])
    from .._explain import explain

    return explain(given[0], *args, target=options.target, measure=not options.no_times, **keywords)


def _explain_saved(options: argparse.Namespace) -> Report:
    path = Path(options.model)
    if not path.is_file():
        raise WrongInputError(f"expected FILE.py:FUNCTION or a saved module, got '{path}', which is no file")
    if path.suffix == ".py":
        raise WrongInputError(f"expected '{path}:FUNCTION', with a function that returns (model, inputs), got no name")
    if options.target not in (None, "cpu"):
        raise WrongInputError(f"--target: expected cpu for a saved module, got '{options.target}'")
    args, keywords = _arguments(options.inputs, _call(options.inputs)) if options.inputs else (None, None)
    from .._explain.saved import explain_saved

    return explain_saved(path, args, keywords, not options.no_times)


def _check_writable(path: Path) -> None:
    """Before a model is compiled for minutes."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise WrongInputError(f"--out: expected a folder '{folder}', got none")
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise WrongInputError(f"--out: expected a file that can be written, got '{path}'")


def _call(place: str) -> Any:
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
        raise WrongInputError(f"expected a function '{function}' in '{name}', got {_describe(found)}")
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


def _arguments(place: str, inputs: Any) -> tuple[tuple, dict[str, Any]]:
    if isinstance(inputs, (tuple, list)):
        return tuple(inputs), {}
    if isinstance(inputs, dict) and all(isinstance(name, str) and name.isidentifier() for name in inputs):
        return (), inputs
    raise WrongInputError(f"expected '{place}' to give inputs as a tuple, a list, or a dictionary by names of "
                          f"arguments, got {_describe(inputs)}")  # fmt: skip


def _describe(value: Any) -> str:
    size = f" of {len(value)}" if isinstance(value, (tuple, list)) else ""
    return f"{type(value).__name__}{size}"
