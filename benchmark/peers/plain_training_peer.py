"""Best effort in plain PyTorch, training: the ideas of plain_peer.py as functions that autograd knows.

Edges are sorted by relation, one product per relation forward and two backward, no weight is copied, and what is
gathered forward is summed over segments backward. A fresh tensor costs more than the work on it (page faults), and
autograd needs fresh ones: here malloc keeps what is freed instead of returning it to the system.
"""

from __future__ import annotations

import ctypes
import math

import torch
import torch.nn.functional as functional
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from .plain_peer import _Order, _Pairs, _segment_mm, _segment_views
from .problem import Peer, Problem

_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4


class _Products(Function):
    """``[rows, out]``: the rows of each segment times the segment's weight."""

    @staticmethod
    def forward(ctx, rows: Tensor, weight: Tensor, offsets: list[int]) -> Tensor:
        ctx.save_for_backward(rows, weight)
        ctx.offsets = offsets
        out = rows.new_empty(rows.size(0), weight.size(2))
        _segment_mm(_segment_views(rows, offsets), weight.unbind(), _segment_views(out, offsets))
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor):
        rows, weight = ctx.saved_tensors
        parts = _segment_views(gradient, ctx.offsets)
        of_rows = of_weight = None
        if ctx.needs_input_grad[0]:
            of_rows = torch.empty_like(rows)
            _segment_mm(parts, weight.transpose(1, 2).unbind(), _segment_views(of_rows, ctx.offsets))
        if ctx.needs_input_grad[1]:
            of_weight = torch.empty_like(weight)
            _segment_mm([part.t() for part in _segment_views(rows, ctx.offsets)], parts, of_weight.unbind())
        return of_rows, of_weight, None


class _Links:
    """Items that each link a source row to a target row, sorted for sums over either."""

    def __init__(self, source: Tensor, sources: int, target: Tensor, targets: int):
        self.by_source, self.by_target = _Order(source, sources), _Order(target, targets)
        self.source, self.target = source, target
        self.source_by_target = source[self.by_target.perm]
        self.target_by_source = target[self.by_source.perm]

    def gather(self, rows: Tensor) -> Tensor:
        """A row for each item: that of its source."""
        return _Gather.apply(rows, self)

    def sum(self, rows: Tensor, weights: Tensor) -> Tensor:
        """A row for each target: the weighted sum of the source rows of its items."""
        return _Sum.apply(rows, weights, self)


class _Gather(Function):
    @staticmethod
    def forward(ctx, rows: Tensor, links: _Links) -> Tensor:
        ctx.links = links
        return rows.index_select(0, links.source)

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor):
        order = ctx.links.by_source
        return order.sum(gradient, order.perm), None


class _Sum(Function):
    @staticmethod
    def forward(ctx, rows: Tensor, weights: Tensor, links: _Links) -> Tensor:
        ctx.save_for_backward(rows, weights)
        ctx.links = links
        return links.by_target.sum(rows, links.source_by_target, weights[links.by_target.perm])

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient: Tensor):
        rows, weights = ctx.saved_tensors
        links, of_weights = ctx.links, None
        of_rows = links.by_source.sum(gradient, links.target_by_source, weights[links.by_source.perm])
        if ctx.needs_input_grad[1]:
            of_weights = torch.linalg.vecdot(rows.index_select(0, links.source), gradient.index_select(0, links.target))
        return of_rows, of_weights, None


def _softmax(score: Tensor, key: Tensor, count: int) -> Tensor:
    """Softmax of 1-D `score` over the items of each key, stable; + 1e-16 as PyG has it."""
    most = score.new_full((count,), float("-inf")).scatter_reduce_(0, key, score.detach(), "amax")
    score = torch.exp(score - most.index_select(0, key))
    total = score.new_zeros(count).index_add(0, key, score) + 1e-16
    return score / total.index_select(0, key)


