"""What relational layers of PyG are replaced by while a model is captured: RGCN, RGAT, GAT and HGT."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
import torch_geometric
from torch import Tensor
from torch_geometric.nn import FastRGCNConv, GATConv, HGTConv, RGATConv, RGCNConv
from torch_geometric.nn.parameter_dict import ParameterDict

from . import custom_ops
from .overrides import are_plain, ends_of, keeps_aggregation, keeps_messages, replaces

# RGCN


def _rgcn_messages(conv: RGCNConv, x: Tensor | None, source: Tensor, edge_type: Tensor) -> Tensor:
    """One row per edge: the features, or the index, of its source under its type's weight."""
    if x is not None and x.is_floating_point():
        x_j = x.index_select(0, source)
        if conv.num_blocks is not None:
            x_j = x_j.view(-1, conv.weight.size(1), conv.weight.size(2))
            out = custom_ops.typed_linear(x_j, edge_type, conv.weight)
            return out.view(-1, conv.out_channels)
        weight = conv.weight
        if conv.num_bases is not None:
            weight = (conv.comp @ weight.view(conv.num_bases, -1)).view(
                conv.num_relations, conv.in_channels_l, conv.out_channels
            )
        return custom_ops.typed_linear(x_j, edge_type, weight)
    if conv.num_blocks is not None:
        raise ValueError("block-diagonal weights: expected real-valued features, got indices")
    index = source
    if x is not None:
        # FastRGCNConv takes the number of the node even where x gives indices; RGCNConv takes x.
        own = isinstance(conv, FastRGCNConv)
        index = custom_ops.ends(source if own else x.index_select(0, source))[0]
    if conv.num_bases is not None:
        return custom_ops.basis_lookup(conv.comp, conv.weight, edge_type, index)
    return custom_ops.lookup(conv.weight, edge_type, index)


def _rgcn(conv: RGCNConv, x: Any, edge_index: Tensor, edge_type: Tensor) -> Tensor:
    """The sum over edges of their messages, each divided by its (node, type) degree for mean."""
    x_l, x_r = x if isinstance(x, tuple) else (x, x)
    sizes = [conv.in_channels_l if part is None else part.size(0) for part in (x_l, x_r)]
    source, target, end = ends_of(conv, edge_index)
    if isinstance(x, tuple):  # the ends of edges count different nodes
        source, target = custom_ops.ends(source)[0], custom_ops.ends(target)[0]
    out = _rgcn_messages(conv, x_l, source, edge_type)
    if conv.aggr == "mean":
        degree = custom_ops.pair_degree(target, edge_type, sizes[end], conv.num_relations, out)
        out = out / degree.view(-1, 1)
    out = custom_ops.aggregate(out, target, sizes[end], "sum")
    if not isinstance(conv, FastRGCNConv):
        out = out.to(torch.promote_types(out.dtype, torch.get_default_dtype()))

    if conv.root is not None:
        if x_r is None:
            out = out + (conv.root if conv.root.size(0) == sizes[1] else conv.root[: sizes[1]])
        elif x_r.is_floating_point():
            out = out + x_r @ conv.root
        else:
            out = out + conv.root.index_select(0, custom_ops.ends(x_r)[0])
    return out if conv.bias is None else out + conv.bias


def _rgcn_applies(conv: RGCNConv, base: type, x: Any, edge_index: Any, edge_type: Any) -> bool:
    methods = ("message", "aggregate", "update", "propagate")
    return (
        keeps_aggregation(conv, ("add", "sum", "mean"))
        and are_plain(edge_index)
        and edge_type is not None
        and keeps_messages(conv, base, *methods)
        and (not isinstance(x, tuple) or _is_pair(conv, x))
    )


def _is_pair(conv: RGCNConv, x: tuple) -> bool:
    """Whether ``x`` gives what the layer reads of sources and of destinations."""
    if len(x) != 2 or x[1] is None or conv.flow != "source_to_target":
        return False
    is_index = [part is None or not part.is_floating_point() for part in x]
    return isinstance(conv, FastRGCNConv) or is_index[0] == is_index[1]


