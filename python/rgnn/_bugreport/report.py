"""rgnn.bugreport: what it takes to look into a fault of a model, as one file."""

from __future__ import annotations

import datetime
import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import torch
from torch import Tensor

from .._options import Options
from .._page.named import check_writable
from .._saved.load import LoadedModule
from .._target import check_target
from .._trial import Subject, subject_of, why_in_pytorch
from .._verify.compare import flatten
from .facts import describe_degrees, describe_surroundings, describe_types, describe_values
from .regions import Texts
from .runs import ReportingTrial, Runs, run_both
from .words import describe_error, fenced, listed, without_paths

_MOST_BYTES = 64 << 20  # of text, which takes about a tenth of it in an archive


def bugreport(model: Any, *inputs: Any, path: str | os.PathLike | None = None, data: bool = False,
              options: Options | None = None, target: str | None = None, **keywords: Any) -> str:  # fmt: skip
    """Writes one archive with what it takes to reproduce and mend a fault. The model stays as it was.

    Args:
        model: a module or function, compiled or not. It may raise, and the compiler may.
        inputs: what it is called with.
        path: the file, a zip; one of this name is replaced. None: ``rgnn-bugreport-DATE.zip`` in the working directory.
        data: whether the numbers of the inputs, parameters and buffers are written, too. False: none of them; only
            shapes, dtypes, and how many nodes have how many edges. The text of an error stands as it is, with the
            line of the model that it was raised at, and no folder's name.
        options: as in :func:`rgnn.compile`; by default those that a compiled model has.
        target: as in :func:`rgnn.explain`.
        keywords: what the model is called with by name. What it calls ``path``, ``data``, ``options`` or ``target``
            is to be given by position.

    Returns:
        The path of the file. Its ``report.md`` says what compiled code and PyTorch give, with errors, the largest
        differences of results and gradients, and what PyTorch runs; and has commands for ``rgnn-opt`` and
        ``rgnn-translate`` that show a fault of the compiler from the texts beside it, which are those of each version,
        region and level. Graphs are made up by the commands: small ones, with as many types. Texts have 64 MB at most
        before they are compressed; what is left out is named.

    Raises:
        TypeError: ``model`` is no module or function, or ``data`` neither True nor False.
        ValueError: ``path`` is no file that can be written, or an unknown target.
    """
    return write_report(model, inputs, keywords, path, data, options, target)


def write_report(model: Any, inputs: tuple, keywords: dict[str, Any], path: str | os.PathLike | None, data: bool,
                 options: Options | None, target: str | None) -> str:  # fmt: skip
    """The same, with arguments of the model apart."""
    if not callable(model):
        raise TypeError(f"model: expected a module or a function, got {type(model).__name__}")
    if isinstance(model, LoadedModule):
        raise TypeError("model: expected the model that was saved, got a module that rgnn.load gave")
    if not isinstance(data, bool):
        raise TypeError(f"data: expected True or False, got {type(data).__name__}; give a model's 'data' by position")
    check_target(target)
    now = datetime.datetime.now()
    path = Path(path if path is not None else f"rgnn-bugreport-{now:%Y-%m-%d-%H%M%S}.zip")
    check_writable(path, "path")
    subject = subject_of(model, (inputs, keywords), options, target)
    is_module = isinstance(model, torch.nn.Module)
    name = type(subject.model).__name__ if is_module else getattr(model, "__name__", "function")
    writer = _Writer(subject, inputs, keywords, data)
    writer.look(subject.runner.target if subject.runner and target is None else target)
    files = writer.files(f"# RGNN: a report of {name}, {now:%Y-%m-%d}")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, content in files.items():
            archive.writestr(entry, content)
    return os.fspath(path)


