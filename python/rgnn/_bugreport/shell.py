"""Writes what it takes to look into a fault of a model as one archive.

    python -m rgnn.bugreport model.py:make_model            # make_model() gives (model, inputs)
    python -m rgnn.bugreport package.model:make_model --out report.zip

Inputs are a tuple or list of what the model is called with, or a dictionary of what it is called with by name.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .._errors import RGNNError
from .._page.named import WrongInputError, make_model


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m rgnn.bugreport", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("model", help="FILE.py:FUNCTION or MODULE:FUNCTION")
    parser.add_argument("--out", type=Path, help="the archive (rgnn-bugreport-DATE.zip)")
    parser.add_argument("--target", help="cpu, cuda or a chip such as sm_90")
    parser.add_argument("--data", action="store_true", help="with the numbers of inputs, parameters and buffers")
    options = parser.parse_args(arguments)
    try:
        if ":" not in options.model:
            raise WrongInputError(f"expected FILE.py:FUNCTION or MODULE:FUNCTION, got '{options.model}'")
        model, args, keywords = make_model(options.model)
        from .report import write_report

        path = write_report(model, args, keywords, options.out, options.data, None, options.target)
    except (RGNNError, ImportError, OSError, TypeError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    print(path)
    return 0
