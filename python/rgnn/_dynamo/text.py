"""Writes a part of a captured graph as MLIR, for the compiler."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node

from .._capture.inputs import identifier
from .._capture.places import place_of
from .._capture.serialize import live_nodes, module_text, shows_value, string_text, type_text, value_text
from .functional import Functional, Subgraph, value_of
from .lists_of_nodes import counted_by


def write(part: Subgraph, functional: Functional, place: Callable[[Node], tuple[str, int] | None] = place_of,
          few: dict[str, bool] | None = None) -> str:  # fmt: skip
    """The function ``@forward``.

    Args:
        part: what it computes.
        functional: the same as ATen.
        place: file and line of a node.
        few: of lists by their paths, whether they are few, as the first capture found: later ones are added.

    Raises:
        CaptureError: there is no text for an operator or a type.
    """
    placeholders = [node for node in functional.graph.nodes if node.op == "placeholder"]
    constants = dict(functional.constants)
    given = [node for node in placeholders if node not in constants and node not in functional.lists]
    arguments: list[tuple[Any, str, str, str]] = []
    for node, source in zip(given, part.inputs, strict=True):
        path, kind = path_of(source)
        text = f"rgnn.{kind} = {string_text(path)}{', rgnn.distinct' if is_distinct(source) else ''}"
        text += ", rgnn.few" if few is not None and are_few(node, path, few) else ""
        arguments.append((node, identifier(path), type_text(node.meta["val"]), text))
    for number, (node, value) in enumerate(constants.items()):
        text = f"rgnn.constant = {number}"
        if counted := counted_by(node):
            first, *others = map(given.index, counted)
            text += f", rgnn.nodes_of = {first}"
            text += f", rgnn.more_nodes_of = array<i64: {', '.join(map(str, others))}>" if others else ""
        if shows_value(value):
            text += f", rgnn.value = {value_text(value)}"
        arguments.append((node, f"constant_{number}", type_text(node.meta["val"]), text))
    for node in functional.lists:
        text = f'rgnn.input = "{node.name}"{", rgnn.distinct" if node.meta["distinct"] else ""}'
        arguments.append((node, node.name, type_text(node.meta["val"]), text))
    return module_text(arguments, live_nodes(functional.graph), functional.outputs, place)


def origin_of(node: Node) -> Node:
    """The input of the graph that a value comes from; for rows that are picked, that of the rows."""
    while node.op != "placeholder" and node.all_input_nodes:
        node = node.all_input_nodes[0]
    return node


def is_distinct(node: Node) -> bool:
    """Whether a value lists where a mask of one dimension is true, or numbers in steps, or a part of these."""
    while _name(node) in _PARTS and len(node.all_input_nodes) == 1:
        node = node.all_input_nodes[0]
    if node.target in (torch.arange, torch.ops.aten.arange.start_step, torch.ops.aten.arange.default):
        return True
    if _name(node) not in ("nonzero", "argwhere") and not (_name(node) == "where" and len(node.args) == 1):
        return False
    mask = value_of(node.all_input_nodes[0])
    return isinstance(mask, Tensor) and mask.dim() == 1


def are_few(node: Node, path: str, known: dict[str, bool]) -> bool:
    """Whether rows of a list, or the ends of edges, are at most half as many as the rows that they pick from, in the
    first call that was captured with any of them: later captures of a model compile the same code."""
    if path in known:
        return known[path]
    picks = [pick for part in (node, *(user for user in node.users if user.target is torch.ops.aten.select.int))
             for pick in part.users if pick.target in _PICKS and pick.args[0] is not part]  # fmt: skip
    counts = [_hint(pick.args[0].meta["val"].shape[0]) for pick in picks]
    length = _hint(node.meta["val"].shape[-1]) if picks else None
    if not length or None in counts:
        return False
    return known.setdefault(path, 2 * length <= min(counts))


_PICKS = (torch.ops.aten.index_select.default, torch.ops.aten.index.Tensor)


def _hint(size: Any) -> int | None:
    return size if isinstance(size, int) else size.node.hint


_PARTS = {"view", "reshape", "flatten", "squeeze", "getitem", "long"}


def _name(node: Node) -> str:
    """Of what a node calls; empty where it calls nothing."""
    if node.op not in ("call_function", "call_method") or not node.all_input_nodes:
        return ""
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")


def path_of(node: Node) -> tuple[str, str]:
    """What a user calls an input of a graph, and whether it is an ``"input"`` or a ``"param"`` of the model."""
    return node.meta.get("rgnn_path", (node.name, "input"))


def name_inputs(graph: Graph, names: Sequence[str]) -> None:
    """Gives the inputs of a captured graph the names that a user knows.

    Args:
        graph: as TorchDynamo captured it.
        names: of the positional arguments behind ``self`` of a method that takes any.
    """
    for node in graph.nodes:
        source = getattr(node.meta.get("grapharg"), "source", None)
        if node.op == "placeholder" and source is not None:
            node.meta["rgnn_path"] = _describe(_text_of(source), names)


def describe_source(source: Any) -> str:
    """What a user calls where a value comes from, as TorchDynamo knows it."""
    return _describe(_text_of(source), ())[0].removeprefix("self.")


def describe_guard(reason: str) -> str:
    """One line of TorchDynamo's words about a guard that failed."""
    line = reason.strip().split("\n", 1)[0]
    line = re.sub(r"^\[?\d+/\d+\]?: ", "", re.sub(r"\s{2,}#.*$", "", line))
    line = re.sub(r" or \S+\.numel\(\) .*$", "", line)  # where strides of a table count, which tells nothing
    return _describe(line, ())[0].strip()


def _text_of(source: Any) -> str:
    return source.name() if callable(source.name) else source.name


def _describe(source: str, names: Sequence[str]) -> tuple[str, str]:
    kind = "param" if re.search(r"\._(parameters|buffers)\['[^']+'\]$", source) else "input"
    if names:
        source = re.sub(r"^L\['args'\]\[(\d+)\]", lambda match: ("self", *names)[int(match[1])], source)
        source = re.sub(r"^L\['kwargs'\]\['(\w+)'\]", r"\1", source)
    path = short_names(source)
    return (path.removeprefix("self."), kind) if kind == "param" else (path, kind)


def short_names(source: str) -> str:
    """TorchDynamo's name of a value as users write it: ``L['self']._modules['conv'].aggr`` is ``self.conv.aggr``."""
    source = re.sub(r"\._(?:modules|parameters|buffers)\['([^']+)'\]", r".\1", source)
    return re.sub(r"L\['(\w+)'\]", r"\1", source)
