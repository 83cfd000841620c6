"""Models in the language of rgnn.function, beside the same in plain PyTorch."""

import math

import rgnn
import torch
from rgnn import Edge, Node, Weight
from rgnn.lang import concat, dot, edge_softmax, elu, leaky_relu, linear, max, mean, norm, relu, sigmoid

# ---- Hector's three models (ASPLOS 2024, sec. 4.1), in 42 lines at most ----------------------------------------------


@rgnn.function
def rgcn(g, h: Node, norm: Edge, w: Weight, w0: Weight, b: Weight):
    for e in g.edges():
        e["msg"] = linear(e.src["h"], w[e.etype])
    for n in g.dst_nodes():
        n["sum"] = 0.0
        for e in n.incoming_edges():
            n["sum"] += e["norm"] * e["msg"]
        n["y"] = relu(n["sum"] + linear(n["h"], w0) + b)
    return g.ndata["y"]


@rgnn.function
def rgat(g, h: Node, w: Weight, left: Weight, right: Weight):
    for e in g.edges():
        e["zi"] = linear(e.src["h"], w[e.etype]).reshape(left.shape[1:])
        zj = linear(e.dst["h"], w[e.etype]).reshape(left.shape[1:])
        e["att"] = leaky_relu(dot(e["zi"], left[e.etype]) + dot(zj, right[e.etype]), 0.2)
    edge_softmax(g)
    for n in g.dst_nodes():
        n["y"] = 0.0
        for e in n.incoming_edges():
            n["y"] += e["att"].reshape(-1, 1) * e["zi"]
    return g.ndata["y"]


@rgnn.function
def hgt(g, h: Node, k: Weight, q: Weight, v: Weight, att: Weight, msg: Weight, mu: Weight, out: Weight, skip: Weight):
    for n in g.nodes():
        n["k"] = linear(n["h"], k[n.ntype]).reshape(att.shape[1:3])
        n["q"] = linear(n["h"], q[n.ntype]).reshape(att.shape[1:3])
        n["v"] = linear(n["h"], v[n.ntype]).reshape(att.shape[1:3])
    for e in g.edges():
        e["att"] = dot(linear(e.src["k"], att[e.etype]), e.dst["q"]) * mu[e.etype] / math.sqrt(att.shape[-1])
        e["msg"] = linear(e.src["v"], msg[e.etype])
    edge_softmax(g)
    for n in g.dst_nodes():
        n["t"] = 0.0
        for e in n.incoming_edges():
            n["t"] += e["att"].reshape(-1, 1) * e["msg"]
        n["y"] = linear(n["t"].reshape(-1), out[n.ntype]) * sigmoid(skip[n.ntype]) + n["h"]
    return g.ndata["y"]


# ---- Simple-HGN (Lv et al., KDD 2021, sec. 5) and GaAN (Zhang et al., UAI 2018, sec. 3) ------------------------------


@rgnn.function
def simple_hgn(g, h: Node, before: Edge, w: Weight, kinds: Weight, u: Weight, left: Weight, right: Weight, own: Weight,
               residual: Weight, beta):  # fmt: skip
    """Attention that knows an edge's type, joined with the weights of the layer before; with a residual, normalised."""
    for n in g.nodes():
        n["z"] = linear(n["h"], w).reshape(left.shape)
    for e in g.edges():
        kind = linear(kinds[e.etype], u).reshape(own.shape)
        e["att"] = leaky_relu(dot(e.src["z"], left) + dot(e.dst["z"], right) + dot(kind, own), 0.05)
    edge_softmax(g)
    for e in g.edges():
        e["mixed"] = (1 - beta) * e["att"] + beta * e["before"]
    for n in g.dst_nodes():
        n["sum"] = 0.0
        for e in n.incoming_edges():
            n["sum"] += e["mixed"].reshape(-1, 1) * e.src["z"]
        n["out"] = elu(n["sum"].reshape(-1) + linear(n["h"], residual))
        n["y"] = n["out"] / norm(n["out"])
    return g.ndata["y"], g.edata["mixed"]


@rgnn.function
def gaan(g, h: Node, q: Weight, k: Weight, v: Weight, pool: Weight, gate: Weight, out: Weight, heads):
    """Attention whose heads have a gate each, of a node, the largest of its neighbours' features, and their mean."""
    for n in g.nodes():
        n["q"] = linear(n["h"], q).reshape(heads, -1)
        n["k"] = linear(n["h"], k).reshape(heads, -1)
        n["v"] = leaky_relu(linear(n["h"], v), 0.1).reshape(heads, -1)
        n["m"] = linear(n["h"], pool)
    for e in g.edges():
        e["att"] = dot(e.src["k"], e.dst["q"])
    edge_softmax(g)
    for n in g.dst_nodes():
        n["sum"] = 0.0
        for e in n.incoming_edges():
            n["sum"] += e["att"].reshape(-1, 1) * e.src["v"]
        most, average = max(e.src["m"] for e in n.incoming_edges()), mean(e.src["h"] for e in n.incoming_edges())
        n["gate"] = sigmoid(linear(concat(n["h"], most, average), gate))
        n["y"] = linear(concat(n["h"], (n["gate"].reshape(-1, 1) * n["sum"]).reshape(-1)), out)
    return g.ndata["y"]


