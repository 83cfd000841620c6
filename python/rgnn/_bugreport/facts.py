"""Sizes and kinds of what a model is called with, without a number of it; and where it runs."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _rgnn
import torch
import torch_geometric
from _rgnn_runtime import abi_version
from torch import Tensor
from torch.nn.parameter import UninitializedTensorMixin

from .._run.autocast import autocast_dtype
from .._trial import WatchedRegion
from .._verify.compare import flatten


def describe_surroundings() -> list[str]:
    """Versions, machine and settings."""
    autocast = [f"{device}: {dtype}" for device in ("cpu", "cuda") if (dtype := autocast_dtype(device)) is not None]
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "none"
    return [
        f"rgnn {_rgnn.__version__}, ABI {abi_version}, LLVM {_rgnn.llvm_version}",
        f"Python {platform.python_version()}, PyTorch {torch.__version__}, PyG {torch_geometric.__version__}",
        f"{platform.system()} {platform.release()} on {platform.machine()}, {' '.join(platform.libc_ver())}",
        f"processor features: {_processor_flags()}",
        f"GPU: {gpu}",
        f"threads: {torch.get_num_threads()} of {os.cpu_count()} processors",
        f"default dtype: {torch.get_default_dtype()}; gradients: {torch.is_grad_enabled()}; "
        f"autocast: {', '.join(autocast) or 'off'}; deterministic: {torch.are_deterministic_algorithms_enabled()}",
        *(f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("RGNN_")),
    ]


def _processor_flags() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(("flags", "Features"))), "unknown")


def describe_values(value: Any, name: str) -> Iterator[str]:
    """Shapes and dtypes of the tensors in a value, and of all else its type."""
    for place, part in flatten(value, name):
        if isinstance(part, UninitializedTensorMixin):
            yield f"{place}: uninitialized"
        elif isinstance(part, Tensor):
            layout = f", {part.layout}" if part.layout is not torch.strided else ""
            if not layout and not part.is_contiguous():
                layout = f", strides {part.stride()}"
            wants = ", wants a gradient" if part.requires_grad else ""
            yield f"{place}: {list(part.shape)} of {str(part.dtype)[6:]} on {part.device}{layout}{wants}"
        elif not isinstance(part, type):
            yield f"{place}: {type(part).__name__}"


def describe_degrees(value: Any, name: str) -> Iterator[str]:
    """Of each list of edges in a value, how many nodes have how many edges."""
    for place, part in flatten(value, name):
        if isinstance(part, Tensor) and part.dim() == 2 and part.shape[0] == 2 and _is_of_indices(part):
            for row, end in enumerate(("out of sources", "into destinations")):
                yield f"{place}: {part.shape[1]} edges, {end}: {_histogram(part[row])}"


def _is_of_indices(part: Tensor) -> bool:
    return part.dtype in (torch.int32, torch.int64) and part.layout is torch.strided


def _histogram(ends: Tensor) -> str:
    """``1: 40, 2-3: 12`` nodes that have so many edges; those that have none are not known here."""
    counts = ends.unique(return_counts=True)[1].cpu()
    buckets = torch.bincount((counts.double() + 0.5).log2().floor().long()) if len(counts) else []
    return ", ".join(f"{_range(bucket)}: {int(count)}" for bucket, count in enumerate(buckets) if count) or "none"


def _range(bucket: int) -> str:
    return str(1 << bucket) if bucket == 0 else f"{1 << bucket}-{(2 << bucket) - 1}"


def describe_types(region: WatchedRegion) -> Iterator[str]:
    """Of each graph that a region makes, how many nodes and edges there are of each type."""
    code, tensors = region.region, region.seen or []
    for description, graph in zip(code.manifest["graphs"], code.find_graphs(tensors) if tensors else ()):
        inputs = code.manifest["inputs"]
        names = ", ".join(filter(None, (inputs[number].get("name", "") for number in description["edge_index"])))
        sizes = {kind: torch.diff(graph.view(f"{kind}_offsets")).tolist() for kind in ("ntype", "etype")}
        yield (f"{names or 'edges that the model makes'}: {graph.size('node')} nodes of types {sizes['ntype']}, "
               f"{graph.num_edges} edges of types {sizes['etype']}, {graph.size('src_pair')} pairs of source and type, "
               f"{graph.size('dst_pair')} of destination and type")  # fmt: skip
