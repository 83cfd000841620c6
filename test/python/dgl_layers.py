"""The layers of rgnn.dgl, what they are called with, and what they compute, with dense matrices and loops."""

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

TYPES = 3


def matrix(n, s, t, weights=None):
    """Row i, column j: the sum of the weights of the edges j -> i."""
    weights = torch.ones(len(s), dtype=torch.float64) if weights is None else weights.view(-1)
    return torch.zeros(n, n, dtype=torch.float64).index_put((t, s), weights, accumulate=True)


def root(degrees):
    return degrees.clamp(min=1) ** -0.5


def reduced(n, t, messages, kind):
    """Node by node; 0 where nothing comes."""
    out = []
    for node in range(n):
        own = messages[t == node]
        made = {"sum": own.sum(0), "mean": own.sum(0) / max(len(own), 1),
                "max": own.amax(0) if len(own) else 0 * messages.sum(0)}[kind]  # fmt: skip
        out.append(made)
    return torch.stack(out)


def attention(n, t, logits):
    """Softmax, node by node."""
    out = torch.zeros_like(logits)
    for node in range(n):
        own = (t == node).nonzero().view(-1)
        out = out.index_copy(0, own, logits[own].softmax(0))
    return out


def graph_conv(m, n, s, t, x, weight=None, edge_weight=None):
    a, ones = matrix(n, s, t, edge_weight), matrix(n, s, t)
    left = {"both": root(ones.sum(0)), "left": 1 / ones.sum(0).clamp(min=1)}.get(m._norm, torch.ones(n).double())
    right = {"both": root(ones.sum(1)), "right": 1 / ones.sum(1).clamp(min=1)}.get(m._norm, torch.ones(n).double())
    out = right[:, None] * (a @ (left[:, None] * x)) @ m.weight + m.bias
    return out if m._activation is None else m._activation(out)


def sage(m, n, s, t, x, edge_weight=None):
    a, degrees = matrix(n, s, t, edge_weight), matrix(n, s, t).sum(1, keepdim=True)
    if m._aggre_type == "mean":
        return m.fc_self(x) + m.fc_neigh(a @ x / degrees.clamp(min=1))
    if m._aggre_type == "gcn":
        return m.fc_neigh((a @ x + x) / (degrees + 1)) + m.bias
    if m._aggre_type == "pool":
        messages = m.fc_pool(x).relu()[s] * (1 if edge_weight is None else edge_weight[:, None])
        return m.fc_self(x) + m.fc_neigh(reduced(n, t, messages, "max"))
    rows = [m.lstm(x[s][t == node][None])[1][0][0, 0] if (t == node).any() else 0 * x[node] for node in range(n)]
    return m.fc_self(x) + m.fc_neigh(torch.stack(rows))


def gat(m, n, s, t, x, edge_weight=None):
    rows = m.fc(x).view(n, m._num_heads, -1)
    logits = F.leaky_relu((rows[s] * m.attn_l).sum(-1) + (rows[t] * m.attn_r).sum(-1), m.leaky_relu.negative_slope)
    weights = attention(n, t, logits) * (1 if edge_weight is None else edge_weight[:, None])
    out = reduced(n, t, rows[s] * weights[..., None], "sum")
    if m.res_fc is not None:
        out = out + m.res_fc(x).view(out.shape)
    if m.bias is not None:
        out = out + m.bias.view(out.shape[1:])
    return out if m.activation is None else m.activation(out)


def gatv2(m, n, s, t, x):
    left, right = (layer(x).view(n, m._num_heads, -1) for layer in (m.fc_src, m.fc_dst))
    weights = attention(n, t, (F.leaky_relu(left[s] + right[t], 0.2) * m.attn).sum(-1))
    out = reduced(n, t, left[s] * weights[..., None], "sum")
    return out if m.res_fc is None else out + m.res_fc(x).view(out.shape)


