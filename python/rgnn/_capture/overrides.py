"""What is patched in PyG while a model is captured.

Three kinds of code are replaced for the duration of a capture: helpers that are
one idea to the compiler (softmax and scatter over edges), layers that loop over
relations or read sizes from data (RGCN, RGAT within relations, HGT), and the
per-type linear layer. All else runs as PyG wrote it.

A replacement that meets a case it does not cover (a subclass that overrides
``message``, a sparse adjacency, another reduction) calls the stock code.
Replacements act only on the thread that captures; on other threads, they call
the stock code too.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import sys
import threading
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import torch
import torch.nn.functional as F
import torch_geometric.backend
import torch_geometric.nn as gnn
from torch import Tensor
from torch_geometric import utils
from torch_geometric.nn import FastRGCNConv, HGTConv, MessagePassing, RGATConv, RGCNConv

from . import leaves

_lock = threading.RLock()
_owner: int | None = None  # the thread that captures

_STOCK_FUNCTIONS: dict[str, Callable] = {}
_STOCK_METHODS: dict[str, tuple[type, str, Callable]] = {}
_REPLACEMENTS: dict[str, Callable] = {}


def _replaces(owner: Any, attribute: str) -> Callable[[Callable], Callable]:
    """Declares the decorated function as the replacement of ``owner.attribute``.

    The function receives the stock one as its first argument.
    """
    stock = owner.__dict__[attribute]

    def declare(function: Callable) -> Callable:
        @wraps(stock)
        def replacement(*args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() != _owner:
                return stock(*args, **kwargs)
            return function(stock, *args, **kwargs)

        name = function.__name__
        _REPLACEMENTS[name] = replacement
        if isinstance(owner, type):
            _STOCK_METHODS[name] = (owner, attribute, stock)
        else:
            _STOCK_FUNCTIONS[name] = stock
        return function

    return declare


def stock_location(function_name: str) -> tuple[str, int] | None:
    """File and line of the PyG function that the replacement of this name stands for."""
    if function_name in _STOCK_METHODS:
        stock = _STOCK_METHODS[function_name][2]
    elif function_name in _STOCK_FUNCTIONS:
        stock = _STOCK_FUNCTIONS[function_name]
    else:
        return None
    return inspect.getsourcefile(stock), stock.__code__.co_firstlineno


@contextlib.contextmanager
def patched() -> Iterator[None]:
    """Puts the replacements in place, in every loaded module, and takes them out again.

    One capture at a time: a second thread waits.
    """
    global _owner
    with _lock:
        previous_owner, _owner = _owner, threading.get_ident()
        undo: list[Callable[[], None]] = []
        try:
            if previous_owner is None:
                _install(undo)
            yield
        finally:
            for action in reversed(undo):
                action()
            _owner = previous_owner


def _install(undo: list[Callable[[], None]]) -> None:
    by_identity = {id(stock): name for name, stock in _STOCK_FUNCTIONS.items()}
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        if not isinstance(names, dict) or module is sys.modules[__name__]:
            continue
        for key, value in list(names.items()):
            name = by_identity.get(id(value))
            if name is not None:
                names[key] = _REPLACEMENTS[name]
                undo.append(lambda names=names, key=key, value=value: names.update({key: value}))
    for name, (owner, attribute, stock) in _STOCK_METHODS.items():
        setattr(owner, attribute, _REPLACEMENTS[name])
        undo.append(
            lambda owner=owner, attribute=attribute, stock=stock: setattr(owner, attribute, stock)
        )
    flag = torch_geometric.backend.use_segment_matmul
    torch_geometric.backend.use_segment_matmul = False  # its heuristic reads sizes from data
    undo.append(lambda: setattr(torch_geometric.backend, "use_segment_matmul", flag))


# Conditions under which a replacement applies


def _is_plain(edge_index: Any) -> bool:
    return isinstance(edge_index, Tensor) and edge_index.layout == torch.strided


def _keeps(module: MessagePassing, base: type, *methods: str) -> bool:
    """Whether no subclass, hook or explainer changes how ``module`` passes messages."""
    if any(getattr(type(module), name) is not getattr(base, name) for name in methods):
        return False
    if module.explain or module.decomposed_layers > 1:
        return False
    hooks = (value for key, value in vars(module).items() if key.endswith("_hooks"))
    own = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    kept = [vars(module)[key] for key in own]
    return not any(value for value in hooks if not any(value is other for other in kept))


def _ends(module: MessagePassing, edge_index: Tensor) -> tuple[Tensor, Tensor, int]:
    """The node that each edge reads, the node it writes, and which end is written."""
    target = 1 if module.flow == "source_to_target" else 0
    return edge_index[1 - target], edge_index[target], target


# Helpers


@_replaces(utils, "softmax")
def softmax(stock, src, index=None, ptr=None, num_nodes=None, dim=0):
    plain = index is not None and ptr is None and num_nodes is not None
    if not plain or dim not in (0, -src.dim()):
        return stock(src, index, ptr, num_nodes, dim)
    return leaves.edge_softmax(src, index, num_nodes)


_REDUCE_NAMES = {
    "add": "sum",
    "sum": "sum",
    "mean": "mean",
    "max": "max",
    "amax": "max",
    "min": "min",
    "amin": "min",
}


@_replaces(utils, "scatter")
def scatter(stock, src, index, dim=0, dim_size=None, reduce="sum"):
    plain = dim_size is not None and index.dim() == 1 and src.is_floating_point()
    if not plain or dim not in (0, -src.dim()) or reduce not in _REDUCE_NAMES:
        return stock(src, index, dim, dim_size, reduce)
    return leaves.aggregate(src, index, dim_size, _REDUCE_NAMES[reduce])


@_replaces(gnn.HeteroLinear, "forward")
def hetero_linear_forward(stock, self, x, type_vec):
    out = leaves.typed_linear(x, type_vec, self.weight)
    return out if self.bias is None else out + self.bias.index_select(0, type_vec)


# RGCN


def _rgcn_messages(conv: RGCNConv, x: Tensor | None, source: Tensor, edge_type: Tensor) -> Tensor:
    """One row per edge: the features, or the index, of its source under its type's weight."""
    if x is not None and x.is_floating_point():
        x_j = x.index_select(0, source)
        if conv.num_blocks is not None:
            x_j = x_j.view(-1, conv.weight.size(1), conv.weight.size(2))
            out = leaves.typed_linear(x_j, edge_type, conv.weight)
            return out.view(-1, conv.out_channels)
        weight = conv.weight
        if conv.num_bases is not None:
            weight = (conv.comp @ weight.view(conv.num_bases, -1)).view(
                conv.num_relations, conv.in_channels_l, conv.out_channels
            )
        return leaves.typed_linear(x_j, edge_type, weight)
    if conv.num_blocks is not None:
        raise ValueError("block-diagonal weights: expected real-valued features, got indices")
    # FastRGCNConv takes the number of the node even where x gives indices; RGCNConv takes x.
    own = x is None or isinstance(conv, FastRGCNConv)
    index = source if own else x.index_select(0, source)
    if conv.num_bases is not None:
        return leaves.basis_lookup(conv.comp, conv.weight, edge_type, index)
    return leaves.lookup(conv.weight, edge_type, index)


