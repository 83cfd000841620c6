"""Calls that a plainer one does the work of, or several do."""

from __future__ import annotations

import operator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ..functional import fake_mode, value_of
from ..partition import storages
from .changes import changed_by, name_of
from .emit import call
from .rows.slices import holds_now


def call_methods(graph: Graph) -> None:
    """Calls by the names that models have for them, whatever is in their places.

    ``torch.index_select(x, 0, list)`` is ``x.index_select(0, list)``: PyG puts functions of its own in the place of two
    of torch's, and which of them a graph has depends on what was imported first. ``x.T`` is no operator, which it is in
    captures since PyTorch 2.14.
    """
    for node in graph.nodes:
        if node.target in _ATTRIBUTES:
            node.target, node.args = getattr, (*node.args, _ATTRIBUTES[node.target])
            continue
        name = name_of(node).removeprefix("_new_") if node.op == "call_function" and _is_pick(node.target) else None
        given = _given(node, _PICKED) if name is not None else {}
        if given.keys() == set(_PICKED):
            node.op, node.target, node.args, node.kwargs = "call_method", name, tuple(map(given.get, _PICKED)), {}


def _is_pick(function: Any) -> bool:
    torchs = torch._C._VariableFunctions
    return function in (torchs.index_select, torchs.select) or (
        getattr(function, "__module__", "") == "torch_geometric.hash_tensor"
        and function.__name__ in ("_new_index_select", "_new_select"))  # fmt: skip


_PICKED = ("input", "dim", "index")
_ATTRIBUTES = {torch.ops.aten.numpy_T: "T", torch.ops.aten.mT: "mT", torch.ops.aten.matrix_H: "H",
               torch.ops.aten.mH: "mH"}  # fmt: skip


def write_plainly(graph: Graph) -> None:
    """Each call as the plainest that does the same.

    ``x[index, :]`` is ``x[index]``, ``x.to(device)`` is ``x`` where it is there, and ``torch.Tensor([...])`` is
    ``torch.tensor([...])``. Parts of ``split`` are slices, what is joined is joined once,
    ``x.repeat_interleave(counts, 0)`` picks rows, ``rrelu`` draws nothing in evaluation. ``x.data`` of which only
    the shape was asked goes. The row of padding gets no
    gradient. Integers are expanded to sizes, and a size that a tensor holds, as ``torch.zeros(batch.max() + 1)`` has,
    is read. ``cross`` is along a dimension that has a number.
    """
    changed = {place for node in graph.nodes for source in changed_by(node) for place in storages(source)}
    for node in list(graph.nodes):
        if name_of(node) in _KEEPING and storages(node) & storages(node.args[0]):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
        elif name_of(node) == "_get_data_attr" and not node.users:
            graph.erase_node(node)
        elif node.target in (operator.getitem, operator.setitem):
            _drop_whole_slices(node)
        elif node.target in _JOINS:
            _join_once(node, changed)
        elif node.target is F.rrelu:
            given = _given(node, _RRELU)
            if given.get("training") or given.get("inplace"):
                continue
            slope = (given.get("lower", 1 / 8) + given.get("upper", 1 / 3)) / 2
            node.target, node.args, node.kwargs = F.leaky_relu, (given["input"], slope), {}
        elif node.target in _CONSTRUCTORS and len(node.args) == 1:
            _construct(graph, node)
        elif name_of(node) in _TO_FLOATS and len(node.args) == 1 and not node.kwargs:
            _fill_with_floats(graph, node, changed)
        elif node.target in (torch.split, "split", torch.functional.split):
            _slice_parts(graph, node)
        elif node.target is F.embedding:
            detach_padding(graph, node)
        elif node.target in (torch.cross, "cross"):
            _name_dimension(node)
        elif node.target in ("expand_as", Tensor.expand_as) and not value_of(node).is_floating_point():
            _name_sizes(graph, node)
        elif node.target in _MAKERS:
            _read_sizes(graph, node)
        elif name_of(node) == "repeat_interleave":
            _pick_repeated(graph, node)


_KEEPING = ("to", "type", "type_as", "float", "double", "cpu", "contiguous")
"""Methods that give the very tensor where it is as they are asked for."""
_MAKERS = {torch.zeros: 0, torch.ones: 0, torch.empty: 0, torch.full: 0, "new_zeros": 1, "new_ones": 1, "new_empty": 1,
           "new_full": 1}  # fmt: skip
"""Where the sizes are that a tensor is made of."""


