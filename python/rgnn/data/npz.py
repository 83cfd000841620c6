"""Reads the npz format of the data sets, and finds them by name.

A file holds these arrays; integers may have any width. An array that is not listed is an error, so that a misspelt
optional one cannot go unseen. Files are read without pickle.

===============  ==============  =======================================================================
field            shape           meaning
===============  ==============  =======================================================================
src, dst         [E] int         end nodes of each edge
etype            [E] int         type of each edge, ascending
etype_names      [R] str         "source type|relation|destination type"
ntype            [N] int         type of each node, ascending
ntype_names      [T] str         names of the node types
num_nodes        [] int          N
y                [N] int         optional: class of each node, -1 for none; comes with num_classes
num_classes      [] int          optional
train_idx ...    [n] int         optional: train_idx, val_idx, test_idx
split            [E] int         optional: 0 train, 1 valid, 2 test edge
feat_indptr ...  CSR             optional: feat_indptr [N + 1], feat_indices, feat_values [nnz], feat_dim []
===============  ==============  =======================================================================
"""

from __future__ import annotations

import os
import warnings
import zipfile
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from .graph import DatasetError, HeteroGraph

_REQUIRED = ("src", "dst", "etype", "etype_names", "ntype", "ntype_names", "num_nodes")
_FEATURES = ("feat_indptr", "feat_indices", "feat_values", "feat_dim")
_OPTIONAL = ("y", "num_classes", "train_idx", "val_idx", "test_idx", "split", *_FEATURES)


class DatasetNotFoundError(FileNotFoundError):
    """No file of that name in any of the places that are looked in; the message lists them."""


def search_paths() -> list[Path]:
    """Folders in which a data set is looked for by name, in order.

    ``examples/data`` of the repository, the folders in ``$RGNN_DATASETS`` (separated as in ``$PATH``), and
    ``../shared/datasets`` beside the repository if it exists.
    """
    repository = Path(__file__).resolve().parents[3]
    paths = [repository / "examples" / "data"]
    paths += [Path(entry) for entry in os.environ.get("RGNN_DATASETS", "").split(os.pathsep) if entry]
    shared = repository.parent / "shared" / "datasets"
    return paths + [shared] if shared.is_dir() else paths


def available() -> list[str]:
    """Names of the data sets that :func:`load` finds."""
    return sorted({file.stem for folder in search_paths() if folder.is_dir() for file in folder.glob("*.npz")})


def load(name_or_path: str | os.PathLike[str]) -> HeteroGraph:
    """Loads a data set and checks every field of it.

    Args:
        name_or_path: a name such as ``"aifb"``, looked up in :func:`search_paths`, or the path of an npz file (what
            ends in ``.npz`` or has a folder in it is a path).

    Raises:
        DatasetNotFoundError: there is no such file; says where it was looked for.
        DatasetError: a field is missing, unknown or wrong; says which, what was expected and what came.
    """
    path = _find(name_or_path)
    try:
        with np.load(path, allow_pickle=False) as archive:
            if not isinstance(archive, np.lib.npyio.NpzFile):
                raise DatasetError(f"expected {path} to be an npz archive, got a single array")
            arrays = {key: archive[key] for key in archive.files}
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, DatasetError):
            raise
        raise DatasetError(f"expected {path} to be an npz archive of plain arrays: {error}") from error
    return _from_arrays(path.stem, arrays)


def _find(name_or_path: str | os.PathLike[str]) -> Path:
    text = os.fspath(name_or_path)
    if not isinstance(name_or_path, str) or text.endswith(".npz") or os.path.dirname(text):
        path = Path(text)
        if not path.is_file():
            raise DatasetNotFoundError(f"data set file '{path}' does not exist")
        return path
    folders = search_paths()
    for folder in folders:
        path = folder / f"{text}.npz"
        if path.is_file():
            return path
    raise DatasetNotFoundError(
        f"data set '{text}' ({text}.npz) is in none of {', '.join(str(folder) for folder in folders)}; "
        "set RGNN_DATASETS to the folder that has it, or generate a graph of its size with rgnn.data.synthetic"
    )