class Plain(Peer):
    """A row for each edge."""

    note = "a row per edge"

    def __init__(self, problem: Problem):
        super().__init__(problem)
        self.module = problem.module()
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_MAX, 0)
        libc.mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)

    def inputs(self, graph):
        return graph

    def rows_of(self, graph, ends: Tensor) -> tuple[Tensor, Tensor, list[int]]:
        """Which rows are computed where a row depends on an end node and the relation: the node of each row, the row
        of each edge, and the first row of each relation.
        """
        return ends, torch.arange(graph.num_edges), graph.edge_offsets

    def prepare(self, graph):
        return getattr(self, f"prepare_{self.problem.model}")(graph)

    def run(self, prepared):
        return getattr(self, self.problem.model)(self.problem.x, *prepared)

    def prepare_rgcn(self, graph):
        pairs = _Pairs(graph, graph.dst)
        edges = _Links(torch.arange(graph.num_edges), graph.num_edges, graph.dst, graph.num_nodes)
        return graph, edges, (1.0 / pairs.count)[pairs.of_edge]

    def rgcn(self, x, graph, edges, scale):
        m = self.module
        rows = _Products.apply(x.index_select(0, graph.src), m.weight, graph.edge_offsets)
        return edges.sum(rows, scale) + torch.addmm(m.bias, x, m.root)

    def prepare_rgat(self, graph):
        node, row, offsets = self.rows_of(graph, graph.src)
        edges = _Links(row, len(node), graph.dst, graph.num_nodes)
        return node, edges, offsets, *self.rows_of(graph, graph.dst)

    def rgat(self, x, src, edges, src_offsets, dst, dst_row, dst_offsets):
        m = self.module
        rows = _Products.apply(x.index_select(0, src), m.weight, src_offsets)
        score = self.rgat_dst_score(x.index_select(0, dst), dst_offsets).index_select(0, dst_row)
        score = functional.leaky_relu(score + (rows @ m.k).squeeze(1).index_select(0, edges.source), m.negative_slope)
        return edges.sum(rows, _softmax(score, edges.target, x.size(0))) + m.bias

    def rgat_dst_score(self, rows, offsets):
        return (_Products.apply(rows, self.module.weight, offsets) @ self.module.q).squeeze(1)

    def prepare_hgt(self, graph):
        node, row, offsets = self.rows_of(graph, graph.src)
        keys = _Links(node, graph.num_nodes, torch.arange(len(node)), len(node))
        queries = _Links(graph.dst, graph.num_nodes, torch.arange(graph.num_edges), graph.num_edges)
        return graph, keys, queries, _Links(row, len(node), graph.dst, graph.num_nodes), offsets

    def hgt(self, x, graph, keys, queries, edges, offsets):
        m, width = self.module, self.problem.width
        x_dict = graph.split_nodes(x)
        linears = [m.kqv_lin.lins[name] for name in graph.node_types]
        rows = [linear(part) for linear, part in zip(linears, x_dict.values(), strict=True)]
        k, q, v = torch.cat(rows).split(width, dim=1)
        k = _Products.apply(keys.gather(k.contiguous()), m.k_rel.weight, offsets)
        v = _Products.apply(keys.gather(v.contiguous()), m.v_rel.weight, offsets)
        k = self.hgt_edge_rows(k, edges)
        prior = torch.cat([m.p_rel["__".join(name)].view(1) for name in graph.edge_types]) / math.sqrt(width)
        score = torch.linalg.vecdot(queries.gather(q.contiguous()), k) * prior.index_select(0, graph.edge_type)
        heads = functional.gelu(edges.sum(v, _softmax(score, edges.target, x.size(0))))
        out = {}
        for name in dict.fromkeys(edge_type[2] for edge_type in graph.edge_types):
            own = graph.split_nodes(heads)[name]
            out[name] = torch.lerp(x_dict[name], m.out_lin.lins[name](own), m.skip[name].sigmoid())
        return out

    def hgt_edge_rows(self, rows, edges):
        return rows


class PlainCompact(Plain):
    """A row for each unique (node, relation); products of weights first; the mean before the linear layer."""

    note = "rows per unique pair, weights reordered"

    def rows_of(self, graph, ends):
        pairs = _Pairs(graph, ends)
        return pairs.node, pairs.of_edge, pairs.offsets

    def prepare_rgcn(self, graph):
        pairs = _Pairs(graph, graph.dst)
        means = _Links(graph.src, graph.num_nodes, pairs.of_edge, pairs.size)
        sums = _Links(torch.arange(pairs.size), pairs.size, pairs.node, graph.num_nodes)
        return means, (1.0 / pairs.count)[pairs.of_edge], sums, torch.ones(pairs.size), pairs.offsets

    def rgcn(self, x, means, scale, sums, ones, offsets):
        m = self.module
        rows = _Products.apply(means.sum(x, scale), m.weight, offsets)
        return sums.sum(rows, ones) + torch.addmm(m.bias, x, m.root)

    def rgat_dst_score(self, rows, offsets):
        return _Products.apply(rows, self.module.weight @ self.module.q, offsets).squeeze(1)

    def prepare_hgt(self, graph):
        graph, keys, queries, edges, offsets = super().prepare_hgt(graph)
        self.key_of_edge = _Links(edges.source, len(keys.source), torch.arange(graph.num_edges), graph.num_edges)
        return graph, keys, queries, edges, offsets

    def hgt_edge_rows(self, rows, edges):
        return self.key_of_edge.gather(rows)
