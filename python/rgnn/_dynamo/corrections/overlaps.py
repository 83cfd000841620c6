"""TorchDynamo checks that no two tensors of a call become one, but not that none becomes a view of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor, strided
from torch.fx import GraphModule, Node

from ..._run.modes import is_plain
from .. import private
from ..functional import placeholders_of, value_of
from ..normalise.changes import averages_of, changed_by
from ..normalise.contexts import changed_in_body, has_body
from ..partition import storages


def checked(run: Callable, original: GraphModule) -> Callable:
    """Has a graph that changes inputs in place run in PyTorch where other inputs share their memory than when it was
    captured: what is read of these may be computed in front of the change.

    Args:
        run: what became of the graph.
        original: the graph.
    """
    inputs = placeholders_of(original.graph)
    written = {place for node in original.graph.nodes for changed in (
        changed_in_body(node) if has_body(node) else changed_by(node))
        if changed not in averages_of(node) for place in storages(changed)}  # fmt: skip
    changed = [number for number, node in enumerate(inputs) if _is_dense(node) and storages(node) & written]
    dtypes = {value_of(inputs[number]).dtype for number in changed}
    others = [number for number, node in enumerate(inputs) if _is_dense(node) and value_of(node).dtype in dtypes]
    known = [[other for other in others if other != number and storages(inputs[other]) & storages(inputs[number])]
             for number in changed]  # fmt: skip
    if not changed or len(others) < 2:
        return run
    plain = private.function_of(original)

    def run_checked(*given: Any) -> Any:
        return plain(*given) if is_plain() and _sharing(given, changed, others) != known else run(*given)

    return run_checked


def _is_dense(node: Node) -> bool:
    value = value_of(node)
    return isinstance(value, Tensor) and value.layout is strided


def _sharing(given: Sequence[Any], changed: list[int], others: list[int]) -> list[list[int]]:
    """Of each changed input, the others that begin in its memory."""
    starts = [given[number].data_ptr() for number in others]
    found = []
    for number in changed:
        memory = given[number].untyped_storage()
        first = memory.data_ptr()
        last = first + memory.nbytes()
        found.append([other for other, start in zip(others, starts) if other != number and first <= start < last])
    return found