def _rgcn(conv: RGCNConv, x: Any, edge_index: Tensor, edge_type: Tensor) -> Tensor:
    """The sum over edges of their messages, each divided by its (node, type) degree for mean."""
    x_l, x_r = x if isinstance(x, tuple) else (x, x)
    sizes = [conv.in_channels_l if part is None else part.size(0) for part in (x_l, x_r)]
    source, target, end = _ends(conv, edge_index)
    out = _rgcn_messages(conv, x_l, source, edge_type)
    if conv.aggr == "mean":
        degree = leaves.pair_degree(target, edge_type, sizes[end], conv.num_relations, out)
        out = out / degree.view(-1, 1)
    out = leaves.aggregate(out, target, sizes[end], "sum")
    if not isinstance(conv, FastRGCNConv):
        out = out.to(torch.promote_types(out.dtype, torch.get_default_dtype()))

    if conv.root is not None:
        if x_r is None:
            out = out + (conv.root if conv.root.size(0) == sizes[1] else conv.root[: sizes[1]])
        elif x_r.is_floating_point():
            out = out + x_r @ conv.root
        else:
            out = out + conv.root.index_select(0, x_r)
    return out if conv.bias is None else out + conv.bias


def _rgcn_applies(conv: RGCNConv, base: type, edge_index: Any, edge_type: Any) -> bool:
    methods = ("message", "aggregate", "update", "propagate")
    return (
        conv.aggr in ("add", "sum", "mean")
        and _is_plain(edge_index)
        and edge_type is not None
        and _keeps(conv, base, *methods)
    )


