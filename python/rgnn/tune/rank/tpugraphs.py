"""Files of the layout that TpuGraphs has published (arXiv:2308.13490): one module with its configurations each.

Both collections have ``node_feat`` ``[N, 140]``, ``node_opcode`` ``[N]``, ``edge_index`` ``[E, 2]`` and
``config_runtime`` ``[C]``. A layout collection has ``node_config_feat`` ``[C, K, 18]`` and ``node_config_ids`` ``[K]``;
a tile collection has ``config_feat`` ``[C, 24]`` and ``config_runtime_normalizers`` ``[C]``. Other widths are read.
``node_splits``, which says where large graphs may be cut, is written and not read: pruned graphs are small. Files of
RGNN's own say by ``node_feat_padding`` that their nodes' layouts are padded by -1, not 0.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from .graphs import ModuleConfigurations, ModuleGraph, NodeConfigurations
from .packing import LEAST
from .prepare import deduplicate as keep_one_of_equals
from .prepare import pad_permutations

LAYOUTS = 6
"""So many of a node's last features are the order of its dimensions, ``layout_minor_to_major_*``."""

_BOTH = {"node_feat": "NF", "node_opcode": "N", "edge_index": "E2", "config_runtime": "C"}
_KEYS = {"layout": {**_BOTH, "node_config_feat": "CKD", "node_config_ids": "K"},
         "tile": {**_BOTH, "config_feat": "CD", "config_runtime_normalizers": "C"}}  # fmt: skip
_INTEGERS = ("node_opcode", "edge_index", "node_config_ids")
_WHAT = {"N": "nodes", "C": "configurations", "K": "configurable nodes", "D": "features of configurations"}
_TELLING = {"node_config_feat": "layout", "config_feat": "tile"}


def find(places: Sequence[str | Path]) -> list[Path]:
    """The files among ``places`` and in the folders among them, in order of their names.

    Raises:
        ValueError: there is none, or a place is neither a file nor a folder.
    """
    found: list[Path] = []
    for place in map(Path, places):
        if not place.exists():
            raise ValueError(f"expected a file or folder, got {place}, which is not there")
        found += sorted(place.rglob("*.npz")) if place.is_dir() else [place]
    if not found:
        raise ValueError(f"expected .npz files, got none in {', '.join(map(str, places))}")
    return found


def read(path: str | Path, *, deduplicate: bool = True) -> ModuleGraph:
    """Reads a module; its name is the file's.

    Args:
        path: a file of either collection.
        deduplicate: of configurations that are equal, keep the one with the least time alone.

    Raises:
        ValueError: the file is none of this layout; the message says what was expected, and what came.
    """
    arrays = _load(Path(path))
    kinds = [kind for key, kind in _TELLING.items() if key in arrays]
    if len(kinds) != 1:
        raise ValueError(f"{path}: expected one of {' and '.join(_TELLING)}, got {_listed(arrays)}")
    _check(str(path), arrays, _KEYS[kinds[0]])
    features = arrays["node_feat"]
    if features.shape[1] < LAYOUTS:
        raise ValueError(f"{path}: node_feat: expected at least {LAYOUTS} features, got {features.shape[1]}")
    if kinds[0] == "layout":
        configurations = NodeConfigurations.of(arrays["node_config_feat"])
    else:
        configurations = ModuleConfigurations(arrays["config_feat"].astype(np.float32))
    normalisers = arrays.get("config_runtime_normalizers") if kinds[0] == "tile" else None
    layouts = features[:, -LAYOUTS:].astype(np.int64)
    if "node_feat_padding" not in arrays:
        layouts = pad_permutations(layouts)
    module = ModuleGraph(
        name=Path(path).name.removesuffix(".npz"), numbers=features[:, :-LAYOUTS].astype(np.float32),
        layouts=layouts, ops=arrays["node_opcode"].astype(np.int64),
        edges=np.ascontiguousarray(arrays["edge_index"].T, np.int64),
        configurable=arrays.get("node_config_ids", np.empty(0)).astype(np.int64), configurations=configurations,
        times=arrays["config_runtime"].astype(np.float64),
        normalisers=None if normalisers is None else normalisers.astype(np.float64))  # fmt: skip
    return keep_one_of_equals(module) if deduplicate else module


