"""Saved modules as Python modules."""

from __future__ import annotations

import keyword
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .info import inspect
from .load import load

_FILE = "model.rgnn"
_INIT = '''"""{name}, compiled by RGNN: ``model`` runs it, ``load()`` makes another, ``info`` says what it is."""

from pathlib import Path

from rgnn.importer import expose

expose(globals(), Path(__file__).with_name("{file}"))
'''


def write_package(folder: str | os.PathLike, name: str, save: Callable[[Path], None]) -> None:
    """Makes a package with a saved module in it.

    Raises:
        ValueError: the folder's name is no name of a Python module.
    """
    folder = Path(folder)
    if not folder.name.isidentifier() or keyword.iskeyword(folder.name):
        raise ValueError(f"folder: expected a name that Python can import, got {folder.name!r}")
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        save(folder / _FILE)
    except BaseException:
        if is_new:
            folder.rmdir()
        raise
    (folder / "__init__.py").write_text(_INIT.format(name=name, file=_FILE))


def expose(names: dict[str, Any], path: Path) -> None:
    """Gives a Python module, by its global names, what a saved module is used by.

    ``load(model=None)`` is :func:`rgnn.load`, ``model`` what it gave when first asked for, and ``info`` what
    :func:`rgnn.inspect` says.
    """

    def load_this(*, model: Any = None) -> Any:
        return load(path, model=model)

    def find(name: str) -> Any:
        makers = {"model": load_this, "info": lambda: inspect(path)}
        if name not in makers:
            raise AttributeError(f"module {names['__name__']!r} has no attribute {name!r}")
        value = names[name] = makers[name]()
        return value

    names.update(load=load_this, __getattr__=find, __all__=["info", "load", "model"])
    names["__dir__"] = lambda: sorted({*names, *names["__all__"]})