def _construct(graph: Graph, node: Node) -> None:
    """``torch.LongTensor([1, 2])`` makes a tensor of a list, ``torch.LongTensor(x)`` is ``x`` in the same memory."""
    (given,) = node.args
    if isinstance(given, (list, tuple)):
        node.target, node.kwargs = torch.tensor, {"dtype": value_of(node).dtype}
    elif isinstance(given, Node) and isinstance(value_of(given), Tensor) and not node.kwargs:
        with graph.inserting_before(node):
            same = call(graph, node, torch.ops.aten.alias.default, given)
        node.replace_all_uses_with(same)
        graph.erase_node(node)


def _fill_with_floats(graph: Graph, node: Node, changed: set[int]) -> None:
    """``torch.ones_like(row).float()`` is ``torch.ones_like(row, dtype=torch.float32)``."""
    filled = node.args[0]
    is_filled = isinstance(filled, Node) and name_of(filled) in _FILLED and filled.op.startswith("call")
    if not is_filled or value_of(filled).is_floating_point() or not storages(filled).isdisjoint(changed):
        return
    with graph.inserting_before(node):
        made = call(graph, node, filled.target, *filled.args, **{**filled.kwargs, "dtype": _TO_FLOATS[name_of(node)]})
    node.replace_all_uses_with(made)
    graph.erase_node(node)


def _pick_repeated(graph: Graph, node: Node) -> None:
    """Of rows, each as often as a list says, which a list of their numbers picks."""
    given = _given(node, ("input", "repeats", "dim"))
    x, repeats, dim = (given.pop(name, None) for name in ("input", "repeats", "dim"))
    times, value = value_of(repeats) if isinstance(repeats, Node) else None, value_of(x)
    if not isinstance(times, Tensor) or times.dim() != 1 or dim != 0 or not value.is_floating_point():
        return
    if not holds_now(times.shape[0], operator.eq, value.shape[0]):
        return  # one number for all
    with graph.inserting_before(node):
        rows = graph.call_function(torch.repeat_interleave, (repeats,), given)
    rows.meta = {**node.meta, "example_value": times.new_empty(value_of(node).shape[:1], dtype=torch.int64)}
    node.op, node.target, node.args, node.kwargs = "call_method", "index_select", (x, 0, rows), {}


def _read_sizes(graph: Graph, node: Node) -> None:
    first = _MAKERS[node.target]
    given = node.args[first:]
    sizes = list(given[0] if given and isinstance(given[0], (list, tuple)) else given)
    shape = value_of(node).shape
    for dim, size in enumerate(sizes[: len(shape)]):
        if isinstance(size, Node) and isinstance(value_of(size), Tensor):
            with graph.inserting_before(node):
                sizes[dim] = graph.call_method("item", (size,))
                sizes[dim].meta = {**node.meta, "example_value": shape[dim]}
    is_list = bool(given) and isinstance(given[0], (list, tuple))
    node.args = (*node.args[:first], tuple(sizes), *given[1:]) if is_list else (*node.args[:first], *sizes)


def _name_dimension(node: Node) -> None:
    """Of a cross product, which is along the first dimension of three by itself; that no size in front of it is three
    is a guard by then."""
    given = _given(node, ("input", "other", "dim"))
    threes = [dim for dim, size in enumerate(value_of(node).shape) if type(size) is int and size == 3]
    if given.get("dim") is None and threes:
        node.args, node.kwargs = (given["input"], given["other"]), {"dim": threes[0]}


def _name_sizes(graph: Graph, node: Node) -> None:
    """Of integers that are expanded to the sizes of floats, on whose numbers they do not depend."""
    like = node.args[1]
    with graph.inserting_before(node):
        sizes = [size if type(size) is int else call(graph, node, torch.ops.aten.sym_size.int, like, dim)
                 for dim, size in enumerate(value_of(like).shape)]  # fmt: skip
    node.op, node.target, node.args = "call_method", "expand", (node.args[0], *sizes)


_CONSTRUCTORS = (torch.Tensor, torch.FloatTensor, torch.DoubleTensor, torch.LongTensor, torch.IntTensor,
                 torch.BoolTensor)  # fmt: skip
