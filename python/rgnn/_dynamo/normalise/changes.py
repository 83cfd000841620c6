"""What nodes change in place, by their functions' names, flags and schemas."""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch.fx import Node

from ..partition import storages


def changed_by(node: Node) -> list[Node]:
    """What a node changes in place: not in a function that it runs, of which ``written_by`` of contexts.py knows."""
    if isinstance(node.target, torch._ops.OpOverload):
        return _changed_by_schema(node)
    name = name_of(node)
    changed = [*averages_of(node), *([node.kwargs["out"]] if "out" in node.kwargs else [])]
    in_place = name.endswith("_") and not name.endswith("__") or name in _IN_PLACE
    if node.args and (node.target is operator.setitem or in_place or _is_told_to(node)):
        changed += node.args[0] if isinstance(node.args[0], (list, tuple)) else [node.args[0]]  # `_foreach_add_`
    elif in_place or _is_told_to(node):
        changed += node.kwargs.values()
    return [value for value in changed if isinstance(value, Node)]


def _changed_by_schema(node: Node) -> list[Node]:
    written = [(number, argument.name) for number, argument in enumerate(node.target._schema.arguments)
               if argument.alias_info is not None and argument.alias_info.is_write]  # fmt: skip
    given = [node.args[number] if number < len(node.args) else node.kwargs.get(name) for number, name in written]
    return [value for each in given for value in (each if isinstance(each, (list, tuple)) else [each])
            if isinstance(value, Node)]  # fmt: skip


def averages_of(node: Node) -> list[Node]:
    """The averages of batches that a norm changes in training."""
    if node.target not in (F.batch_norm, F.instance_norm):
        return []
    given = dict(zip(_OF_NORMS, node.args), **node.kwargs)
    training = given.get("training", given.get("use_input_stats", node.target is F.instance_norm))
    averages = given.get("running_mean"), given.get("running_var")
    return [average for average in averages if training is not False and isinstance(average, Node)]


_OF_NORMS = ("input", "running_mean", "running_var", "weight", "bias", "training")
"""Arguments of a batch norm; those of an instance norm are named alike, but for the last."""


def _is_told_to(node: Node) -> bool:
    """Whether a function is told to work in place: ``relu(x, inplace=True)``."""
    if isinstance(node.kwargs.get("inplace"), bool):
        return node.kwargs["inplace"]
    place = _place_of_flag(node.target) if isinstance(node.target, types.FunctionType) else None
    return place is not None and len(node.args) > place and node.args[place] is True


@functools.cache
def _place_of_flag(function: Callable) -> int | None:
    """Where a function of ``torch.nn.functional`` is told to work in place."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
    return names.index("inplace") if "inplace" in names else None


_IN_PLACE = {"iadd", "iand", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow", "irshift", "isub",
             "itruediv", "ixor"}  # fmt: skip


def name_of(node: Node) -> str:
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")


def is_unseen(x: Node, before: Node) -> bool:
    """Whether a tensor was made in the graph, and nothing in front of a node shares or changes its memory."""
    readers = [user for user in x.users if user < before]
    own, changed = storages(x), [changed for reader in readers for changed in changed_by(reader)]
    return x.op != "placeholder" and not any(
        own & storages(other) for other in (*x.all_input_nodes, *readers, *changed))  # fmt: skip
