"""What stands for PyG's own code while a model is captured.

Three kinds of code have a replacement: helpers that are one idea to the compiler
(softmax and scatter over edges), the per-type linear layer, and layers that loop
over relations or read sizes from data (layers.py). All else runs as PyG wrote it.

A replacement is put in the place of the stock code once, when this module is
loaded, and calls the stock code but on a thread that captures: TorchDynamo traces
the one or the other, and guards of other captures do not see a change.

A replacement that meets a case it does not cover (a subclass that overrides
``message``, a sparse adjacency, another reduction) calls the stock code as well.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

import torch
import torch_geometric.nn as gnn
from torch import Tensor
from torch_geometric import utils
from torch_geometric.nn import MeanAggregation, MessagePassing, SumAggregation

from . import custom_ops
from .capturing import is_capturing

_STOCK_FUNCTIONS: dict[str, Callable] = {}
_STOCK_METHODS: dict[str, tuple[type, str, Callable]] = {}


def replaces(owner: Any, attribute: str) -> Callable[[Callable], Callable]:
    """Puts the decorated function in the place of ``owner.attribute``, for captures.

    The function receives the stock one as its first argument.
    """
    stock = owner.__dict__[attribute]

    def declare(function: Callable) -> Callable:
        capturing = is_capturing

        def replacement(*args: Any, **kwargs: Any) -> Any:
            if capturing():
                return function(stock, *args, **kwargs)
            return stock(*args, **kwargs)

        # TorchScript reads the source of the stock code, and looks its names up among the globals of what it was given.
        code, names = replacement.__code__, inspect.unwrap(stock).__globals__
        replacement = wraps(stock)(FunctionType(code, names, closure=replacement.__closure__))
        name = function.__name__
        if isinstance(owner, type):
            _STOCK_METHODS[name] = (owner, attribute, stock)
            setattr(owner, attribute, replacement)
        else:
            _STOCK_FUNCTIONS[name] = stock
            _replace_everywhere(stock, replacement)
        return function

    return declare


def _replace_everywhere(stock: Callable, replacement: Callable) -> None:
    """Replaces a function in all modules that have imported it."""
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        if isinstance(names, dict) and module is not sys.modules[__name__]:
            for key, value in list(names.items()):
                if value is stock:
                    names[key] = replacement


def stock_location(function_name: str) -> tuple[str, int] | None:
    """File and line of the PyG function that the replacement of this name stands for."""
    if function_name in _STOCK_METHODS:
        stock = _STOCK_METHODS[function_name][2]
    elif function_name in _STOCK_FUNCTIONS:
        stock = _STOCK_FUNCTIONS[function_name]
    else:
        return None
    return inspect.getsourcefile(stock), stock.__code__.co_firstlineno


# Conditions under which a replacement applies


def are_plain(*edge_indices: Any) -> bool:
    """Whether lists of edges are ``[2, E]`` integers; TorchDynamo takes long for a call for each of hundreds."""
    dense = torch.strided
    for edges in edge_indices:
        if not isinstance(edges, Tensor) or edges.layout is not dense or edges.is_floating_point():
            return False
        if edges.dim() != 2 or edges.size(0) != 2:
            return False
    return True


def keeps_messages(module: MessagePassing, base: type, *methods: str) -> bool:
    """Whether no subclass, hook or explainer changes how ``module`` passes messages."""
    if any(name in module.__dict__ for name in methods):
        return False
    if any(getattr(type(module), name) is not getattr(base, name) for name in methods):
        return False
    if module.explain or module.decomposed_layers > 1:
        return False
    return not any(getattr(module, key) for key in _HOOKS)


# The hooks that `register_propagate_forward_hook` and its kin add to; a module's own are called around its forward.
_HOOKS = tuple(f"_{name.removeprefix('register_')}s" for name in vars(MessagePassing)
               if name.startswith("register_") and name.endswith("_hook"))  # fmt: skip


_AGGREGATIONS = {"add": SumAggregation, "sum": SumAggregation, "mean": MeanAggregation}


def keeps_aggregation(module: MessagePassing, names: tuple[str, ...]) -> bool:
    """Whether ``module`` reduces messages as one of ``names`` says, by PyG's own code."""
    return module.aggr in names and type(module.aggr_module) is _AGGREGATIONS[module.aggr]


def ends_of(module: MessagePassing, edge_index: Tensor) -> tuple[Tensor, Tensor, int]:
    """The node that each edge reads, the node it writes, and which end is written."""
    target = 1 if module.flow == "source_to_target" else 0
    return edge_index[1 - target], edge_index[target], target


# Helpers


@replaces(utils, "softmax")
def softmax(stock, src, index=None, ptr=None, num_nodes=None, dim=0):
    plain = index is not None and ptr is None and num_nodes is not None
    if not plain or dim not in (0, -src.dim()):
        return stock(src, index, ptr, num_nodes, dim)
    return custom_ops.edge_softmax(src, index, _as_size(num_nodes))


def _as_size(size):
    """A number of nodes, ``batch.max() + 1`` too: PyTorch takes it for a size."""
    return int(size) if isinstance(size, Tensor) else size


_REDUCE_NAMES = {
    "add": "sum",
    "sum": "sum",
    "mean": "mean",
    "max": "max",
    "amax": "max",
    "min": "min",
    "amin": "min",
}


@replaces(utils, "scatter")
def scatter(stock, src, index, dim=0, dim_size=None, reduce="sum"):
    plain = dim_size is not None and index.dim() == 1 and src.is_floating_point()
    if not plain or dim not in (0, -src.dim()) or reduce not in _REDUCE_NAMES:
        return stock(src, index, dim, dim_size, reduce)
    return custom_ops.aggregate(src, index, _as_size(dim_size), _REDUCE_NAMES[reduce])


@replaces(utils, "coalesce")
def coalesce(stock, edge_index, edge_attr="???", num_nodes=None, reduce="sum", is_sorted=False, sort_by_row=True):
    """Without the question whether there are duplicates, which only data answer."""
    has_attr = isinstance(edge_attr, Tensor)
    if not are_plain(edge_index) or not (has_attr or edge_attr in ("???", None)):
        return stock(edge_index, edge_attr, num_nodes, reduce, is_sorted, sort_by_row)
    num_nodes = int(edge_index.max()) + 1 if num_nodes is None else num_nodes
    number = edge_index[1 - int(sort_by_row)] * num_nodes + edge_index[int(sort_by_row)]
    if not is_sorted:
        number, order = number.sort(stable=True)
        edge_index = edge_index[:, order]
        edge_attr = edge_attr[order] if has_attr else edge_attr
    before = torch.cat([number.new_full((1,), -1), number])[:-1]
    is_first = number > before
    edge_index = edge_index[:, is_first]
    if has_attr:
        edge_attr = utils.scatter(edge_attr, is_first.cumsum(0) - 1, 0, edge_index.size(1), reduce)
    return (edge_index, edge_attr) if has_attr or edge_attr is None else edge_index


@replaces(gnn.HeteroLinear, "forward")
def hetero_linear_forward(stock, self, x, type_vec):
    out = custom_ops.typed_linear(x, type_vec, self.weight)
    return out if self.bias is None else out + self.bias.index_select(0, type_vec)