"""Traced, they would make tensors without data."""
_TO_FLOATS = {"float": torch.float32, "double": torch.float64, "half": torch.float16, "bfloat16": torch.bfloat16}
_FILLED = ("ones", "ones_like", "new_ones", "zeros", "zeros_like", "new_zeros")
_RRELU = ("input", "lower", "upper", "training", "inplace")
_EMBEDDING = ("input", "weight", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")


def _given(node: Node, names: tuple[str, ...]) -> dict[str, Any]:
    return dict(zip(names, node.args), **node.kwargs)


def _drop_whole_slices(node: Node) -> None:
    x, index, *given = node.args
    is_pick = isinstance(index, tuple) and len(index) > 1 and isinstance(index[0], Node)
    if is_pick and isinstance(value_of(index[0]), Tensor) and all(
            part is Ellipsis or part == slice(None) for part in index[1:]):  # fmt: skip
        node.args = x, index[0], *given


def _join_once(node: Node, changed: set[int]) -> None:
    """``cat([cat([x, y]), z])`` is ``cat([x, y, z])``, where nobody changes ``cat([x, y])``, ``x`` or ``y``."""
    given = _given(node, ("tensors", "dim"))
    parts, dim, rank = given.get("tensors"), given.get("dim", 0), value_of(node).dim()
    if not isinstance(parts, (list, tuple)) or not isinstance(dim, int) or set(given) - {"tensors", "dim"}:
        return
    joined: list[Node] = []
    for part in parts:
        inner = _given(part, ("tensors", "dim")) if isinstance(part, Node) and part.target in _JOINS else {}
        is_same = (set(inner) <= {"tensors", "dim"} and isinstance(inner.get("tensors"), (list, tuple))
                   and inner.get("dim", 0) in (dim, dim % rank, dim % rank - rank)
                   and value_of(part).dtype == value_of(node).dtype
                   and all(storages(each).isdisjoint(changed) for each in (part, *part.all_input_nodes)))  # fmt: skip
        joined += inner["tensors"] if is_same else [part]
    node.args, node.kwargs = (joined, dim), {}


_JOINS = (torch.cat, torch.concat, torch.concatenate)


ALL_THERE = "rgnn_all_there"
"""In the ``meta`` of a slice: its sizes, which data may say, add up to how many rows there are, or it is an error."""


def _slice_parts(graph: Graph, node: Node) -> None:
    """Of rows, whose parts have sizes of their own."""
    given = _given(node, ("tensor", "split_size_or_sections", "dim"))
    x, sizes = given.get("tensor"), given.get("split_size_or_sections")
    parts = list(node.users)
    value = value_of(x) if isinstance(x, Node) else None
    is_of_rows = isinstance(value, Tensor) and value.is_floating_point() and given.get("dim", 0) == 0
    if not is_of_rows or not isinstance(sizes, (list, tuple)):
        return
    if not all(part.target is operator.getitem and isinstance(part.args[1], int) for part in parts):
        return
    if any(user.op == "output" for part in parts for user in part.users):  # they share their memory
        return
    with graph.inserting_before(node):
        ends: list[Any] = [0]
        for size in sizes:
            ends.append(_add(graph, node, ends[-1], size))
    for part in parts:
        number = part.args[1] % len(sizes)
        part.args = x, slice(ends[number], ends[number + 1])
        part.meta[ALL_THERE] = True
    graph.erase_node(node)


def _add(graph: Graph, node: Node, one: Any, other: Any) -> Any:
    if isinstance(one, int) and (one == 0 or isinstance(other, int)):
        return other if one == 0 else one + other
    total = graph.call_function(operator.add, (one, other))
    values = [value_of(term) if isinstance(term, Node) else term for term in (one, other)]
    total.meta = {**node.meta, "example_value": values[0] + values[1]}
    return total


def detach_padding(graph: Graph, node: Node) -> None:
    """The row of a table that stands for padding gets no gradient. Settings that are off are left out."""
    given = _given(node, _EMBEDDING)
    padding, table = given.get("padding_idx"), value_of(given["weight"])
    if given.get("max_norm") is not None or padding is not None and not isinstance(table.shape[0], int):
        return
    settings = {name: given[name] for name in ("scale_grad_by_freq", "sparse") if given.get(name)}
    node.args, node.kwargs = (given["input"], given["weight"]), settings
    if padding is None or not table.requires_grad or not torch.is_grad_enabled():
        return

    def call(target: Any, *args: Any) -> Node:
        make = graph.call_method if isinstance(target, str) else graph.call_function
        made = make(target, args)
        values = torch.fx.map_arg(args, value_of)
        with fake_mode(map(value_of, node.all_input_nodes)):
            function = getattr(Tensor, target) if isinstance(target, str) else target
            made.meta = {**node.meta, "example_value": function(*values)}
        return made

    readers = list(node.users)
    with graph.inserting_before(node.next):
        is_padding = call("unsqueeze", call(operator.eq, given["input"], padding % table.shape[0]), -1)
        rows = call(torch.where, is_padding, call("detach", node), node)
    node.replace_all_uses_with(rows, lambda user: user in readers)


def detach_all_padding(graph: Graph) -> None:
    for node in list(graph.nodes):
        if node.target is F.embedding:
            detach_padding(graph, node)
