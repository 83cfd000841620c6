"""What nodes change in place, by their functions' names, flags and schemas."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable

import torch
import torch.nn.functional as F
from torch.fx import Node

from ..partition import storages


def changed_by(node: Node) -> list[Node]:
    """What a node changes in place: not in a function that it runs, of which ``written_by`` of contexts.py knows."""
    if isinstance(node.target, torch._ops.OpOverload):
        return _changed_by_schema(node)
    changed = [*averages_of(node), node.kwargs.get("out")]
    if _is_in_place(name_of(node)) or _is_told_to(node):
        changed += node.args[:1] or node.kwargs.values()
    if node.target in (F.embedding, F.embedding_bag):
        given = dict(zip(("input", "weight", "", "max_norm"), node.args), **node.kwargs)
        changed += [given["weight"]] if given.get("max_norm") is not None else []
    return _nodes_in(changed)


def _is_in_place(name: str) -> bool:
    """Of ``add_``, ``iadd``, ``setitem``, and of ``__iadd__`` and ``__setitem__``."""
    return name.strip("_") in _IN_PLACE or name.endswith("_") and not name.endswith("__")


def _nodes_in(given: Iterable[object]) -> list[Node]:
    """The nodes among arguments, and in lists of theirs: ``_foreach_add_([x, y], 1)``."""
    parts = [part for each in given for part in (each if isinstance(each, (list, tuple)) else [each])]
    return [part for part in parts if isinstance(part, Node)]


def _changed_by_schema(node: Node) -> list[Node]:
    written = [(number, argument.name) for number, argument in enumerate(node.target._schema.arguments)
               if argument.alias_info is not None and argument.alias_info.is_write]  # fmt: skip
    return _nodes_in(node.args[number] if number < len(node.args) else node.kwargs.get(name)
                     for number, name in written)  # fmt: skip


def averages_of(node: Node) -> list[Node]:
    """The averages of batches that a norm changes in training."""
    if node.target not in _NORMS:
        return []
    given = dict(zip(_NORMS[node.target], node.args), **node.kwargs)
    training = given.get("training", given.get("use_input_stats", node.target is F.instance_norm))
    averages = given.get("running_mean"), given.get("running_var")
    return [average for average in averages if training is not False and isinstance(average, Node)]


_OF_FUNCTIONS = ("input", "running_mean", "running_var", "weight", "bias", "training")
_OF_OPERATORS = ("input", "weight", "bias", "running_mean", "running_var", "training")
_NORMS = {**dict.fromkeys((F.batch_norm, F.instance_norm), _OF_FUNCTIONS),
          **dict.fromkeys((torch.batch_norm, torch.instance_norm, torch.native_batch_norm), _OF_OPERATORS)}  # fmt: skip
"""Their arguments; what is ``training`` to batch norms is ``use_input_stats`` to others."""


def _is_told_to(node: Node) -> bool:
    """Whether a function is told to work in place: ``relu(x, inplace=True)``."""
    if "inplace" in node.kwargs:
        return bool(node.kwargs["inplace"])  # a node may say so
    place = _place_of_flag(node.target) if isinstance(node.target, types.FunctionType) else None
    return place is not None and len(node.args) > place and bool(node.args[place])


@functools.cache
def _place_of_flag(function: Callable) -> int | None:
    """Where a function of ``torch.nn.functional`` is told to work in place."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return None
    return names.index("inplace") if "inplace" in names else None


_IN_PLACE = {"iadd", "iand", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow", "irshift", "isub",
             "itruediv", "ixor", "setitem"}  # fmt: skip


def name_of(node: Node) -> str:
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")


def is_unseen(x: Node, before: Node) -> bool:
    """Whether a tensor was made in the graph, and nothing in front of a node shares or changes its memory."""
    readers = [user for user in x.users if user < before]
    own, changed = storages(x), [changed for reader in readers for changed in changed_by(reader)]
    return x.op != "placeholder" and not any(
        own & storages(other) for other in (*x.all_input_nodes, *readers, *changed))  # fmt: skip
