"""What nodes change in place, by the names of their functions."""

from __future__ import annotations

import operator

from torch.fx import Node

from ..partition import storages


def changed_by(node: Node) -> list[Node]:
    """What a node may change in place."""
    name = name_of(node)
    in_place = name.endswith("_") and not name.endswith("__") or name in _IN_PLACE
    changed = [node.args[0]] if node.args and (node.target is operator.setitem or in_place) else []
    changed += [node.kwargs["out"]] if "out" in node.kwargs else []
    return [value for value in changed if isinstance(value, Node)]


_IN_PLACE = {"iadd", "iand", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow", "irshift", "isub",
             "itruediv", "ixor"}  # fmt: skip


def name_of(node: Node) -> str:
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")


def is_unseen(x: Node, before: Node) -> bool:
    """Whether a tensor was made in the graph, and nothing in front of a node shares its memory."""
    readers = [user for user in x.users if user < before]
    own = storages(x)
    return x.op != "placeholder" and not any(own & storages(other) for other in (*x.all_input_nodes, *readers))
