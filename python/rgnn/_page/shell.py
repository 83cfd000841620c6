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
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .._errors import RGNNError
from .named import WrongInputError, arguments_of, call, check_writable, make_model

if TYPE_CHECKING:
    from .._explain.report import Report


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
        check_writable(options.out)
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
    model, args, keywords = make_model(options.model)
    from .._explain import explain

    return explain(model, *args, target=options.target, measure=not options.no_times, **keywords)


def _explain_saved(options: argparse.Namespace) -> Report:
    path = Path(options.model)
    if not path.is_file():
        raise WrongInputError(f"expected FILE.py:FUNCTION or a saved module, got '{path}', which is no file")
    if path.suffix == ".py":
        raise WrongInputError(f"expected '{path}:FUNCTION', with a function that returns (model, inputs), got no name")
    if options.target not in (None, "cpu"):
        raise WrongInputError(f"--target: expected cpu for a saved module, got '{options.target}'")
    args, keywords = arguments_of(options.inputs, call(options.inputs)) if options.inputs else (None, None)
    from .._explain.saved import explain_saved

    return explain_saved(path, args, keywords, not options.no_times)
