"""New nodes, with the values that they have in the call at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.fx import Graph, Node, map_arg

from ..functional import fake_mode, value_of


def call(graph: Graph, like: Node, target: Callable | str, *args: Any, **settings: Any) -> Node:
    """A call of a function, or of a method by name, where the graph inserts; from the same line as ``like``."""
    make = graph.call_method if isinstance(target, str) else graph.call_function
    made = make(target, args, settings)
    function = getattr(Tensor, target) if isinstance(target, str) else target
    with fake_mode(map(value_of, [like, *like.all_input_nodes])):
        made.meta = {**like.meta, "example_value": function(*map_arg(args, value_of), **map_arg(settings, value_of))}
    return made
