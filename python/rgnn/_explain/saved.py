"""What is in a saved module, explained with the compiler."""

from __future__ import annotations

import os
import zipfile
from typing import Any

from _rgnn import compile as compile_text
from _rgnn import run_pipeline

from .._compiler import discard_temporary, list_left_out
from .._errors import LoadError
from .._options import Options
from .._profile import profile
from .._saved.info import inspect
from .._saved.load import load
from .._target import CPU
from .explain import add_levels
from .report import Compilation, Report, add_forward, decisions


def explain_saved(path: str | os.PathLike, inputs: tuple | None = None, keywords: dict[str, Any] | None = None,
                  measure: bool = True) -> Report:  # fmt: skip
    """What this compiler makes of the functions in a file, with default options: the file does not say with which it
    was compiled. There is no text that was captured, and sizes of graphs and of memory are not known.

    Args:
        path: the file.
        inputs, keywords: what the model is called with, for times of the code that is in the file; None for no times.
        measure: whether there are times, where there are inputs.

    Raises:
        LoadError: the file is no saved module, is damaged, or is for another version.
        FileNotFoundError: there is no such file.
        CompileError: a :class:`ValueError`: this compiler refuses what an earlier one wrote.
    """
    info, options = inspect(path), Options()
    report = Report(name=info.name, versions=[f"saved call: {call}" for call in info.calls])
    report.fallbacks = [(operator, "no kernel computes it", where) for operator, where in info.fallbacks]
    left_out = list_left_out(options, CPU)
    texts = _read_texts(path, info.manifest)

    def compilation(number: int, half: str, trains: bool, remarks: Any) -> Compilation:
        text = run_pipeline(texts[number], "")
        return Compilation(half, trains, text, options.pipeline(), False, None, decisions(remarks, half))

    for region in info.manifest["regions"]:
        number = region["function"]
        report.add_text("rgnn", run_pipeline(texts[number], ""))
        made = add_levels(report, texts[number], options)
        add_forward(report, compilation(number, "forward", False, made["remarks"]), left_out)
        for training in region["trainings"]:
            for half in ("forward", "backward"):
                if (number := training[half]) is not None:
                    made = compile_text(texts[number], options.pipeline(), False, True)
                    discard_temporary(made)
                    report.compilations.append(compilation(number, half, True, made["remarks"]))
                    report.add(report.compilations[-1].decisions)
                    report.add_text(half, report.compilations[-1].text)
    if inputs is not None and measure:
        report.profile = profile(load(path), *inputs, **(keywords or {}))
    return report


def _read_texts(path: str | os.PathLike, manifest: dict) -> list[bytes]:
    """The bytecode of each function."""
    try:
        with zipfile.ZipFile(path) as archive:
            return [archive.read(function["ir"]) for function in manifest["functions"]]
    except (KeyError, zipfile.BadZipFile) as error:
        raise LoadError(f"'{os.fspath(path)}': expected the text of each function: {error}") from error