@replaces(torch_geometric.backend, "use_segment_matmul_heuristic")
def use_segment_matmul_heuristic(stock, num_segments, max_segment_size, in_channels, out_channels):
    # What it chooses between is one way while a model is captured, and it branches on numbers in a tensor.
    return False


@replaces(RGCNConv, "forward")
def rgcn_forward(stock, self, x, edge_index, edge_type=None):
    if not _rgcn_applies(self, RGCNConv, x, edge_index, edge_type):
        return stock(self, x, edge_index, edge_type)
    return _rgcn(self, x, edge_index, edge_type)


@replaces(FastRGCNConv, "forward")
def fast_rgcn_forward(stock, self, x, edge_index, edge_type=None):
    if not _rgcn_applies(self, FastRGCNConv, x, edge_index, edge_type):
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
            x = custom_ops.typed_linear(x, edge_type, weight)
            rows.append(x.view(-1, conv.heads * conv.out_channels))
        else:
            rows.append(custom_ops.typed_linear(x, edge_type, weight))
    return rows


@replaces(RGATConv, "message")
def rgat_message(stock, self, x_i, x_j, edge_type, edge_attr, index, ptr, size_i):
    if ptr is not None or not x_j.is_floating_point():
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
        alpha = custom_ops.pair_softmax(alpha, index, edge_type, size_i, self.num_relations)
    else:
        alpha = custom_ops.edge_softmax(alpha, index, size_i)
    self._alpha = alpha  # RGATConv.forward returns it on demand
    if self.mod == "f-additive":
        alpha = alpha + alpha.sign()  # one more where it is positive
    elif self.mod == "f-scaled":
        alpha = alpha * _degree(index, size_i, alpha)
    elif self.mod is None and self.training and self.dropout > 0:
        alpha = F.dropout(alpha, p=self.dropout, training=True)
    out_j = out_j.view(-1, self.heads, *([] if additive else [1]), self.out_channels)
    out = alpha.view(-1, self.heads, *([] if additive else [self.dim]), 1) * out_j
    if self.mod == "additive":
        out = out + self.w * out_j
    elif self.mod == "scaled":
        scale = F.relu(_degree(index, size_i, alpha) @ self.l1 + self.b1) @ self.l2 + self.b2
        out = out * scale.view(-1, *([1] * (out.dim() - 2)), self.out_channels)
    return out


def _degree(index: Tensor, dim_size: int, like: Tensor) -> Tensor:
    """The in-degree of the node that each edge writes, ``[E, 1]``."""
    return custom_ops.degree(index, dim_size, like).index_select(0, index).view(-1, 1)


# GAT


@replaces(GATConv, "edge_update")
def gat_edge_update(stock, self, alpha_j, alpha_i, edge_attr, index, ptr, dim_size):
    # PyG asks whether there are edges, which would make a capture for each set of relations that have none. What it
    # leaves out then gives nothing of nothing, but for gradients by the layer of edge features, which are None.
    has_features = edge_attr is not None and self.lin_edge is not None
    if ptr is not None or has_features and torch.is_grad_enabled():
        return stock(self, alpha_j, alpha_i, edge_attr, index, ptr, dim_size)
    alpha = alpha_j if alpha_i is None else alpha_j + alpha_i
    if has_features:
        features = self.lin_edge(edge_attr.view(-1, 1) if edge_attr.dim() == 1 else edge_attr)
        alpha = alpha + (features.view(-1, self.heads, self.out_channels) * self.att_edge).sum(dim=-1)
    alpha = F.leaky_relu(alpha, self.negative_slope)
    alpha = custom_ops.edge_softmax(alpha, index, dim_size)
    return F.dropout(alpha, p=self.dropout, training=self.training)


# HGT


_HGT_METHODS = ("message", "aggregate", "update", "propagate", "_cat", "_construct_src_node_feat")