@_replaces(RGCNConv, "forward")
def rgcn_forward(stock, self, x, edge_index, edge_type=None):
    if not _rgcn_applies(self, RGCNConv, edge_index, edge_type):
        return stock(self, x, edge_index, edge_type)
    return _rgcn(self, x, edge_index, edge_type)


@_replaces(FastRGCNConv, "forward")
def fast_rgcn_forward(stock, self, x, edge_index, edge_type=None):
    if not _rgcn_applies(self, FastRGCNConv, edge_index, edge_type):
        return stock(self, x, edge_index, edge_type)
    return _rgcn(self, x, edge_index, edge_type)


# RGAT


def _rgat_rows(conv: RGATConv, x_i: Tensor, x_j: Tensor, edge_type: Tensor):
    """Both end nodes of each edge under the weight of its type, ``[E, heads * out]``."""
    if conv.num_bases is not None:
        weight = (conv.att @ conv.basis.view(conv.num_bases, -1)).view(
            conv.num_relations, conv.in_channels, conv.heads * conv.out_channels
        )
    else:
        weight = conv.weight
    rows = []
    for x in (x_i, x_j):
        if conv.num_blocks is not None:
            x = x.view(-1, weight.size(1), weight.size(2))
            x = leaves.typed_linear(x, edge_type, weight)
            rows.append(x.view(-1, conv.heads * conv.out_channels))
        else:
            rows.append(leaves.typed_linear(x, edge_type, weight))
    return rows


@_replaces(RGATConv, "message")
def rgat_message(stock, self, x_i, x_j, edge_type, edge_attr, index, ptr, size_i):
    if self.mod is not None or ptr is not None or not x_j.is_floating_point():
        return stock(self, x_i, x_j, edge_type, edge_attr, index, ptr, size_i)
    out_i, out_j = _rgat_rows(self, x_i, x_j, edge_type)
    query, key = out_i @ self.q, out_j @ self.k
    additive = self.attention_mode == "additive-self-attention"
    alpha = query + key if additive else query * key
    if edge_attr is not None:
        if edge_attr.dim() == 1:
            edge_attr = edge_attr.view(-1, 1)
        alpha_edge = self.lin_edge(edge_attr) @ self.e
        alpha = alpha + alpha_edge if additive else alpha * alpha_edge
    if additive:
        alpha = F.leaky_relu(alpha, self.negative_slope)
    if self.attention_mechanism == "within-relation":
        alpha = leaves.pair_softmax(alpha, index, edge_type, size_i, self.num_relations)
    else:
        alpha = leaves.edge_softmax(alpha, index, size_i)
    self._alpha = alpha  # RGATConv.forward returns it on demand
    if self.training and self.dropout > 0:
        alpha = F.dropout(alpha, p=self.dropout, training=True)
    if additive:
        return alpha.view(-1, self.heads, 1) * out_j.view(-1, self.heads, self.out_channels)
    return alpha.view(-1, self.heads, self.dim, 1) * out_j.view(
        -1, self.heads, 1, self.out_channels
    )


# HGT