def _from_arrays(name: str, arrays: dict[str, np.ndarray]) -> HeteroGraph:
    def fail(message: str) -> None:
        raise DatasetError(f"data set '{name}': {message}")

    missing = [key for key in _REQUIRED if key not in arrays]
    if missing:
        fail(f"expected the fields {', '.join(_REQUIRED)}; missing: {', '.join(missing)}")
    unknown = [key for key in arrays if key not in _REQUIRED and key not in _OPTIONAL]
    if unknown:
        fail(f"expected no other fields than {', '.join(_REQUIRED + _OPTIONAL)}; got {', '.join(sorted(unknown))}")

    def array(key: str, kinds: str, rank: int) -> np.ndarray:
        value = arrays[key]
        if value.dtype.kind not in kinds or value.ndim != rank:
            wanted = {"iu": "integers", "U": "strings", "f": "floating-point numbers"}[kinds]
            fail(f"expected {key} to be {wanted} of rank {rank}, got {value.dtype} of rank {value.ndim}")
        return value

    def integers(key: str) -> Tensor:
        return torch.from_numpy(array(key, "iu", 1).astype(np.int64))

    def optional(key: str) -> Tensor | None:
        return integers(key) if key in arrays else None

    node_type = integers("ntype")
    num_nodes = int(array("num_nodes", "iu", 0))
    if node_type.numel() != num_nodes:
        fail(f"expected num_nodes = {num_nodes} entries in ntype, got {node_type.numel()}")

    edge_types = []
    for r, text in enumerate(array("etype_names", "U", 1).tolist()):
        parts = text.split("|")
        if len(parts) < 3:
            fail(f"expected etype_names[{r}] to be 'source type|relation|destination type', got '{text}'")
        edge_types.append((parts[0], "|".join(parts[1:-1]), parts[-1]))

    return HeteroGraph(
        name=name,
        src=integers("src"),
        dst=integers("dst"),
        edge_type=integers("etype"),
        edge_types=edge_types,
        node_type=node_type,
        node_types=array("ntype_names", "U", 1).tolist(),
        y=optional("y"),
        num_classes=int(array("num_classes", "iu", 0)) if "num_classes" in arrays else None,
        train_idx=optional("train_idx"),
        val_idx=optional("val_idx"),
        test_idx=optional("test_idx"),
        edge_split=optional("split"),
        features=_features(fail, array, integers, num_nodes) if any(key in arrays for key in _FEATURES) else None,
    )


def _features(fail, array, integers, num_nodes: int) -> Tensor:
    """Node features ``[N, feat_dim]`` as a sparse CSR tensor, from the four feat_* fields."""
    try:
        indptr, indices = integers("feat_indptr"), integers("feat_indices")
        values = torch.from_numpy(array("feat_values", "f", 1).astype(np.float32))
        width = int(array("feat_dim", "iu", 0))
    except KeyError as error:
        fail(f"expected all of {', '.join(_FEATURES)} or none; missing: {error.args[0]}")
    if indptr.numel() != num_nodes + 1:
        fail(f"expected {num_nodes + 1} entries in feat_indptr, got {indptr.numel()}")
    if indptr[0] != 0 or (indptr[1:] < indptr[:-1]).any() or indptr[-1] != indices.numel():
        fail(f"expected feat_indptr to rise from 0 to the {indices.numel()} entries of feat_indices")
    if values.numel() != indices.numel():
        fail(f"expected {indices.numel()} entries in feat_values, got {values.numel()}")
    if indices.numel() and (indices.min() < 0 or indices.max() >= width):
        fail(f"expected feat_indices in 0 .. {width - 1}, got {int(indices.min())} .. {int(indices.max())}")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(indptr, indices, values, (num_nodes, width), check_invariants=False)
