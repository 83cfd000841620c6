"""Lists of edges that are computed before the captured function, once for the tensors that they come from.

A layer that picks rows by numbers in a tensor (node ids for features) or whose sources and
destinations are different nodes has :func:`leaves.ends` make a graph of these numbers. What leads
to it are operators on integers: they are taken out of the captured function, which gets the lists
as arguments.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch
import torch.fx
from torch import Tensor

from .error import CaptureError
from .leaves import ends
from .serialize import live_nodes, location_of


def _share_equal(graph: torch.fx.Graph) -> None:
    """Makes layers that ask for the same list use one."""
    if not any(node.target is ends for node in graph.nodes):
        return
    first: dict[str, torch.fx.Node] = {}
    for node in graph.nodes:
        if isinstance(node.target, torch._ops.OpOverload) and not _is_float(node):
            known = first.setdefault(repr((node.target, node.args, node.kwargs)), node)
            if known is not node:
                node.replace_all_uses_with(known)


def _is_float(node: torch.fx.Node) -> bool:
    value = node.meta.get("val")
    return isinstance(value, Tensor) and value.is_floating_point()


class DerivedInputs:
    """Computes the lists from the other arguments of the captured function.

    Attributes:
        nodes: what the captured program computes each list by.
        computed: these nodes and all operators that lead to them.
        sources: positions of the arguments that lists are computed from.
        names: of each list, an argument that it comes from.
    """

    def __init__(self, graph: torch.fx.Graph):
        _share_equal(graph)
        self.nodes = [node for node in live_nodes(graph) if node.target is ends]
        self.computed: list[torch.fx.Node] = []
        self.sources: list[int] = []
        self.names: list[str] = []
        self._source_names: dict[torch.fx.Node, str] = {}
        self._placeholders: list[torch.fx.Node] = []
        self._function: torch.fx.GraphModule | None = None
        if self.nodes:
            self._extract()

    def _extract(self) -> None:
        needed: dict[torch.fx.Node, None] = {}
        for node in self.nodes:
            self._collect(node, needed)
        graph, copies = torch.fx.Graph(), {}
        self.computed = [node for node in needed if node.op != "placeholder"]
        self._placeholders = [node for node in needed if node.op == "placeholder"]
        for node in self._placeholders:
            copies[node] = graph.placeholder(node.name)
        for node in self.computed:
            copies[node] = graph.node_copy(node, copies.__getitem__)
        graph.output([copies[node] for node in self.nodes])
        self._function = torch.fx.GraphModule(torch.nn.Module(), graph)

    def _collect(self, node: torch.fx.Node, needed: dict[torch.fx.Node, None]) -> None:
        """Adds ``node`` behind what it is computed from."""
        if node in needed:
            return
        if _is_float(node):
            raise CaptureError(f"{location_of(node) or 'model'}: expected row numbers made of integers alone")
        for source in node.all_input_nodes:
            self._collect(source, needed)
        needed[node] = None

    def bind(self, arguments: list[Any], names: list[str]) -> None:
        """Finds the sources among the arguments, given as keys and their names, of the captured function."""
        position = {key: number for number, key in enumerate(arguments)}
        self.sources = [position[node] for node in self._placeholders]
        if self._function is not None:
            *nodes, output = self._function.graph.nodes
            self._source_names = dict(zip(nodes, [names[source] for source in self.sources]))
            self.names = [self._name(node) for node in output.args[0]]

    def _name(self, node: torch.fx.Node) -> str:
        """The argument that the values of an extracted node come from; for rows that are picked, that of the rows."""
        reached: dict[torch.fx.Node, None] = {}
        self._collect(node, reached)
        return next(self._source_names[source] for source in reached if source.op == "placeholder")

    def compute(self, sources: list[Tensor]) -> list[Tensor]:
        """The lists.

        Raises:
            IndexError: a number that picks a row is out of range.
        """
        # Kept for later calls: what inference mode makes could not be.
        with torch.inference_mode(False), torch.no_grad():
            try:
                return list(self._function(*sources))
            except (IndexError, RuntimeError) as error:
                raise IndexError(self._wrong_number(sources) or str(error)) from error

    def _wrong_number(self, sources: list[Tensor]) -> str:
        """Names the argument that a number out of range is in; empty where it is something else that fails."""
        interpreter = torch.fx.Interpreter(self._function, garbage_collect_values=False)
        with contextlib.suppress(IndexError, RuntimeError):
            interpreter.run(*sources)
        values = interpreter.env
        failed = next((node for node in self._function.graph.nodes if node not in values), None)
        if failed is None or failed.target is not torch.ops.aten.index_select.default:
            return ""
        rows, dim, index = failed.args
        count, numbers = values[rows].shape[dim], values[index]
        wrong = numbers[(numbers < 0) | (numbers >= count)]
        return f"{self._name(index)}: expected node indices in [0, {count}), got {wrong[0]}" if len(wrong) else ""