def rel_graph_conv(m, n, s, t, x, types, norm=None):
    layer = m.linear_r
    weight = layer.W
    if layer.regularizer == "basis":
        weight = torch.einsum("rb,bio->rio", layer.coeff, weight)
    elif layer.regularizer == "bdd":
        blocks = weight.view(layer.num_types, layer.num_bases, layer.submat_in, layer.submat_out)
        weight = torch.stack([torch.block_diag(*own) for own in blocks])
    out = sum(matrix(n, s[types == r], t[types == r], None if norm is None else norm[types == r]) @ x @ weight[r]
              for r in range(TYPES))  # fmt: skip
    out = m.layer_norm_weight(out) if m.layer_norm else out
    return out + m.h_bias + x @ m.loop_weight


def hgt(m, n, s, t, x, kinds, types):
    def by_kind(layer, rows):
        return torch.stack([row @ layer.W[kind] for row, kind in zip(rows, kinds)]).view(n, m.num_heads, -1)

    k, q, v = (by_kind(layer, x) for layer in (m.linear_k, m.linear_q, m.linear_v))
    heads = []
    for h in range(m.num_heads):
        keys = torch.einsum("ei,eio->eo", k[s, h], m.relation_att[h].W[types])
        weights = attention(n, t, (keys * q[t, h]).sum(1) * m.relation_pri[h][types] / m.head_size**0.5)
        values = torch.einsum("ei,eio->eo", v[s, h], m.relation_msg[h].W[types])
        heads.append(reduced(n, t, values * weights[:, None], "sum"))
    out = by_kind(m.linear_a, torch.stack(heads, 1).flatten(1)).flatten(1)
    share = m.skip[kinds].sigmoid()[:, None]
    out = out * share + (x @ m.residual_w if hasattr(m, "residual_w") else x) * (1 - share)
    return m.norm(out) if m.use_norm else out


def gmm(m, n, s, t, x, pseudo):
    rows = m.fc(x).view(n, m._n_kernels, -1)
    weights = torch.exp(-0.5 * ((pseudo[:, None] - m.mu) ** 2 * m.inv_sigma**2).sum(-1))
    return reduced(n, t, rows[s] * weights[..., None], m._aggregator_type).sum(1) + m.res_fc(x) + m.bias


def nn_conv(m, n, s, t, x, e):
    weight = m.edge_func(e).view(-1, x.shape[1], m._out_feats)
    return reduced(n, t, x[s][..., None] * weight, m._aggre_type).sum(1) + m.res_fc(x) + m.bias


def edge_conv(m, n, s, t, x):
    messages = m.theta(x[t] - x[s]) + m.phi(x[t])
    return reduced(n, t, m.bn(messages) if m.batch_norm else messages, "max")


def normalised(n, s, t, edge_weight=None):
    a = matrix(n, s, t, edge_weight)
    left, right = a.sum(0), a.sum(1)
    if edge_weight is not None:
        left, right = (torch.where(sums > 0, sums, 1) ** -0.5 for sums in (left, right))
        return a * right[:, None] * left[None]
    return a * root(right)[:, None] * root(right)[None]


def powers(n, s, t, x, k, edge_weight):
    found = [x]
    for _ in range(k):
        found.append(normalised(n, s, t, edge_weight) @ found[-1])
    return found


def appnp(m, n, s, t, x, edge_weight=None):
    a, first = matrix(n, s, t), x
    a = a * root(a.sum(1))[:, None] * root(a.sum(0))[None] if edge_weight is None else normalised(n, s, t, edge_weight)
    for _ in range(m._k):
        x = (1 - m._alpha) * a @ x + m._alpha * first
    return x


def gated(m, n, s, t, x, types=None):
    x = F.pad(x, (0, m._out_feats - x.shape[1]))
    for _ in range(m._n_steps):
        sums = sum(matrix(n, s[types == r], t[types == r]) @ m.linears[r](x) for r in range(TYPES)) if (
            types is not None) else matrix(n, s, t) @ m.linears[0](x)  # fmt: skip
        x = m.gru(sums, x)
    return x