def read_all(places: Sequence[str | Path], *, deduplicate: bool = True) -> Iterator[ModuleGraph]:
    """The modules of all files that :func:`find` finds, of one kind.

    Raises:
        ValueError: as of :func:`find` and :func:`read`, and where collections are mixed.
    """
    kind = None
    for path in find(places):
        module = read(path, deduplicate=deduplicate)
        if kind not in (None, module.kind):
            raise ValueError(f"{path}: expected a file of a {kind} collection like those before, got {module.kind}")
        kind = module.kind
        yield module


def write(path: str | Path | BinaryIO, module: ModuleGraph, **more: np.ndarray) -> None:
    """Writes a module, and further arrays; :func:`read` gives it back. Its name is that of the file."""
    arrays = {"node_feat": np.concatenate([module.numbers, module.layouts.astype(np.float32)], axis=1),
              "node_feat_padding": np.array(LEAST), "node_opcode": module.ops, "edge_index": module.edges.T,
              "config_runtime": module.times}  # fmt: skip
    features = module.configurations.features()
    if module.kind == "layout":
        arrays |= {"node_config_feat": features, "node_config_ids": module.configurable,
                   "node_splits": np.array([[0, len(module.ops)]])}  # fmt: skip
    else:
        normalisers = np.ones_like(module.times) if module.normalisers is None else module.normalisers
        arrays |= {"config_feat": features, "config_runtime_normalizers": normalisers}
    np.savez_compressed(path, **arrays, **more)


def _load(path: Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {key: file[key] for key in file.files}
    except (AttributeError, EOFError, ValueError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: expected an .npz file of arrays: {error}") from None


def _listed(arrays: dict[str, np.ndarray]) -> str:
    return ", ".join(sorted(arrays)) or "no arrays"


def _check(path: str, arrays: dict[str, np.ndarray], keys: dict[str, str]) -> None:
    """Shapes, by letters that stand for equal sizes, and values."""
    missing = [key for key in keys if key not in arrays]
    if missing:
        raise ValueError(f"{path}: expected {', '.join(missing)}, got {_listed(arrays)}")
    sizes: dict[str, int] = {"2": 2}
    for key, letters in keys.items():
        array = arrays[key]
        if array.ndim != len(letters):
            raise ValueError(f"{path}: {key}: expected {len(letters)} dimensions, got {array.ndim}")
        expected = f"[{', '.join(str(sizes.get(letter, letter)) for letter in letters)}]"
        for size, letter in zip(array.shape, letters):
            if size != sizes.setdefault(letter, size):
                raise ValueError(f"{path}: {key}: expected {expected}, got {list(array.shape)}")
        if array.dtype.kind not in ("iu" if key in _INTEGERS else "iuf"):
            kind = "integers" if key in _INTEGERS else "numbers"
            raise ValueError(f"{path}: {key}: expected {kind}, got {array.dtype}")
        if not np.isfinite(array).all():
            raise ValueError(f"{path}: {key}: expected finite numbers, got {array[~np.isfinite(array)][0]}")
    for letter, what in _WHAT.items():
        if not sizes.get(letter, 1):
            raise ValueError(f"{path}: expected {what}, got none")
    _check_values(path, arrays, keys, sizes)


def _check_values(path: str, arrays: dict[str, np.ndarray], keys: dict[str, str], sizes: dict[str, int]) -> None:
    for key in ("edge_index", "node_config_ids"):
        array = arrays[key] if key in keys else np.empty(0)
        wrong = (array < 0) | (array >= sizes["N"])
        if wrong.any():
            raise ValueError(f"{path}: {key}: expected nodes below {sizes['N']}, got {array[wrong][0]}")
    for key in ("config_runtime", "config_runtime_normalizers"):
        if key in keys and (arrays[key] <= 0).any():
            raise ValueError(f"{path}: {key}: expected positive numbers, got {arrays[key].min()}")
    if "node_config_ids" in keys and len(np.unique(arrays["node_config_ids"])) != sizes["K"]:
        raise ValueError(f"{path}: node_config_ids: expected each node once, got {arrays['node_config_ids'].tolist()}")
    categories = {"node_feat": arrays["node_feat"][:, -LAYOUTS:]}
    if "node_config_feat" in keys:
        categories["node_config_feat"] = arrays["node_config_feat"]
    for key, values in categories.items():
        wrong = (values < LEAST) | (values != np.floor(values))
        if wrong.any():
            raise ValueError(f"{path}: {key}: expected integers from {LEAST} on, got {values[wrong][0]}")