def _hgt_applies(conv: HGTConv, edge_index_dict: dict) -> bool:
    return (
        len(edge_index_dict) > 0
        and conv.flow == "source_to_target"
        and are_plain(*edge_index_dict.values())
        and all([edge_type in conv.edge_types_map for edge_type in edge_index_dict])
        and keeps_aggregation(conv, ("add", "sum"))
        and keeps_messages(conv, HGTConv, *_HGT_METHODS)
    )


def _hgt_relation_weight(weight: Tensor, heads: int, present: list[int], total: int) -> Tensor:
    """Per-relation weights ``[R, H, D, D]`` of the relations present, out of ``[H * R, D, D]``."""
    width = weight.size(-1)
    weight = weight.view(heads, total, width, width).transpose(0, 1)
    if len(present) == total:
        return weight
    return weight.index_select(0, torch.tensor(present))


@torch._dynamo.assume_constant_result
def _parameter_names(edge_types: list[tuple[str, str, str]]) -> list[str]:
    """The attributes that parameters of edge types are; TorchDynamo takes long to find that out for hundreds."""
    return [ParameterDict.to_internal_key("__".join(edge_type)) for edge_type in edge_types]


@replaces(HGTConv, "forward")
def hgt_forward(stock, self, x_dict, edge_index_dict):
    if not _hgt_applies(self, edge_index_dict):
        return stock(self, x_dict, edge_index_dict)
    heads, width = self.heads, self.out_channels
    rows_of = self.kqv_lin(x_dict)
    node_types = list(rows_of)
    num_nodes = [rows.size(0) for rows in rows_of.values()]
    kqv = custom_ops.concat_types(list(rows_of.values()))
    k, q, v = (
        kqv[:, part * width : (part + 1) * width].view(-1, heads, width // heads)
        for part in range(3)
    )

    # Edge types in the order of the metadata, so that weights are used as they lie. (In another
    # order, PyG 2.8 gives rows to the wrong weights: its k_rel and v_rel take them for sorted.)
    # A relation that the call leaves out has no edges; its weights stay, so that none need to be picked.
    edge_types = [
        edge_type
        for edge_type in self.edge_types_map
        if edge_type in edge_index_dict or (edge_type[0] in rows_of and edge_type[2] in rows_of)
    ]
    present = [self.edge_types_map[edge_type] for edge_type in edge_types]
    given = edge_index_dict
    if len(edge_types) > len(given):
        none = torch.tensor([[], []], dtype=next(iter(given.values())).dtype)
        edge_index_dict = {edge_type: given.get(edge_type, none) for edge_type in edge_types}
    number_of = {node_type: number for number, node_type in enumerate(node_types)}
    edge_index, edge_type = custom_ops.hetero_edges(
        [edge_index_dict[edge_type] for edge_type in edge_types],
        [number_of[source] for source, _, _ in edge_types],
        [number_of[target] for _, _, target in edge_types],
        num_nodes,
    )
    source, target, _ = ends_of(self, edge_index)
    total = len(self.edge_types)
    k_weight = _hgt_relation_weight(self.k_rel.weight, heads, present, total)
    v_weight = _hgt_relation_weight(self.v_rel.weight, heads, present, total)
    k_j = custom_ops.typed_linear(k.index_select(0, source), edge_type, k_weight)
    v_j = custom_ops.typed_linear(v.index_select(0, source), edge_type, v_weight)
    # A parameter of one relation gets no gradient where the call leaves that out.
    priors = zip(_parameter_names(edge_types), edge_types)
    priors = [(getattr(self.p_rel, name), edge_type in given) for name, edge_type in priors]
    prior = torch.cat([weight if is_given else weight.detach() for weight, is_given in priors])
    prior = prior.index_select(0, edge_type)

    alpha = (q.index_select(0, target) * k_j).sum(dim=-1) * prior
    alpha = custom_ops.edge_softmax(alpha / math.sqrt(width // heads), target, kqv.size(0))
    out = (v_j * alpha.view(-1, heads, 1)).view(-1, width)
    out = custom_ops.aggregate(out, target, kqv.size(0), "sum")

    updated = self.out_lin(
        {
            node_type: F.gelu(custom_ops.slice_type(out, number, num_nodes))
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
