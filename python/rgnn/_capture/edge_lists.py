"""Takes lists of edges out of a captured program that are computed of integers alone.

A layer that picks rows by numbers in a tensor (node ids for features) or whose sources and
destinations are different nodes has :func:`custom_ops.ends` make a graph of these numbers. What leads
to it are operators on integers: they are taken out of the captured function, which gets the lists
as arguments.
"""

from __future__ import annotations

import operator
from typing import Any

import torch
import torch.fx
from torch import Tensor

from .._run.edge_lists import EdgeLists
from .._run.plan import Plan
from .custom_ops import ends
from .error import CaptureError
from .places import location_of
from .serialize import live_nodes, operator_arguments, target_text


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


class EdgeListInputs:
    """The lists of a captured program.

    Attributes:
        nodes: what the captured program computes each list by.
        computed: these nodes and all operators that lead to them.
        lists: computes them, once :meth:`bind` was called; None where there are none.
    """

    def __init__(self, graph: torch.fx.Graph):
        _share_equal(graph)
        self.nodes = [node for node in live_nodes(graph) if node.target is ends]
        needed: dict[torch.fx.Node, None] = {}
        for node in self.nodes:
            _collect(node, needed)
        self.computed = [node for node in needed if node.op != "placeholder"]
        self._placeholders = [node for node in needed if node.op == "placeholder"]
        self.lists: EdgeLists | None = None

    @property
    def names(self) -> list[str]:
        """Of each list, an argument that it comes from."""
        return self.lists.names if self.lists else []

    def bind(self, arguments: list[Any], names: list[str]) -> None:
        """Finds the sources among the arguments, given as keys and their names, of the captured function."""
        if not self.nodes:
            return
        position = {key: number for number, key in enumerate(arguments)}
        sources = [position[node] for node in self._placeholders]
        self.lists = EdgeLists(sources, [names[source] for source in sources], Plan(self._describe(), []))

    def _describe(self) -> dict:
        """The operators as a plan."""
        numbers: dict[Any, int] = {node: number for number, node in enumerate(self._placeholders)}
        count, steps = len(numbers), []
        for node in self.computed:
            if node.target is operator.getitem:
                numbers[node] = numbers[node.args]
                continue
            name = target_text(node)
            args, inputs = operator_arguments(node, numbers)
            if node.target is ends:
                name, args = "aten.stack", [[args[0], args[0]], 0]
            values = node.meta["val"]
            keys = [(node, i) for i in range(len(values))] if isinstance(values, (list, tuple)) else [node]
            for key in keys:
                numbers[key], count = count, count + 1
            steps.append({"torch": name, "args": args, "inputs": inputs, "outputs": [numbers[key] for key in keys],
                          "where": location_of(node) or ""})
        return {"num_inputs": len(self._placeholders), "results": [numbers[node] for node in self.nodes],
                "steps": steps}


def _collect(node: torch.fx.Node, needed: dict[torch.fx.Node, None]) -> None:
    """Adds ``node`` behind what it is computed from."""
    if node in needed:
        return
    if _is_float(node):
        raise CaptureError(f"{location_of(node) or 'model'}: expected row numbers made of integers alone")
    for source in node.all_input_nodes:
        _collect(source, needed)
    needed[node] = None
