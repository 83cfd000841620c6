"""The modules that are measured, and the graphs that they are measured on, by their names."""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from _rgnn import differentiate
from torch import Tensor

from ..._compiler import compile_region
from ..._options import Options
from ..._target import CPU
from ..._trial import record_regions
from ..collect import LAYERS, TYPED, ends

TYPES = 16
"""Edge types of all graphs: weights have as many."""

WIDTHS = ((32, 32), (64, 64), (128, 64), (16, 128))
"""Of the rows of nodes that layers read and make."""

PARTS = ("inference", "training", "backward")
"""Code of a layer: without gradients; with them, which keeps what the backward needs; and the backward."""

GRAPHS = ("n1024-e4096-s1-t1", "n4096-e32768-s2-t3", "n2048-e65536-s1-t2", "n16384-e65536-s3-t1", "n8192-e8192-s2-t4",
          "n32768-e262144-s2-t2")  # fmt: skip
"""Names of those that are measured where nothing is said."""

_GRAPH = re.compile(r"n(\d+)-e(\d+)-s([1-9](?:\.\d+)?)-t([1-9](?:\.\d+)?)")


@dataclass(frozen=True)
class GraphSpec:
    """A generated graph, the same wherever it is made.

    Attributes:
        name: says all of it: ``n1024-e4096-s2-t3`` has 1,024 nodes and 4,096 edges; the first nodes have the more of
            them the larger ``s`` is, and the first types the larger ``t`` is. With 1 all are alike.
    """

    name: str

    def __post_init__(self) -> None:
        found = _GRAPH.fullmatch(self.name)
        if not found or not int(found[1]) or not int(found[2]):
            raise ValueError(f"graph: expected a name such as {GRAPHS[1]}, got {self.name!r}")

    @property
    def nodes(self) -> int:
        return int(_GRAPH.fullmatch(self.name)[1])

    @cached_property
    def edges(self) -> tuple[Tensor, Tensor]:
        """Ends ``[2, E]`` and types ``[E]``, int64."""
        _, edges, skew, types = map(float, _GRAPH.fullmatch(self.name).groups())
        with torch.random.fork_rng():
            torch.manual_seed(0)
            both = torch.stack([ends(self.nodes, int(edges), skew) for _ in range(2)])
            return both, ends(TYPES, int(edges), types)


class Case(NamedTuple):
    """What a module is of, and its inputs on a graph.

    Attributes:
        text: as captured.
        tensors: inputs of its code.
    """

    text: str
    tensors: list[Tensor]


def slug(layer: str) -> str:
    """The name of a layer in that of a module: ``"SAGE (maximum)"`` is ``sage-maximum``."""
    return "-".join(re.findall(r"[a-z0-9]+", layer.lower()))


_SLUGS = {slug(layer): layer for layer in LAYERS}


def names(patterns: Sequence[str] = ("*",)) -> list[str]:
    """Names of modules, such as ``rgcn-64-64.backward``, that match one of the patterns.

    Raises:
        ValueError: a pattern matches none.
    """
    known = [f"{layer}-{width}-{out}.{part}" for layer in _SLUGS for width, out in WIDTHS for part in PARTS]
    for pattern in patterns:
        if not fnmatch.filter(known, pattern):
            raise ValueError(f"modules: expected names such as {known[0]}, or patterns such as 'rgcn-*' that some "
                             f"match, got {pattern!r}")  # fmt: skip
    return [name for name in known if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]


def cases(name: str, graphs: Sequence[GraphSpec], dtype: torch.dtype = torch.float32,
          options: Options | None = None) -> Iterator[Case]:  # fmt: skip
    """Captures a module with its inputs on each graph.

    Args:
        name: one of :func:`names`.
        graphs: what for.
        dtype: of rows and weights.
        options: those that it is compiled with where it gives what the backward reads.

    Raises:
        ValueError: another name, or what is captured is not one function, the same on all graphs.
    """
    first = None
    for graph in graphs:
        case = _case(name, graph, dtype, options or Options())
        if first is not None and case.text != first:
            raise ValueError(f"{name}: expected the same function on all graphs, got another one on {graph.name}")
        first = case.text
        yield case


def _case(name: str, graph: GraphSpec, dtype: torch.dtype, options: Options) -> Case:
    layer, _, part = name.rpartition(".")
    layer, width, out = layer.rsplit("-", 2)
    edge_index, edge_type = graph.edges
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = LAYERS[_SLUGS[layer]](int(width), int(out), TYPES).to(dtype)
        x = torch.randn(graph.nodes, int(width), dtype=dtype, requires_grad=True)
    arguments = (x, edge_index, edge_type) if _SLUGS[layer] in TYPED else (x, edge_index)
    regions = record_regions(model, arguments, {}, options).regions
    if len(regions) != 1:
        raise ValueError(f"{name}: expected one function to be compiled, got {len(regions)}")
    text, tensors = regions[0]
    wanted = [number for number, tensor in enumerate(tensors) if tensor.requires_grad]
    tensors = [tensor.detach() for tensor in tensors]
    if part == "inference":
        return Case(text, tensors)
    described = json.loads(differentiate(text, wanted, options.pipeline())[0])
    if part == "training":
        return Case(described["forward"], tensors)
    if not described["gradients"]:
        raise ValueError(f"{name}: expected gradients, got none")
    results = compile_region(described["forward"], options, CPU, differentiable=False).run(tensors)
    # Not random, and of about the same size.
    weights = [torch.linspace(-1, 2, result.numel(), dtype=result.dtype).view_as(result) for result in results]
    given = {"argument": tensors, "result": results, "gradient": weights}
    sources = [next(iter(source.items())) for source in described["inputs"]]
    return Case(described["backward"], [given[kind][number] for kind, number in sources])
