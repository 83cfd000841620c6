"""Functions of the language within models that TorchDynamo captures: one operator each.

``rgnn.compile`` takes the program by PyTorch's operators for it (:mod:`rgnn.lang.evaluate`), and so compiles it
together with what is around it, and saves it; where that has no kernel, and under ``torch.compile``, the operator runs
the function's own code.
"""

from __future__ import annotations

import functools
import itertools
import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx.experimental.symbolic_shapes import guard_scalar
from torch.utils import _pytree as pytree

from .._ops import registry
from .._ops.gradient import recomputed
from .._ops.movement import Movement
from .annotations import Weight
from .arguments import follow
from .evaluate import Ends
from .graphs import Lists
from .joint import join

if TYPE_CHECKING:
    from .versions import Version

_NAME = "rgnn_lang::run"
_library = torch.library.Library("rgnn_lang", "DEF")
_library.define("run(int version, Tensor edge_index, Tensor? edge_type, Tensor? node_type, SymInt num_nodes, "
                "Tensor[] tensors, Tensor[] types) -> Tensor[]")  # fmt: skip
_versions: weakref.WeakValueDictionary[int, Version] = weakref.WeakValueDictionary()
_handles = itertools.count()
UNKNOWN = -1  # a number of nodes that rows of nodes say


def register(version: Version) -> int:
    """A number for a version, by which operators know it."""
    handle = next(_handles)
    _versions[handle] = version
    return handle


def embed(function: Any, lists: Lists, values: list[Any]) -> Any:
    """A call that TorchDynamo captures: one operator. It looks into this function, too."""
    graph = lists.edge_index, lists.edge_type, lists.node_type
    kinds = tuple([None if one is None else (one.dtype, one.device.type, (0,)) for one in graph])
    kinds += tuple([_describe(value, kind is Weight) for kind, value in zip(function.signature.kinds, values)])
    others = [value for value in values if not isinstance(value, Tensor)]
    handle, inputs, weights, fixed, structure, has_nodes, picks = find_version(function, kinds, *others)
    if lists.num_nodes is None and lists.node_type is None and not has_nodes:
        raise TypeError("expected num_nodes within a model that is compiled, for no rows of nodes say it, got none")
    for place, path, known in fixed:  # so that a change of one has the call captured anew
        if follow(values[place], path) != known:
            raise AssertionError("a fixed value changed while the call was captured")
    tensors = [values[place] for place in inputs] + [follow(values[place], path) for place, path in weights]
    count = UNKNOWN if lists.num_nodes is None else lists.num_nodes
    types = [] if picks is None else _types_of_edges(lists, picks)
    results = torch.ops.rgnn_lang.run.default(handle, *graph, count, tensors, types)
    return _unflatten(structure, results)


def _types_of_edges(lists: Lists, picks: tuple) -> list[Tensor]:
    """The types of sources and of destinations, and numbers of the entries that several types pick, ``[E]`` each: of
    integers alone, which PyTorch computes once for a graph."""
    if lists.node_type is None:
        none = torch.zeros_like(lists.edge_index[0])
        types = {"src": none, "dst": none}
    else:
        types = {"src": lists.node_type.index_select(0, lists.edge_index[0]),
                 "dst": lists.node_type.index_select(0, lists.edge_index[1])}  # fmt: skip
    ends = [types["src"], types["dst"]]
    types["etype"] = torch.zeros_like(ends[0]) if lists.edge_type is None else lists.edge_type
    return ends + [join([types[kind] for kind in kinds], sizes) for kinds, sizes in picks]


def _describe(value: Any, is_whole: bool) -> Any:
    """Dtype, device and sizes of a tensor, which become fixed; that of the first dimension only where asked."""
    if not isinstance(value, Tensor):
        return None
    sizes = tuple([guard_scalar(size) for size in value.shape[0 if is_whole else 1 :]])
    return value.dtype, value.device.type, sizes if is_whole else (0, *sizes)


@torch._dynamo.assume_constant_result
def find_version(function: Any, kinds: tuple, *others: Any) -> tuple:
    """The version of a call that TorchDynamo captures, which runs this function and takes what it gives as it is.

    Args:
        function: the function of the language.
        kinds: of the graph's three lists and of each argument, what it is like; None for others than tensors.
        others: the arguments that are no tensors, in order.

    Returns:
        Its number; the places of arguments that are data; places and paths of weights, and those of fixed values, with
        the values; the structure of the result; whether data of nodes says how many there are; and of a program that
        reads types of nodes, what several types pick together.
    """
    rest = iter(others)
    with unset_fake_temporarily():
        made = [None if kind is None else torch.empty(kind[2], dtype=kind[0], device=kind[1]) for kind in kinds]
        lists = Lists(torch.empty((2, 0), dtype=kinds[0][0], device=kinds[0][1]), *made[1:3])
        values = [next(rest) if value is None else value for value in made[3:]]
        version = function.find(lists, values)
    reader = version.reader
    fixed = tuple(guard for guard in reader.guards if not isinstance(guard[2], tuple))
    has_nodes = version.first_nodes is not None
    picks = tuple(version.joint.picks) if version.joint else () if version.form.node_types else None
    structure = _structure(version.spec)
    return version.handle, tuple(reader.inputs), tuple(reader.weights), fixed, structure, has_nodes, picks


