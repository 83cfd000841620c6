"""Makes ``import rgat`` find ``rgat.rgnn`` on the path of Python's modules.

>>> import rgnn.importer
>>> import rgat
>>> out = rgat.model(x, edge_index, edge_type)

The module has ``model``, which is loaded when first asked for; ``load(model=None)``, which is :func:`rgnn.load`; and
``info``, what :func:`rgnn.inspect` says. So do packages that ``compiled.export`` wrote, which need no such import.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from ._saved.package import expose


class Finder(MetaPathFinder):
    """Finds ``NAME.rgnn`` in the folders where Python looks for ``NAME``, after all else."""

    @classmethod
    def find_spec(cls, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        for folder in sys.path if path is None else path:
            file = Path(folder or ".", f"{name.rpartition('.')[2]}.rgnn")
            if file.is_file():
                spec = ModuleSpec(name, _Loader(), origin=str(file.resolve()))
                spec.has_location = True
                return spec
        return None


class _Loader(Loader):
    def exec_module(self, module: ModuleType) -> None:
        module.__doc__ = "A saved module: model, load and info."
        expose(vars(module), Path(module.__spec__.origin))


if Finder not in sys.meta_path:
    sys.meta_path.append(Finder)

__all__ = ["Finder", "expose"]