@rgnn.function
def cgat(g, h: Node, w: Weight, a: Weight):
    """Constrained attention: an edge counts by how far its score is above those of the node's other edges."""
    for n in g.nodes():
        n["z"] = linear(n["h"], w)
    for n in g.dst_nodes():
        for e in n.incoming_edges():
            e["score"] = relu(linear(concat(e.src["z"], n["z"]), a))
        for e in n.incoming_edges():
            for f in n.incoming_edges():
                e["weight"] += relu(e["score"] - f["score"])
            n["y"] += e["weight"] * e.src["z"]
    return g.ndata["y"]


# ---- the same in PyTorch ---------------------------------------------------------------------------------------------


def add_up(rows, index, count):
    return rows.new_zeros(count, *rows.shape[1:]).index_add(0, index, rows)


def softmax_over(scores, index, count):
    """By the edges of each node."""
    wide = index.view(-1, *[1] * (scores.dim() - 1)).expand_as(scores)
    most = scores.new_full((count, *scores.shape[1:]), -math.inf).scatter_reduce(0, wide, scores, "amax")
    powers = (scores - most.detach()[index]).exp()
    return powers / add_up(powers, index, count)[index]


def product(x, w):
    """Row by row; a matrix for each head where there are heads."""
    return (x.unsqueeze(-2) @ w).squeeze(-2)


def rgcn_twin(graph, h, norm, w, w0, b):
    (src, dst), types = graph.edge_index, graph.edge_type
    return torch.relu(add_up(norm * product(h[src], w[types]), dst, len(h)) + h @ w0 + b)


def rgat_twin(graph, h, w, left, right):
    (src, dst), types = graph.edge_index, graph.edge_type
    zi, zj = (product(h[end], w[types]).view(-1, *left.shape[1:]) for end in (src, dst))
    scores = (zi * left[types]).sum(-1) + (zj * right[types]).sum(-1)
    att = softmax_over(torch.nn.functional.leaky_relu(scores, 0.2), dst, len(h))
    return add_up(att.unsqueeze(-1) * zi, dst, len(h))


def hgt_twin(graph, h, k, q, v, att, msg, mu, out, skip):
    (src, dst), types, own = graph.edge_index, graph.edge_type, graph.node_type
    keys, queries, values = (product(h, table[own]).view(len(h), *att.shape[1:3]) for table in (k, q, v))
    scores = (product(keys[src], att[types]) * queries[dst]).sum(-1) * mu[types] / math.sqrt(att.shape[-1])
    weights = softmax_over(scores, dst, len(h))
    total = add_up(weights.unsqueeze(-1) * product(values[src], msg[types]), dst, len(h))
    return product(total.flatten(1), out[own]) * torch.sigmoid(skip[own]) + h


def simple_hgn_twin(graph, h, before, w, kinds, u, left, right, own, residual, beta):
    (src, dst), types = graph.edge_index, graph.edge_type
    z = (h @ w).view(-1, *left.shape)
    of_types = ((kinds @ u).view(-1, *own.shape) * own).sum(-1)
    scores = (z * left).sum(-1)[src] + (z * right).sum(-1)[dst] + of_types[types]
    mixed = (1 - beta) * softmax_over(torch.nn.functional.leaky_relu(scores, 0.05), dst, len(h)) + beta * before
    total = add_up(mixed.unsqueeze(-1) * z[src], dst, len(h)).flatten(1) + h @ residual
    rows = torch.nn.functional.elu(total)
    return rows / rows.norm(dim=-1, keepdim=True), mixed


def cgat_twin(graph, h, w, a):
    src, dst = graph.edge_index
    z = h @ w
    score = (torch.cat([z[src], z[dst]], -1) @ a).relu()
    meets = (dst.unsqueeze(1) == dst).unsqueeze(-1)
    weight = ((score.unsqueeze(1) - score).relu() * meets).sum(1)
    return add_up(weight * z[src], dst, len(h))


def gaan_twin(graph, h, q, k, v, pool, gate, out, heads):
    src, dst = graph.edge_index
    queries, keys = ((h @ table).view(len(h), heads, table.shape[1] // heads) for table in (q, k))
    values = torch.nn.functional.leaky_relu(h @ v, 0.1).view(len(h), heads, v.shape[1] // heads)
    att = softmax_over((keys[src] * queries[dst]).sum(-1), dst, len(h))
    total = add_up(att.unsqueeze(-1) * values[src], dst, len(h))
    pooled = h @ pool
    wide = dst.view(-1, 1).expand(-1, pooled.shape[1])
    most = pooled.new_zeros(pooled.shape).scatter_reduce(0, wide, pooled[src], "amax", include_self=False)
    count = torch.bincount(dst, minlength=len(h)).clamp(min=1).view(-1, 1)
    gates = torch.sigmoid(torch.cat([h, most, add_up(h[src], dst, len(h)) / count], -1) @ gate)
    return torch.cat([h, (gates.unsqueeze(-1) * total).flatten(1)], -1) @ out
