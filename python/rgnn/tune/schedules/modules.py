"""The modules that are measured, by their names, and their inputs on graphs."""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from _rgnn import differentiate
from torch import Tensor
from torch_geometric import nn as pyg

from ..._compiler import compile_region
from ..._options import Options
from ..._target import CPU
from ..._trial import record_regions
from ..graphs import TYPES, GraphSpec
from ..layers import LAYERS, Layer, Sizes

WIDTHS = ((32, 32), (64, 64), (128, 64), (16, 128))
"""Of the rows of nodes that layers read and make."""

PARTS = ("inference", "training", "backward")
"""Code of a layer: without gradients; with them, which keeps what the backward needs; and the backward."""


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


_SINGLE = {"sum": Layer("plain", lambda _: pyg.SimpleConv("sum")),
           "mean": Layer("plain", lambda _: pyg.SimpleConv("mean")),
           "maximum": Layer("plain", lambda _: pyg.SimpleConv("max"))}  # fmt: skip
"""Layers that are one kernel, whose configurations can all be measured."""

_LAYERS = {name: layer for name, layer in LAYERS.items() if layer.graph != "hetero"} | _SINGLE
_SLUGS = {slug(layer): layer for layer in _LAYERS}


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
        sizes = Sizes(graph.nodes, len(edge_type), TYPES, int(width), int(out), (1.0, 1.0, 1.0))
        model = _LAYERS[_SLUGS[layer]].make(sizes).to(dtype)
        x = torch.randn(graph.nodes, int(width), dtype=dtype, requires_grad=True)
    arguments = (x, edge_index, edge_type) if _LAYERS[_SLUGS[layer]].graph == "typed" else (x, edge_index)
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
