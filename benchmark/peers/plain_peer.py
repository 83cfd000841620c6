"""Best effort in plain PyTorch, inference: what an expert writes by hand, without kernels of their own.

Both keep edges sorted by relation, multiply one segment per relation, and never copy a weight. Workspaces are made
once per graph and reused, because a fresh tensor costs more than the work on it (page faults).

- `Plain` computes what the model says, a row for each edge.
- `PlainCompact` also applies by hand the rewrites that a compiler may make: a row for each unique (node, relation),
  aggregation before the linear layer where the mean allows it, and products of weights first.

`embedding_bag` with weights is PyTorch's fastest weighted sum over segments of gathered rows (aifb 0.26 ms against
0.7 ms of CSR sparse matrix product and 1.2 ms of index_add; fb15k-237 13 against 26 and 39).
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as functional
from torch import Tensor

from .problem import Peer, Problem


def _segment_mm(rows: list[Tensor], weights: tuple[Tensor, ...], out: list[Tensor]) -> None:
    for a, w, o in zip(rows, weights, out, strict=True):
        torch.mm(a, w, out=o)


def _segment_views(x: Tensor, offsets: list[int]) -> list[Tensor]:
    return [x[a:b] for a, b in zip(offsets[:-1], offsets[1:], strict=True)]


class _Order:
    """A stable sort of items by key: `perm`, and the offsets of the keys in it."""

    def __init__(self, key: Tensor, count: int):
        self.perm = torch.argsort(key, stable=True)
        self.offsets = torch.bincount(key, minlength=count).cumsum(0)
        self.offsets = torch.cat([self.offsets.new_zeros(1), self.offsets])

    def sum(self, rows: Tensor, index: Tensor, weights: Tensor | None = None) -> Tensor:
        """For each key, the (weighted) sum of ``rows[index]`` of its items; `index` and `weights` in `perm`'s order."""
        return functional.embedding_bag(
            index, rows, self.offsets, mode="sum", per_sample_weights=weights, include_last_offset=True
        )


