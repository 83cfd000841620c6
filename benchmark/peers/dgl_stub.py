"""Lets `import dgl` (2.1) work beside a newer PyTorch: puts a stub where its graphbolt library would be loaded.

graphbolt is DGL's data loading; its shared library is built for one version of PyTorch. Nothing of the layers uses it.
"""

from __future__ import annotations

import importlib.machinery
import os
import sys
import types
from pathlib import Path


class _Stub(types.ModuleType):
    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def import_dgl():
    """DGL from ``build/peers`` (``$RGNN_PEERS``), where benchmark/install_peers.sh puts it.

    Raises:
        RuntimeError: it is not installed.
    """
    root = Path(__file__).resolve().parents[2]
    folder = os.environ.get("RGNN_PEERS") or str(root / "build" / "peers")
    if folder not in sys.path:
        sys.path.append(folder)  # last: what the environment has goes first
    stub = _Stub("dgl.graphbolt")
    stub.__path__ = []
    stub.__spec__ = importlib.machinery.ModuleSpec("dgl.graphbolt", None, is_package=True)
    sys.modules.setdefault("dgl.graphbolt", stub)
    os.environ.setdefault("DGLBACKEND", "pytorch")
    try:
        import dgl
        import dgl.nn.pytorch
    except ImportError as error:
        raise RuntimeError(f"DGL is not installed; run benchmark/install_peers.sh ({error})") from error
    return dgl
