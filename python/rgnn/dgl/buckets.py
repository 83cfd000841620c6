"""Reductions by functions of users: once for all nodes where that can be, else for the nodes of each degree."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from . import segments
from .base import NID, OpaqueError
from .mailbox import Mail, Mailboxes
from .udf import NodeBatch, Rows


def reduce_by_function(
    graph: Any, number: int, function: Callable, messages: Mapping[str, Tensor], index: Tensor
) -> Mapping[str, Tensor]:
    """What a function of nodes with mailboxes makes of messages; 0 for nodes that none came to.

    Args:
        number: of the edge type.
        function: of :class:`NodeBatch`.
        messages: by name, ``[E, *]``.
        index: the node that each comes to, ``[E]``.

    Returns:
        By name, ``[N, *]`` for the nodes of the destination type.
    """
    target = graph._ends[number][1]
    try:
        return _reduce_at_once(graph, target, function, messages, index)
    except Exception as error:
        # Stand-ins are no tensors to all code: an error that is the function's own comes again for real mailboxes.
        why = str(error) if isinstance(error, OpaqueError) else f"it raises {type(error).__name__}"
    if torch.compiler.is_compiling():
        _stop_capture(function, why)
    return _reduce_by_degree(graph, target, function, messages, index)


def _reduce_at_once(
    graph: Any, target: int, function: Callable, messages: Mapping[str, Tensor], index: Tensor
) -> Mapping[str, Tensor]:
    size = graph._size(target)
    boxes = Mailboxes(index, size)
    box = Rows(messages, lambda key: Mail(messages[key], boxes), "messages")
    frame = graph._node_frames[target]
    given = function(NodeBatch(graph, target, None, frame, box, frame.get(NID)))
    if not isinstance(given, Mapping):
        return given
    result = {}
    is_empty = segments.count(index, size) == 0
    for key, rows in given.items():
        if not isinstance(rows, Tensor) or rows.dim() == 0:
            raise OpaqueError(f"{key!r} is {type(rows).__name__}, which has no row for each node")
        result[key] = rows.masked_fill(segments.spread(is_empty, rows), 0)
    return result


def _stop_capture(function: Any, why: str) -> None:
    """Has PyTorch run what follows: which degrees there are, only data say."""
    plain = getattr(function, "__func__", function)
    code = getattr(plain, "__code__", None)
    name = type(function).__name__ if code is None else (
        f"{plain.__name__} ({os.path.basename(code.co_filename)}:{code.co_firstlineno})")  # fmt: skip
    torch._dynamo.graph_break(msg=f"{name} is called for the nodes of each degree, since it takes a tensor for the "
                                  f"mailbox: {why}")  # fmt: skip


def _reduce_by_degree(
    graph: Any, target: int, function: Callable, messages: Mapping[str, Tensor], index: Tensor
) -> Mapping[str, Tensor]:
    size = graph._size(target)
    frame = graph._node_frames[target]
    degrees = torch.bincount(index, minlength=size)
    order = index.argsort(stable=True)  # the messages of a node, in the order of their edges
    first = degrees.cumsum(0) - degrees
    chosen, results = [], []
    for degree in degrees.unique().tolist():
        if degree == 0:
            continue
        nodes = (degrees == degree).nonzero().view(-1)
        places = first[nodes].unsqueeze(1) + torch.arange(degree, device=nodes.device)
        edges = order[places.view(-1)]
        box = {key: rows.index_select(0, edges).view(len(nodes), degree, *rows.shape[1:])
               for key, rows in messages.items()}  # fmt: skip
        boxes = Rows(box, box.__getitem__, "messages")
        given = function(NodeBatch(graph, target, nodes, frame, boxes, frame.get(NID)))
        if not isinstance(given, Mapping):
            return given
        chosen.append(nodes)
        results.append(given)
    if not chosen:
        return {}
    nodes = torch.cat(chosen)
    merged = {key: torch.cat([result[key] for result in results]) for key in results[0]}
    return {key: rows.new_zeros((size, *rows.shape[1:])).index_copy(0, nodes, rows) for key, rows in merged.items()}