def gcn2(m, n, s, t, x, first, edge_weight=None):
    x, first = (1 - m.alpha) * normalised(n, s, t, edge_weight) @ x, m.alpha * first
    mixed = x @ m.weight1 + first @ (m.weight1 if m.weight2 is None else m.weight2)
    return (1 - m.beta) * (x + first) + m.beta * mixed + m.bias


def agnn(m, n, s, t, x):
    unit = F.normalize(x, dim=1)
    return reduced(n, t, x[s] * attention(n, t, m.beta * (unit[s] * unit[t]).sum(1))[:, None], "sum")


def dot_gat(m, n, s, t, x):
    rows = m.fc(x).view(n, m._num_heads, -1)
    weights = attention(n, t, (rows[s] * rows[t]).sum(-1) / m._out_feats**0.5)
    return reduced(n, t, rows[s] * weights[..., None], "sum")


# What layers are called with: of numbers of nodes and edges, and a generator


def no_more(n, e, rng):
    return ()


def edge_weight(n, e, rng):
    return (torch.rand(e, generator=rng, dtype=torch.float64) + 0.5,)


def types(n, e, rng):
    return (torch.randint(0, TYPES, (e,), generator=rng),)


def types_and_norm(n, e, rng):
    return (*types(n, e, rng), edge_weight(n, e, rng)[0].view(-1, 1))


def kinds_and_types(n, e, rng):
    return (torch.randint(0, 2, (n,), generator=rng), *types(n, e, rng))


def features(n, e, rng):
    return (torch.randn(e, 3, generator=rng, dtype=torch.float64),)


def messages(n, e, rng):
    return (torch.randn(e, 6, generator=rng, dtype=torch.float64),)


def first_rows(n, e, rng):
    return (torch.randn(n, 6, generator=rng, dtype=torch.float64),)


def first_rows_and_weight(n, e, rng):
    return (*first_rows(n, e, rng), *edge_weight(n, e, rng))


@dataclass
class Case:
    """A layer of both packages, of a module that has their names; what follows rows of 6; what it computes."""

    make: Any
    twin: Any
    more: Any = no_more


_REACHED = {"allow_zero_in_degree": True}


def linear(*widths):
    return nn.Sequential(nn.Linear(*widths))


