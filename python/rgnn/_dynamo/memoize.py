"""What a model computes of a graph's integers alone (self loops, masks, degrees), once for each graph."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Interpreter, Node

from .._capture import custom_ops
from .._errors import InputError, joined
from .._run import graphs
from .derived import find_derived
from .functional import Subgraph, value_of
from .partition import Partition
from .text import origin_of, path_of

_MAX_KEPT = 16  # results of one computation; the oldest go. After as many calls that find none, one in as many looks
_MAX_GROWTH = 8  # how many times larger than what they are computed of results are kept
_ALWAYS_KEPT = 1 << 24  # bytes of results that are kept, however little they are computed of


class Memoized:
    """A function of integers that is run once for the tensors that it gets, as they are.

    Its results are the same tensors as long as these live and do not change, so that views of graphs, which belong to
    tensors, are found again. Where each call has tensors of its own, as sampled batches have, it is just run: looking
    for results and keeping them takes longer than most such functions do.
    """

    def __init__(self, function: GraphModule):
        self._function = function
        self._kept: graphs.Cache = {}
        self._missed = 0  # calls since one was found

    def __call__(self, *inputs: Any) -> tuple:
        if self._missed >= _MAX_KEPT and self._missed % _MAX_KEPT > 1:
            self._missed += 1
            return self._run(inputs)
        tensors = [value for value in inputs if isinstance(value, Tensor)]
        key = tuple([id(value) if isinstance(value, Tensor) else value for value in inputs])
        found = graphs.lookup(self._kept, key, tensors)
        if found is not None:
            results, versions = found
            if versions == _versions(results):
                self._missed = 0
                return results
        self._missed += 1
        with torch.inference_mode(False), torch.no_grad():
            # A view would keep what it is a view of alive, and itself with it.
            given = {tensor.untyped_storage().data_ptr() for tensor in tensors}
            results = tuple([_apart(result, given) for result in self._run(inputs)])
        if _are_kept(tensors, [result for result in results if isinstance(result, Tensor)]):
            for other in list(self._kept)[: 1 - _MAX_KEPT]:
                self._kept.pop(other, None)
            graphs.keep(self._kept, key, tensors, (results, _versions(results)))
        return results

    def _run(self, inputs: tuple) -> tuple:
        try:
            return self._function.forward(*inputs)
        except IndexError as error:
            if why := _Explainer(self._function).explain(inputs):
                raise joined(InputError(why), error) from error
            raise


def _apart(value: Any, given: set[int]) -> Any:
    return value.clone() if isinstance(value, Tensor) and value.untyped_storage().data_ptr() in given else value


def _are_kept(given: list[Tensor], results: list[Tensor]) -> bool:
    """Whether results outlive the call: not where a change could not be seen, and no dense matrix of a large graph."""
    bytes_given, bytes_made = (sum(tensor.nbytes for tensor in tensors) for tensors in (given, results))
    return bytes_made <= max(_ALWAYS_KEPT, _MAX_GROWTH * bytes_given) and not any(map(Tensor.is_inference, results))


def _versions(values: tuple) -> list[int]:
    return [value._version for value in values if isinstance(value, Tensor)]


class _Explainer(Interpreter):
    """Runs a function that fails, and says which index is wrong."""

    def explain(self, inputs: tuple) -> str:
        """The message; empty where it is no index that picks a row."""
        self._message = ""
        with contextlib.suppress(Exception):
            self.run(*inputs)
        return self._message

    def run_node(self, node: Node) -> Any:
        try:
            return super().run_node(node)
        except IndexError:
            rows, *others = [self.env[source] for source in node.all_input_nodes]
            index = others[-1] if others else rows
            wrong = index[(index < 0) | (index >= rows.shape[0])]
            if node.target in ("index_select", operator.getitem) and len(wrong):
                name = path_of(origin_of(node.all_input_nodes[-1]))[0]
                what = "classes" if node.all_input_nodes[0].target is torch.arange else "node indices"
                self._message = f"{name}: expected {what} in [0, {rows.shape[0]}), got {wrong[0]}"
            raise


def find_groups(partition: Partition) -> list[list[Node]]:
    """Nodes that PyTorch runs and that depend on integers of the graph's inputs alone, joined ones together."""
    derived = find_derived(partition)
    group_of: dict[Node, list[Node]] = {}
    for node in partition.nodes:
        inside = [source for source in node.all_input_nodes if source.op != "placeholder"]
        if partition.is_compiled(node) or node not in derived or any(source not in group_of for source in inside):
            continue
        joined = [node]
        for source in inside:
            if group_of[source] is not joined:
                joined = [*group_of[source], *(other for other in joined if other not in group_of[source])]
        for other in joined:
            group_of[other] = joined
    groups = {id(group): group for group in group_of.values()}
    return [sorted(group) for group in groups.values() if any(isinstance(value_of(node), Tensor) for node in group)]


def extract_group(owner: GraphModule, nodes: Iterable[Node]) -> Subgraph:
    """The nodes as a function of the tensors and integers that they read."""
    inside = set(nodes)
    graph, new = Graph(), {}
    read = list(dict.fromkeys(source for node in nodes for source in node.all_input_nodes if source not in inside))
    for node in read:
        new[node] = graph.placeholder(node.name)
        new[node].meta["rgnn_path"] = path_of(node)
    for node in nodes:
        new[node] = graph.node_copy(node, new.__getitem__)
    outputs = [node for node in nodes if any(user not in inside for user in node.users)]
    graph.output(tuple(new[node] for node in outputs))
    custom_ops.decompose(graph)
    return Subgraph(GraphModule(owner, graph), read, outputs, {}, list(nodes))