class _Pairs:
    """Unique (node, edge type): `node` of each pair, `of_edge`, `count` of edges, segments by edge type."""

    def __init__(self, graph, ends: Tensor):
        key = graph.edge_type * graph.num_nodes + ends
        unique, self.of_edge, self.count = torch.unique(key, return_inverse=True, return_counts=True)
        self.node, self.size = unique % graph.num_nodes, unique.numel()
        counts = torch.bincount(unique // graph.num_nodes, minlength=graph.num_edge_types)
        self.offsets = [0, *counts.cumsum(0).tolist()]


def _softmax(score: Tensor, key: Tensor, count: int) -> Tensor:
    """Softmax of 1-D `score` over the items of each key, stable; + 1e-16 as PyG has it."""
    most = score.new_full((count,), float("-inf")).scatter_reduce_(0, key, score, "amax")
    score = torch.exp(score.sub_(most[key]))
    return score.div_((score.new_zeros(count).index_add_(0, key, score) + 1e-16)[key])


class _Buffers:
    """Named workspaces and their segments, made once per graph."""

    def __init__(self, width: int):
        self.width, self.whole, self.parts = width, {}, {}

    def add(self, name: str, offsets: list[int]) -> None:
        self.whole[name] = torch.empty(offsets[-1], self.width)
        self.parts[name] = _segment_views(self.whole[name], offsets)

    def gather(self, name: str, rows: Tensor, index: Tensor) -> list[Tensor]:
        torch.index_select(rows, 0, index, out=self.whole[name])
        return self.parts[name]


class Plain(Peer):
    compact = False

    def __init__(self, problem: Problem):
        super().__init__(problem)
        self.module = problem.module()
        self.note = "rows per unique pair, weights reordered" if self.compact else "a row per edge"
        self.call = getattr(self, problem.model)

    def inputs(self, graph):
        return graph

    def run(self, prepared):
        return self.call(self.problem.x, *prepared)

    def rows(self, out) -> Tensor:
        return out

    def prepare(self, graph):
        self.by_dst = _Order(graph.dst, graph.num_nodes)
        self.dst_sorted = graph.dst[self.by_dst.perm]
        self.buffers = _Buffers(self.problem.width)
        getattr(self, f"prepare_{self.problem.model}")(graph)
        return (graph,)

    # ---- RGCN --------------------------------------------------------------------------------------------------------

    def prepare_rgcn(self, graph):
        self.scale = (1.0 / (pairs := _Pairs(graph, graph.dst)).count)[pairs.of_edge][self.by_dst.perm]
        for name in ("in", "out"):
            self.buffers.add(name, graph.edge_offsets)

    def rgcn(self, x, graph):
        rows = self.buffers.gather("in", x, graph.src)
        _segment_mm(rows, self.module.weight.unbind(), self.buffers.parts["out"])
        out = self.by_dst.sum(self.buffers.whole["out"], self.by_dst.perm, self.scale)
        return out.addmm_(x, self.module.root).add_(self.module.bias)

    # ---- RGAT --------------------------------------------------------------------------------------------------------

    def prepare_rgat(self, graph):
        for name in ("in", "dst", "src"):
            self.buffers.add(name, graph.edge_offsets)

    def rgat(self, x, graph):
        m, weights = self.module, self.module.weight.unbind()
        for name, ends in (("dst", graph.dst), ("src", graph.src)):
            _segment_mm(self.buffers.gather("in", x, ends), weights, self.buffers.parts[name])
        score = (self.buffers.whole["dst"] @ m.q + self.buffers.whole["src"] @ m.k).squeeze(1)
        score = functional.leaky_relu(score, m.negative_slope)[self.by_dst.perm]
        alpha = _softmax(score, self.dst_sorted, graph.num_nodes)
        return self.by_dst.sum(self.buffers.whole["src"], self.by_dst.perm, alpha).add_(m.bias)

    # ---- HGT ---------------------------------------------------------------------------------------------------------

    def prepare_hgt(self, graph):
        for name in ("in", "k", "v"):
            self.buffers.add(name, graph.edge_offsets)
        self.hgt_source, self.hgt_item = graph.src, self.by_dst.perm
        self.prepare_hgt_nodes(graph)

    def prepare_hgt_nodes(self, graph):
        self.edge_type_sorted = graph.edge_type[self.by_dst.perm]
        self.is_dst = [any(name == edge_type[2] for edge_type in graph.edge_types) for name in graph.node_types]
        nodes = self.problem.width
        self.kqv = torch.empty(graph.num_nodes, 3 * nodes)
        self.kqv_parts = _segment_views(self.kqv, graph.node_offsets)
        self.q_rows, self.k_rows = (torch.empty(graph.num_edges, nodes) for _ in range(2))

    def hgt(self, x, graph):
        m, buffers, width = self.module, self.buffers, self.problem.width
        x_parts = _segment_views(x, graph.node_offsets)
        for name, rows, out in zip(graph.node_types, x_parts, self.kqv_parts, strict=True):
            linear = m.kqv_lin.lins[name]
            torch.addmm(linear.bias, rows, linear.weight.t(), out=out)
        k, q, v = self.kqv.split(width, dim=1)

        _segment_mm(buffers.gather("in", k, self.hgt_source), m.k_rel.weight.unbind(), buffers.parts["k"])
        _segment_mm(buffers.gather("in", v, self.hgt_source), m.v_rel.weight.unbind(), buffers.parts["v"])
        torch.index_select(q, 0, self.dst_sorted, out=self.q_rows)
        torch.index_select(buffers.whole["k"], 0, self.hgt_item, out=self.k_rows)
        prior = torch.cat([m.p_rel["__".join(name)].view(1) for name in graph.edge_types]) / math.sqrt(width)
        score = torch.linalg.vecdot(self.q_rows, self.k_rows).mul_(prior[self.edge_type_sorted])
        alpha = _softmax(score, self.dst_sorted, graph.num_nodes)
        heads = functional.gelu(self.by_dst.sum(buffers.whole["v"], self.hgt_item, alpha))

        out = torch.empty_like(x)
        offsets = graph.node_offsets
        for t, name in enumerate(graph.node_types):
            if not self.is_dst[t]:
                out[offsets[t] : offsets[t + 1]] = float("nan")
                continue
            linear, gate = m.out_lin.lins[name], m.skip[name].sigmoid()
            rows = functional.linear(heads[offsets[t] : offsets[t + 1]], linear.weight, linear.bias)
            torch.lerp(x_parts[t], rows, gate, out=out[offsets[t] : offsets[t + 1]])
        return out


class PlainCompact(Plain):
    compact = True

    def prepare_rgcn(self, graph):
        # The mean of the sources of each (destination, relation), then one product per relation, then the sum.
        pairs = _Pairs(graph, graph.dst)
        self.by_pair = _Order(pairs.of_edge, pairs.size)
        self.src_by_pair = graph.src[self.by_pair.perm]
        self.scale = (1.0 / pairs.count)[pairs.of_edge][self.by_pair.perm]
        self.by_dst = _Order(pairs.node, graph.num_nodes)
        self.offsets = pairs.offsets
        self.buffers.add("out", pairs.offsets)

    def rgcn(self, x, graph):
        means = _segment_views(self.by_pair.sum(x, self.src_by_pair, self.scale), self.offsets)
        _segment_mm(means, self.module.weight.unbind(), self.buffers.parts["out"])
        out = self.by_dst.sum(self.buffers.whole["out"], self.by_dst.perm)
        return out.addmm_(x, self.module.root).add_(self.module.bias)

    def prepare_rgat(self, graph):
        pairs, dst_pairs = _Pairs(graph, graph.src), _Pairs(graph, graph.dst)
        for name, offsets in (("in", pairs.offsets), ("out", pairs.offsets), ("dst", dst_pairs.offsets)):
            self.buffers.add(name, offsets)
        self.pair_src, self.pair_dst = pairs.node, dst_pairs.node
        self.edge_pair = pairs.of_edge[self.by_dst.perm]
        self.edge_dst_pair = dst_pairs.of_edge[self.by_dst.perm]
        self.dst_score = torch.empty(dst_pairs.size, 1)
        self.dst_score_parts = _segment_views(self.dst_score, dst_pairs.offsets)

    def rgat(self, x, graph):
        m, buffers = self.module, self.buffers
        _segment_mm(buffers.gather("in", x, self.pair_src), m.weight.unbind(), buffers.parts["out"])
        _segment_mm(buffers.gather("dst", x, self.pair_dst), (m.weight @ m.q).unbind(), self.dst_score_parts)
        src_score = buffers.whole["out"] @ m.k
        score = self.dst_score.squeeze(1)[self.edge_dst_pair] + src_score.squeeze(1)[self.edge_pair]
        alpha = _softmax(functional.leaky_relu(score, m.negative_slope), self.dst_sorted, graph.num_nodes)
        return self.by_dst.sum(buffers.whole["out"], self.edge_pair, alpha).add_(m.bias)

    def prepare_hgt(self, graph):
        pairs = _Pairs(graph, graph.src)
        for name in ("in", "k", "v"):
            self.buffers.add(name, pairs.offsets)
        self.hgt_source, self.hgt_item = pairs.node, pairs.of_edge[self.by_dst.perm]
        self.prepare_hgt_nodes(graph)