def _hgt_applies(conv: HGTConv, edge_index_dict: dict) -> bool:
    return (
        len(edge_index_dict) > 0
        and conv.flow == "source_to_target"
        and all(_is_plain(edge_index) for edge_index in edge_index_dict.values())
        and all(edge_type in conv.edge_types_map for edge_type in edge_index_dict)
        and _keeps(conv, HGTConv, "message", "aggregate", "update", "propagate", "_cat")
    )


def _hgt_relation_weight(weight: Tensor, heads: int, present: list[int], total: int) -> Tensor:
    """Per-relation weights ``[R, H, D, D]`` of the relations present, out of ``[H * R, D, D]``."""
    width = weight.size(-1)
    weight = weight.view(heads, total, width, width).transpose(0, 1)
    if len(present) == total:
        return weight
    return weight.index_select(0, torch.tensor(present))


@_replaces(HGTConv, "forward")
def hgt_forward(stock, self, x_dict, edge_index_dict):
    if not _hgt_applies(self, edge_index_dict):
        return stock(self, x_dict, edge_index_dict)
    heads, width = self.heads, self.out_channels
    rows_of = self.kqv_lin(x_dict)
    node_types = list(rows_of)
    num_nodes = [rows.size(0) for rows in rows_of.values()]
    kqv = leaves.concat_types(list(rows_of.values()))
    k, q, v = (
        kqv[:, part * width : (part + 1) * width].view(-1, heads, width // heads)
        for part in range(3)
    )

    # Edge types in the order of the metadata, so that weights are used as they lie. (In another
    # order, PyG 2.8 gives rows to the wrong weights: its k_rel and v_rel take them for sorted.)
    # A relation that the call leaves out has no edges; its weights stay, so that none need to be picked.
    def joins(edge_type):
        return edge_type in edge_index_dict or (edge_type[0] in rows_of and edge_type[2] in rows_of)

    edge_types = sorted(filter(joins, self.edge_types_map), key=self.edge_types_map.__getitem__)
    present = [self.edge_types_map[edge_type] for edge_type in edge_types]
    if len(edge_types) > len(edge_index_dict):
        none = torch.tensor([[], []], dtype=next(iter(edge_index_dict.values())).dtype)
        edge_index_dict = {edge_type: edge_index_dict.get(edge_type, none) for edge_type in edge_types}
    number_of = {node_type: number for number, node_type in enumerate(node_types)}
    edge_index, edge_type = leaves.hetero_edges(
        [edge_index_dict[edge_type] for edge_type in edge_types],
        [number_of[source] for source, _, _ in edge_types],
        [number_of[target] for _, _, target in edge_types],
        num_nodes,
    )
    source, target, _ = _ends(self, edge_index)
    total = len(self.edge_types)
    k_weight = _hgt_relation_weight(self.k_rel.weight, heads, present, total)
    v_weight = _hgt_relation_weight(self.v_rel.weight, heads, present, total)
    k_j = leaves.typed_linear(k.index_select(0, source), edge_type, k_weight)
    v_j = leaves.typed_linear(v.index_select(0, source), edge_type, v_weight)
    prior = torch.cat([self.p_rel["__".join(edge_type)] for edge_type in edge_types])
    prior = prior.index_select(0, edge_type)

    alpha = (q.index_select(0, target) * k_j).sum(dim=-1) * prior
    alpha = leaves.edge_softmax(alpha / math.sqrt(width // heads), target, kqv.size(0))
    out = (v_j * alpha.view(-1, heads, 1)).view(-1, width)
    out = leaves.aggregate(out, target, kqv.size(0), "sum")

    updated = self.out_lin(
        {
            node_type: F.gelu(leaves.slice_type(out, number, num_nodes))
            for node_type, number in number_of.items()
            if node_type in self.dst_node_types
        }
    )
    result = {}
    for node_type in node_types:
        if node_type in self.dst_node_types:
            rows, x = updated[node_type], x_dict[node_type]
            if rows.size(-1) == x.size(-1):
                gate = self.skip[node_type].sigmoid()
                rows = gate * rows + (1 - gate) * x
            result[node_type] = rows
    return result
