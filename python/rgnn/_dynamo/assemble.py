"""Puts compiled regions in the place of their nodes in a captured graph."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule, Node

from .._capture import custom_ops
from .._capture.error import CaptureError
from .._errors import InputError
from .._run.call import remember_random_state
from .branches import ModelError, check_assertion
from .expressions import expression_of
from .functional import Subgraph, carry, value_of
from .memoize import Memoized, extract_group
from .normalise.changes import changed_by
from .normalise.draws import DRAWS
from .normalise.shapes import is_arithmetic
from .partition import Partition
from .regions import CompiledRegion

Regions = list[tuple[list[Node], CompiledRegion, Subgraph]]


def assemble(module: GraphModule, partition: Partition, regions: Regions, once: list[list[Node]]) -> Callable:
    """The graph with calls in the place of its regions, and of what is computed once for each graph."""
    whole = _alone(module, partition, regions)
    if whole is not None:
        return whole
    return _Outer(module, partition, regions, once).make()


def _alone(module: GraphModule, partition: Partition, regions: Regions) -> Callable | None:
    """A function for a graph that is one region and nothing else, but for sizes, which regions compute themselves."""
    output = next(node for node in module.graph.nodes if node.op == "output")
    results = output.args[0]
    if len(regions) != 1 or not isinstance(results, (tuple, list)):
        return None
    if not all(map(is_arithmetic, set(partition.nodes) - set(regions[0][0]))):
        return None
    part, function = regions[0][1:]
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    if list(results) != function.outputs or any(node.op != "placeholder" or expression_of(value_of(node)) is not None
                                                for node in function.inputs):  # fmt: skip
        return None
    pick = operator.itemgetter(*(placeholders.index(node) for node in function.inputs))
    if len(function.inputs) == 1:
        return lambda *values: part(pick(values))
    return lambda *values: part(*pick(values))


class _Outer:
    """Makes the graph that calls regions and PyTorch's functions in turn."""

    def __init__(self, module: GraphModule, partition: Partition, regions: Regions, once: list[list[Node]]):
        self._module, self._partition = module, partition
        self._graph = torch.fx.Graph()
        self._new: dict[Node, Node] = {}
        self._region_of = {node: entry for entry in regions for node in entry[0]}
        self._memoized_of = {node: group for group in once for node in group}
        self._attributes: dict[str, Any] = {}

    def make(self) -> Callable:
        output = next(node for node in self._module.graph.nodes if node.op == "output")
        for node in self._module.graph.nodes:
            if node.op == "placeholder":
                self._new[node] = self._graph.node_copy(node)
        groups = list(dict.fromkeys(map(self._group, self._partition.nodes)))
        needs = {group: {source for node in group for source in self._partition.sources(node)} - set(group)
                 for group in groups}  # fmt: skip
        # What a region refuses has changed nothing by then that PyTorch changes for the next calls.
        awaited = set().union(*needs.values())
        last = [group for group in groups if awaited.isdisjoint(group) and self._changes_inputs(group)]
        self._emit_all([group for group in groups if group not in last], needs)
        self._emit_all(last, needs)
        self._graph.output(torch.fx.map_arg(output.args[0], self._new.__getitem__))
        custom_ops.decompose(self._graph)
        module = GraphModule({**dict(self._module.named_children()), **self._attributes}, self._graph)
        for name, value in vars(self._module).items():
            if isinstance(value, Tensor) and not hasattr(module, name):
                setattr(module, name, value)
        may_draw = any(node.target in (*DRAWS, check_assertion) for node in self._graph.nodes)
        return _keeping_random_state(module.forward) if may_draw else module.forward

    def _emit_all(self, groups: list[tuple[Node, ...]], needs: dict[tuple[Node, ...], set[Node]]) -> None:
        while groups:
            ready = [group for group in groups if needs[group] <= self._new.keys()]
            if not ready:
                raise CaptureError("its parts wait for each other")
            for group in ready:
                # In the order of the graph, as far as what others wait for allows.
                if needs[group] <= self._new.keys():
                    self._emit(group)
            groups = [group for group in groups if group[0] not in self._new]

    def _changes_inputs(self, group: tuple[Node, ...]) -> bool:
        """Whether PyTorch changes what the call is given, and nothing in the call reads it: as norms count calls."""
        return (len(group) == 1 and group[0] not in self._region_of and not group[0].users
                and any(source.op == "placeholder" for source in changed_by(group[0])))  # fmt: skip

    def _group(self, node: Node) -> tuple[Node, ...]:
        """The nodes that run together with a node."""
        if node in self._region_of:
            return tuple(self._region_of[node][0])
        return tuple(self._memoized_of.get(node, (node,)))

    def _emit(self, group: tuple[Node, ...]) -> None:
        node = group[0]
        if node in self._region_of:
            nodes, part, function = self._region_of[node]
            self._call(f"region_{len(self._attributes)}", nodes, part, function)
        elif node in self._memoized_of:
            function = extract_group(self._module, group)
            self._call(f"memoized_{len(self._attributes)}", group, Memoized(function.module), function)
        else:
            self._new[node] = self._graph.node_copy(node, self._new.__getitem__)
            if node.target is torch._assert_async:
                self._new[node].target = check_assertion

    def _call(self, name: str, nodes: Iterable[Node], call: Callable, function: Subgraph) -> None:
        arguments = []
        for source in function.inputs:
            argument = self._new[source]
            if isinstance(call, CompiledRegion) and expression_of(value_of(source)) is not None:
                argument = self._graph.call_function(carry, (argument, call.region.device))
            arguments.append(argument)
        self._attributes[name] = Called(call)
        result = self._graph.call_module(name, tuple(arguments))
        for node in nodes:
            self._new[node] = None  # nobody outside reads it
        for number, node in enumerate(function.outputs):
            self._new[node] = self._graph.call_function(operator.getitem, (result, number))


def _keeping_random_state(run: Callable) -> Callable:
    """Has a call that is refused draw nothing: masks are drawn before what refuses it, or what leaves it to PyTorch."""

    def call(*inputs: Any) -> Any:
        device = next((value.device for value in inputs if isinstance(value, Tensor)), torch.device("cpu"))
        restore = remember_random_state(device)
        try:
            return run(*inputs)
        except (InputError, ModelError):
            restore()
            raise

    return call


class Called(torch.nn.Module):
    """A part as a module, which graphs can call."""

    def __init__(self, call: Callable):
        super().__init__()
        self.forward = call

    def __call__(self, *inputs: Any) -> Any:
        return self.forward(*inputs)