def _structure(spec: Any) -> Any:
    """What results are put into, as tuples of plain values."""
    numbers = itertools.count()

    def describe(value: Any) -> Any:
        if isinstance(value, dict):
            return "dict", tuple([(key, describe(item)) for key, item in value.items()])
        if isinstance(value, (tuple, list)):
            return "tuple" if isinstance(value, tuple) else "list", tuple([describe(item) for item in value])
        return "result", next(numbers)

    return describe(pytree.tree_unflatten([None] * spec.num_leaves, spec))


def _unflatten(structure: Any, results: list[Tensor]) -> Any:
    kind, items = structure
    if kind == "result":
        return results[items]
    if kind == "dict":
        return {key: _unflatten(item, results) for key, item in items}
    found = [_unflatten(item, results) for item in items]
    return tuple(found) if kind == "tuple" else found


def _lists(edge_index: Tensor, edge_type: Tensor | None, node_type: Tensor | None, num_nodes: int) -> Lists:
    return Lists(edge_index, edge_type, node_type, None if num_nodes == UNKNOWN else num_nodes)


def _run(version: int, edge_index: Tensor, edge_type: Tensor | None, node_type: Tensor | None, num_nodes: int,
         tensors: list[Tensor], types: list[Tensor]) -> list[Tensor]:
    given = {tensor.untyped_storage().data_ptr() for tensor in tensors}
    results = _versions[version].compute(_lists(edge_index, edge_type, node_type, num_nodes), tensors)
    # An operator gives no views of what it takes.
    return [result.clone() if result.untyped_storage().data_ptr() in given else result for result in results]


def lower(version: int, edge_index: Tensor, edge_type: Tensor | None, node_type: Tensor | None, num_nodes: Any,
          tensors: list[Tensor], types: list[Tensor]) -> list[Tensor]:
    """The same by PyTorch's operators, which the compiler lifts."""
    own = _versions[version]
    if num_nodes == UNKNOWN:
        nodes = own.first_nodes
        num_nodes = tensors[nodes].shape[0] if nodes is not None else node_type.shape[0]
    src, dst = edge_index[0], edge_index[1]
    form = own.form
    if form.edge_types and edge_type is None:
        edge_type = torch.zeros_like(src)
    if form.node_types and node_type is None:
        node_type = torch.zeros(num_nodes, dtype=torch.long, device=src.device)
    joined = dict(zip((kinds for kinds, _ in own.joint.picks), types[2:])) if own.joint else {}
    ends = Ends(src, dst, edge_type if form.edge_types else None, node_type if form.node_types else None, num_nodes,
                dict(zip(("src", "dst"), types)), joined)  # fmt: skip
    return own.evaluate(ends, tensors)


def _fake(version: int, edge_index: Tensor, edge_type: Tensor | None, node_type: Tensor | None, num_nodes: Any,
          tensors: list[Tensor], types: list[Tensor]) -> list[Tensor]:
    own = _versions[version]
    if isinstance(num_nodes, int) and num_nodes == UNKNOWN:
        nodes = own.first_nodes
        num_nodes = (tensors[nodes].shape[0] if nodes is not None else node_type.shape[0] if node_type is not None
                     else torch.library.get_ctx().new_dynamic_size())  # fmt: skip
    return [torch.empty((edge_index.shape[1] if data.on_edges else num_nodes, *data.shape), dtype=own.dtype,
                        device=edge_index.device) for data in own.program.outputs]  # fmt: skip


for _key in ("CPU", "CUDA"):
    _library.impl("run", _run, _key)
torch.library.register_fake(_NAME, _fake, lib=_library)
_gradients, _remember = recomputed(
    lambda version, edge_index, edge_type, node_type, num_nodes, tensors, types:
    _versions[version].compute(_lists(edge_index, edge_type, node_type, num_nodes), tensors))
torch.library.register_autograd(_NAME, lambda ctx, given: _gradients(ctx, *given), setup_context=_remember,
                                lib=_library)
_operator = torch.ops.rgnn_lang.run.default
_movement = functools.partial(Movement.make, rows="any", index=None, size=None, shared=())
registry.add(registry.RegisteredOp(_operator, _movement(_NAME, _operator._schema), lower))
