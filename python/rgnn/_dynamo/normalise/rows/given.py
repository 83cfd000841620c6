"""Views that the caller gets beside others of the same memory: ``return h, h[:n]``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor
from torch.fx import Graph, Node, map_arg

from ...functional import fake_mode, value_of
from ...partition import storages
from ..changes import changed_by

IS_GIVEN = "rgnn_given"  # of views that PyTorch takes of what regions give


class _Step(NamedTuple):
    """A node that views another, which may be in the graph no more."""

    node: Node
    viewed: Node
    op: str
    target: Callable | str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def take(self, graph: Graph, now: dict[Node, Node]) -> Node:
        """The same of others, where the graph inserts."""
        args, kwargs = map_arg((self.args, self.kwargs), now.__getitem__)
        taken = graph.create_node(self.op, self.target, args, kwargs)
        values, named = map_arg((args, kwargs), value_of)
        function = getattr(Tensor, self.target) if isinstance(self.target, str) else self.target
        with fake_mode([value_of(now[self.viewed])]):
            taken.meta = {**self.node.meta, IS_GIVEN: True, "example_value": function(*values, **named)}
        return taken


class ViewsAside(NamedTuple):
    """Views among the results of a graph, which gives what they view instead, and what else they are made of.

    Rewrites for kernels make copies of views, which is right for what is read. It is wrong for what is given: the
    caller may change one and look at the other.
    """

    steps: dict[int, list[_Step]]  # by the place among the results, from what is viewed
    count: int  # of the results
    operands: list[Node]

    def put_back(self, graph: Graph) -> None:
        """Takes the views of what the graph gives now in their places."""
        output = graph.output_node()
        given = list(output.args[0])
        operands = dict(zip(self.operands, given[self.count :]))
        taken: dict[tuple[Node, Node], Node] = {}
        with graph.inserting_before(output):
            for place, steps in self.steps.items():
                for step in steps:
                    key = step.node, given[place]
                    if key not in taken:
                        taken[key] = step.take(graph, {**operands, step.viewed: given[place]})
                    given[place] = taken[key]
        output.args = (tuple(given[: self.count]),)


def set_views_aside(graph: Graph) -> ViewsAside:
    """Gives what is viewed in place of a view, where two results, or a result and an argument, are of one memory."""
    output = graph.output_node()
    given = list(output.args[0])
    seen = {node for node in (*given, *graph.find_nodes(op="placeholder")) if isinstance(node, Node)}
    often = Counter(place for node in seen for place in storages(node))
    views: dict[int, list[_Step]] = {}
    for place, result in enumerate(given):
        is_shared = isinstance(result, Node) and any(often[storage] > 1 for storage in storages(result))
        if is_shared and (steps := _steps_to(result)):
            views[place], given[place] = steps, steps[0].viewed
    operands = dict.fromkeys(operand for steps in views.values() for step in steps
                             for operand in step.node.all_input_nodes if operand is not step.viewed)  # fmt: skip
    output.args = ((*given, *operands),)
    for node in sorted({step.node for steps in views.values() for step in steps}, reverse=True):
        if not node.users:
            graph.erase_node(node)
    return ViewsAside(views, len(given), list(operands))


def _steps_to(result: Node) -> list[_Step]:
    """The nodes that only view, from the one that makes the memory to a result."""
    steps: list[_Step] = []
    while result.op in ("call_function", "call_method") and not changed_by(result):
        viewed = next((source for source in result.all_input_nodes if storages(source) & storages(result)), None)
        if viewed is None:
            break
        steps.append(_Step(result, viewed, result.op, result.target, result.args, result.kwargs))
        result = viewed
    return steps[::-1]