class _Writer:
    """Collects what a report says; what cannot be found out is no reason not to write the rest."""

    def __init__(self, subject: Subject, inputs: tuple, keywords: dict[str, Any], data: bool):
        self._subject, self._inputs, self._keywords, self._data = subject, inputs, keywords, data
        self._arguments = [(f"argument {name}", value) for name, value in (*enumerate(inputs), *keywords.items())]
        self._held = [*subject.model.named_parameters(), *subject.model.named_buffers()]
        self._texts = Texts(subject.options, subject.target)
        self._runs = Runs()
        self._fallbacks: list[tuple[str, str, str]] = []
        self._failures: list[str] = []  # of the compiler in Python
        self._own: list[str] = []  # of the report
        self._versions: list[str] = []
        self._graphs: list[str] = []
        self._values: list[str] = []

    def look(self, target: str | None) -> None:
        if reason := why_in_pytorch(self._subject.model):
            self._fallbacks.append(("", reason, ""))
        else:
            self._attempt(self._try)
        self._attempt(self._run, target)
        for name, value in self._arguments:
            self._attempt(lambda name, value: self._graphs.extend(describe_degrees(value, name)), name, value)
        for name, value in (*self._arguments, *self._held):
            self._attempt(lambda name, value: self._values.extend(describe_values(value, name)), name, value)

    def _attempt(self, step: Callable[..., None], *arguments: Any) -> None:
        try:
            step(*arguments)
        except Exception as error:
            self._own.append(describe_error(error))

    def _run(self, target: str | None) -> None:
        self._runs = run_both(self._subject, target, self._inputs, self._keywords)

    def _try(self) -> None:
        trial = ReportingTrial(self._subject)
        trial.run_quietly(self._inputs, self._keywords)
        self._fallbacks += trial.fallbacks
        self._failures += trial.backend.failures
        for number, code in enumerate(trial.backend.captured):
            self._texts.files[f"graph_{number}.txt"] = without_paths(code)
        for number, version in enumerate(trial.versions):
            self._versions.append(f"version {number}: {version}")
            for place, (text, region) in enumerate(zip(version.texts, version.regions)):
                numbers = [at for at, tensor in enumerate(region.seen or ()) if tensor.requires_grad]
                wanted = numbers if region.training is not None else []
                self._attempt(self._texts.add_region, f"version_{number}/region_{place}", text, wanted)
                self._attempt(lambda region: self._graphs.extend(describe_types(region)), region)
            for place, text in enumerate(dict.fromkeys(version.refused)):
                self._attempt(self._texts.add_region, f"version_{number}/refused_{place}", text, None)
        if self._subject.runner is not None:
            self._versions += [f"made before, {number}: {version}"
                               for number, version in enumerate(self._subject.runner.versions)]  # fmt: skip

    def files(self, title: str) -> dict[str, str | bytes]:
        """All files of the archive."""
        files: dict[str, str | bytes] = {}
        left_out, size = [], 0
        for name, text in (*self._texts.files.items(), *self._texts.lower.items()):
            size += len(text)
            if size <= _MOST_BYTES:
                files[name] = text
            else:
                size -= len(text)
                left_out.append(f"{name} ({len(text):,} bytes)")
        if self._data:
            tensors = {place: part for name, value in self._arguments for place, part in flatten(value, name)
                       if isinstance(part, Tensor)}  # fmt: skip
            self._attempt(lambda: files.update({"inputs.npz": _npz(tensors)}))
            self._attempt(lambda: files.update({"parameters.npz": _npz(dict(self._held))}))
        listing = [*files, *(f"left out, too large: {name}" for name in left_out)]
        return {"report.md": self._write(title, listing), **files}

    def _write(self, title: str, listing: list[str]) -> str:
        reasons = [f"{where or 'unknown line'}: {op or 'the model'}: {reason}" for op, reason, where in self._fallbacks]
        commands = [f"{command.line}  # {without_paths(command.expected)}" for command in self._texts.commands]
        parts = [
            title, "## What happened", *self._what_happened(),
            "## Commands", "To be run in this folder, with the tools of the same version. Graphs are made up, with "
            "numbers, by the seed. An error of the `rgnn interpreter` is one of these arguments. Where all is as it "
            "says behind the commands, the fault is in what is captured, in the lift of it, or around the kernels.",
            fenced("\n".join(commands), "sh") if commands else "none: nothing was given to the compiler",
            "## In PyTorch", listed(reasons), "## Versions", listed(self._versions),
            "## Passes", listed(self._texts.decisions),
            "## Differences", "The largest one, as a share of the largest value.",
            listed([f"{name}: {share:.3g}" for name, share in self._runs.shares.items()]),
            "## Graphs", listed(self._graphs), "## Arguments, parameters and buffers", listed(self._values),
            "## Settings", listed([f"{self._subject.options}", f"{self._subject.target}", *describe_surroundings()]),
            "## Files", listed(listing),
        ]  # fmt: skip
        return "\n\n".join(parts) + "\n"

    def _what_happened(self) -> list[str]:
        runs, found = self._runs, []
        if runs.error:
            found += ["The model raises in PyTorch:", fenced(runs.error)]
        if runs.compiled_error and not runs.error:
            found += ["Compiled, the model raises, and in PyTorch it does not:", fenced(runs.compiled_error)]
        elif runs.differences:
            found += ["Compiled code differs from PyTorch, beyond rounding:", listed(self._describe(runs.differences))]
        if self._texts.refusals:
            found += ["The compiler refuses:", listed(self._texts.refusals)]
        if self._failures:
            found += ["A graph was left to PyTorch:", *map(fenced, self._failures)]
        if self._own:
            found += ["This report is not complete:", *map(fenced, self._own)]
        told = "The model runs as in PyTorch" + (", which runs parts of it." if self._fallbacks else ".")
        return found or [told]

    def _describe(self, differences: list[str]) -> list[str]:
        """Without data, only what differs, and not how."""
        return differences if self._data else [difference.partition(": ")[0] for difference in differences]


def _npz(tensors: dict[str, Tensor]) -> bytes:
    arrays = {}
    for name, tensor in tensors.items():
        value = tensor.detach().cpu()
        value = value.to_dense() if value.layout is not torch.strided else value
        arrays[name] = (value.float() if value.dtype is torch.bfloat16 else value).numpy()
    file = io.BytesIO()
    numpy.savez(file, **arrays)
    return file.getvalue()