CASES = {
    **{f"GraphConv {norm}": Case(lambda d, norm=norm: d.GraphConv(6, 4, norm=norm, **_REACHED), graph_conv)
       for norm in ("none", "both", "right", "left")},
    "GraphConv wider": Case(lambda d: d.GraphConv(6, 9, activation=torch.tanh, **_REACHED), graph_conv,
                            lambda *of: (None, *edge_weight(*of))),
    **{f"SAGEConv {kind}": Case(lambda d, kind=kind: d.SAGEConv(6, 4, kind), sage)
       for kind in ("mean", "gcn", "pool", "lstm")},
    **{f"SAGEConv {kind} weights": Case(lambda d, kind=kind: d.SAGEConv(6, 8, kind), sage, edge_weight)
       for kind in ("mean", "gcn", "pool")},
    "GATConv": Case(lambda d: d.GATConv(6, 4, 3, **_REACHED), gat),
    "GATConv residual": Case(lambda d: d.GATConv(6, 4, 3, residual=True, activation=torch.tanh, **_REACHED), gat,
                             edge_weight),
    "GATConv same width": Case(lambda d: d.GATConv(6, 2, 3, residual=True, bias=False, **_REACHED), gat),
    "GATv2Conv": Case(lambda d: d.GATv2Conv(6, 4, 3, **_REACHED), gatv2),
    "GATv2Conv shared": Case(lambda d: d.GATv2Conv(6, 4, 3, residual=True, share_weights=True, **_REACHED), gatv2),
    "RelGraphConv": Case(lambda d: d.RelGraphConv(6, 4, TYPES), rel_graph_conv, types_and_norm),
    "RelGraphConv basis": Case(lambda d: d.RelGraphConv(6, 4, TYPES, "basis", 2), rel_graph_conv, types),
    "RelGraphConv bdd": Case(lambda d: d.RelGraphConv(6, 4, TYPES, "bdd", 2, layer_norm=True), rel_graph_conv, types),
    "HGTConv": Case(lambda d: d.HGTConv(6, 4, 3, 2, TYPES), hgt, kinds_and_types),
    "HGTConv norm": Case(lambda d: d.HGTConv(6, 3, 2, 2, TYPES, use_norm=True), hgt, kinds_and_types),
    **{f"GINConv {kind}": Case(
        lambda d, kind=kind: d.GINConv(linear(6, 4), kind, 0.3, learn_eps=True),
        lambda m, n, s, t, x: m.apply_func((1 + m.eps) * x + reduced(n, t, x[s], m._aggregator_type)))
       for kind in ("sum", "mean", "max")},
    "GINEConv": Case(lambda d: d.GINEConv(linear(6, 4)), lambda m, n, s, t, x, e: m.apply_func(
        (1 + m.eps) * x + reduced(n, t, (x[s] + e).relu(), "sum")), messages),
    "EdgeConv": Case(lambda d: d.EdgeConv(6, 4, **_REACHED), edge_conv),
    "EdgeConv norm": Case(lambda d: d.EdgeConv(6, 4, batch_norm=True, **_REACHED), edge_conv),
    "SGConv": Case(lambda d: d.SGConv(6, 4, 2, **_REACHED), lambda m, n, s, t, x, w=None: m.fc(
        powers(n, s, t, x, 2, w)[-1])),
    "SGConv weights": Case(lambda d: d.SGConv(6, 4, 2, **_REACHED), lambda m, n, s, t, x, w=None: m.fc(
        powers(n, s, t, x, 2, w)[-1]), edge_weight),
    "TAGConv": Case(lambda d: d.TAGConv(6, 4, 2), lambda m, n, s, t, x, w=None: m.lin(
        torch.cat(powers(n, s, t, x, 2, w), 1))),
    "TAGConv weights": Case(lambda d: d.TAGConv(6, 4, 2), lambda m, n, s, t, x, w=None: m.lin(
        torch.cat(powers(n, s, t, x, 2, w), 1)), edge_weight),
    **{f"GMMConv {kind}": Case(
        lambda d, kind=kind: d.GMMConv(6, 4, 3, 2, kind, residual=True, **_REACHED), gmm, features)
       for kind in ("sum", "mean", "max")},
    **{f"NNConv {kind}": Case(
        lambda d, kind=kind: d.NNConv(6, 4, linear(3, 24), kind, residual=True), nn_conv, features)
       for kind in ("sum", "mean", "max")},
    "APPNPConv": Case(lambda d: d.APPNPConv(3, 0.1), appnp),
    "APPNPConv weights": Case(lambda d: d.APPNPConv(3, 0.1), appnp, edge_weight),
    "AGNNConv": Case(lambda d: d.AGNNConv(**_REACHED), agnn),
    "DotGatConv": Case(lambda d: d.DotGatConv(6, 4, 3, **_REACHED), dot_gat),
    "GatedGraphConv": Case(lambda d: d.GatedGraphConv(6, 8, 2, 1), gated),
    "GatedGraphConv no padding": Case(lambda d: d.GatedGraphConv(6, 6, 2, 1), gated),
    "GatedGraphConv types": Case(lambda d: d.GatedGraphConv(6, 8, 2, TYPES), gated, types),
    "GCN2Conv": Case(lambda d: d.GCN2Conv(6, 2, **_REACHED), gcn2, first_rows),
    "GCN2Conv weights": Case(lambda d: d.GCN2Conv(6, 2, project_initial_features=False, **_REACHED), gcn2,
                             first_rows_and_weight),
}  # fmt: skip
