"""What functions of the language can say, each beside PyTorch's operators: results and gradients, compiled."""

import math

import pytest
import rgnn
import torch
from lang_checks import SIZES, R, T, check, close, gradients, tensor
from lang_models import add_up, product, softmax_over
from rgnn import Edge, Node, Weight, lang

FEW = SIZES[:1] + SIZES[3:5]


def ends(graph):
    return (*graph.edge_index, graph.edge_type)


def reduced(rows, index, count, kind):
    wide = index.view(-1, *[1] * (rows.dim() - 1)).expand_as(rows)
    return rows.new_zeros(count, *rows.shape[1:]).scatter_reduce(0, wide, rows, kind, include_self=False)


CASES = {}


def case(twin, /, sizes=FEW, **shapes):
    """Shapes of arguments: ``"n"`` stands for nodes, ``"e"`` for edges."""

    def register(function):
        def make(nodes, edges):
            counts = {"n": nodes, "e": edges}
            return {name: tensor(*(counts.get(size, size) for size in shape), seed=number)
                    for number, (name, shape) in enumerate(shapes.items())}  # fmt: skip

        CASES[function.__name__] = rgnn.function(function), twin, make, sizes
        return function

    return register


def gated_twin(graph, h, w, a):
    src, dst, types = ends(graph)
    m = product(h[src], w[types])
    return add_up(torch.sigmoid((m * h[dst]).sum(-1) + a)[:, None] * m, dst, len(h))


@case(gated_twin, sizes=SIZES, h=("n", 4), w=(R, 4, 4), a=("e",))
def gated(g, h: Node, w: Weight, a: Edge):
    for e in g.edges():
        e["m"] = lang.linear(e.src["h"], w[e.etype])
        e["gate"] = lang.sigmoid(lang.dot(e["m"], e.dst["h"]) + e["a"])
    for n in g.dst_nodes():
        n["y"] = 0.0
        for e in n.incoming_edges():
            n["y"] += e["gate"] * e["m"]
    return g.ndata["y"]


def shared_heads_twin(graph, h, w, v):
    src, dst, types = ends(graph)
    return add_up(torch.einsum("ehk,ekn->ehn", h[src] @ v, w[types]), dst, len(h))


@case(shared_heads_twin, h=("n", 2, 3), w=(R, 5, 2), v=(3, 5))
def shared_heads(g, h: Node, w: Weight, v: Weight):
    for n in g.dst_nodes():
        for e in n.incoming_edges():
            n["y"] += e.src["h"] @ v @ w[e.etype]
    return g.ndata["y"]


def own_heads_twin(graph, h, w, v):
    src, dst, types = ends(graph)
    return add_up(product(product(h, v)[src], w[types]), dst, len(h))


@case(own_heads_twin, h=("n", 2, 3), w=(R, 2, 3, 2), v=(2, 3, 3))
def own_heads(g, h: Node, w: Weight, v: Weight):
    for n in g.nodes():
        n["k"] = lang.linear(n["h"], v)
    for e in g.edges():
        e.dst["y"] += lang.linear(e.src["k"], w[e.etype])
    return g.ndata["y"]


def matrices_of_edges_twin(graph, h, m):
    src, dst, _ = ends(graph)
    outer = torch.einsum("ei,ej->eij", h[src], h[dst])
    return product(h[src], m + outer), outer


@case(matrices_of_edges_twin, h=("n", 3), m=("e", 3, 3))
def matrices_of_edges(g, h: Node, m: Edge):
    for e in g.edges():
        e["outer"] = lang.outer_prod(e.src["h"], e.dst["h"])
        e["y"] = e.src["h"] @ (e["m"] + e["outer"])
    return g.edata["y"], g.edata["outer"]


def other_ends_twin(graph, h, a, w, c):
    src, dst, types = ends(graph)
    own = graph.node_type
    return add_up(product(h[src], w[own[dst]]) + product(a, w[own[src]]) * c[own[dst]][:, None], dst, len(h))


@case(other_ends_twin, h=("n", 3), a=("e", 3), w=(T, 3, 2), c=(T,))
def other_ends(g, h: Node, a: Edge, w: Weight, c: Weight):
    for e in g.edges():
        e.dst["y"] += lang.linear(e.src["h"], w[e.dst.ntype]) + lang.linear(e["a"], w[e.src.ntype]) * c[e.dst.ntype]
    return g.ndata["y"]


def outgoing_twin(graph, h, a):
    src, dst, _ = ends(graph)
    return add_up(a * h[dst] - h[src], src, len(h)), (h[src] * h[dst]).sum(-1)


@case(outgoing_twin, h=("n", 3), a=("e", 1))
def outgoing(g, h: Node, a: Edge):
    for n in g.src_nodes():
        for e in n.outgoing_edges():
            n["y"] += e["a"] * e.dst["h"]
            n["y"] -= n["h"]
            e["s"] = lang.dot_prod(n["h"], e.dst["h"])
    return g.ndata["y"], g.edata["s"]


def kinds_twin(graph, h, a):
    src, dst, _ = ends(graph)
    rows = h[src] * a
    names = {"mean": "mean", "max": "amax", "min": "amin"}
    found = {kind: reduced(rows, dst, len(h), name) for kind, name in names.items()}
    degree = add_up(torch.ones_like(a[:, 0]), dst, len(h))
    return {**found, "degree": degree, "left": reduced(rows, src, len(h), "amax")}


@case(kinds_twin, sizes=SIZES, h=("n", 3), a=("e", 1))
def kinds(g, h: Node, a: Edge):
    for n in g.dst_nodes():
        n["mean"] = lang.mean(e.src["h"] * e["a"] for e in n.incoming_edges())
        n["max"] = lang.max(e.src["h"] * e["a"] for e in n.incoming_edges())
        for e in n.incoming_edges():
            n.accumulate("min", "min", e.src["h"] * e["a"])
            n["degree"] += 1.0
    for e in g.edges():
        e.src.accumulate("max", "left", e.src["h"] * e["a"])
    return {"mean": g.ndata["mean"], "max": g.ndata["max"], "min": g.ndata["min"], "degree": g.ndata["degree"],
            "left": g.ndata["left"]}  # fmt: skip


def by_hand_twin(graph, a):
    _, dst, _ = ends(graph)
    return [softmax_over(a, dst, graph.num_nodes)] * 2


@case(by_hand_twin, a=("e", 2))
def by_hand(g, a: Edge):
    for e in g.edges():
        e["att"] = lang.exp(e["a"])
    for n in g.dst_nodes():
        n["sum"] = lang.sum(e["att"] for e in n.incoming_edges())
        for e in n.incoming_edges():
            e["att"] = e["att"] / n["sum"]
    lang.edge_softmax(g, "a")
    return [g.edata["att"], g.edata["a"]]


def shapes_twin(graph, h, b, m):
    src, dst, types = ends(graph)
    joined = torch.cat([h[src], h[dst], b.expand(len(src), 2), m[types]], -1)
    grid = joined.view(-1, 2, 6)
    picked = grid[:, 1, :3] + grid[:, 0, -3:] * joined[:, 1:2]
    return picked, grid.transpose(1, 2).sum(1), grid.amax(-1), torch.softmax(grid, -1), grid.norm(dim=-1)


@case(shapes_twin, h=("n", 4), b=(2,), m=(R, 2))
def shapes(g, h: Node, b: Weight, m: Weight):
    for e in g.edges():
        joined = lang.concat(e.src["h"], e.dst["h"], b, m[e.etype])
        grid = joined.reshape(2, -1)
        e["picked"] = grid[1, :3] + grid[0, -3:] * joined[1]
        e["sum"] = lang.sum(grid.T, 0)
        e["max"] = lang.max(grid)
        e["soft"] = lang.softmax(grid)
        e["norm"] = lang.norm(grid)
    return tuple(g.edata[name] for name in ("picked", "sum", "max", "soft", "norm"))


FUNCTIONS = ("exp", "expm1", "abs", "sin", "cos", "tanh", "erf", "square", "sigmoid", "relu", "silu", "gelu",
             "softplus", "elu", "leaky_relu")  # fmt: skip
POSITIVE = ("log", "log1p", "sqrt", "rsqrt", "reciprocal")


def numbers_twin(graph, h, c):
    functional = torch.nn.functional
    found = [getattr(torch, name, getattr(functional, name, None))(h) for name in FUNCTIONS]
    found += [getattr(torch, name)(h.abs() + 0.5) for name in POSITIVE]
    found += [h**2, h**3, (h.abs() + 1) ** 1.5, 2 - h, 1 / (h * h + 1), -h, h.clamp(-0.3, 0.4), torch.maximum(h, c),
              torch.minimum(h, c), h.clamp(min=0.1), torch.where(h > c, h, 2 * c), torch.where(h <= 0, h, h * h)]
    return torch.stack(found, 1)


@case(numbers_twin, h=("n", 5), c=(5,))
def numbers(g, h: Node, c: Weight):
    for n in g.nodes():
        x = n["h"]
        found = [getattr(lang, name)(x) for name in FUNCTIONS]
        found += [getattr(lang, name)(abs(x) + 0.5) for name in POSITIVE]
        found += [x**2, x**3, (abs(x) + 1) ** 1.5, 2 - x, 1 / (x * x + 1), -x, lang.clamp(x, -0.3, 0.4),
                  lang.maximum(x, c), lang.minimum(x, c), lang.maximum(x, 0.1), lang.where(x > c, x, 2 * c),
                  lang.where(x <= 0, x, x * x)]  # fmt: skip
        n["y"] = lang.concat([one.reshape(1, 5) for one in found], dim=0)
    return g.ndata["y"]


def layer(n, rows, weight):
    """A helper, called from a loop over a fixed range."""
    return lang.relu(lang.linear(rows, weight) + math.pi)


def python_twin(graph, h, w, ws):
    src, dst, _ = ends(graph)
    for weight in (w[0], w[1]):
        h = torch.relu(add_up(h[src], dst, len(h)) @ weight + math.pi)
    return h * ws.sum() + torch.sigmoid(ws)


@case(python_twin, h=("n", 3), w=(2, 3, 3), ws=(3,))
def python(g, h: Node, w: Weight, ws: Weight):
    scale = lang.sum(ws)
    for number in range(2):
        before = "h" if number == 0 else f"h{number}"
        for n in g.dst_nodes():
            for e in n.incoming_edges():
                n[f"sum{number}"] += e.src[before]
            n[f"h{number + 1}"] = layer(n, n[f"sum{number}"], w[number])
    for n in g.nodes():
        n["y"] = n["h2"] * scale + lang.sigmoid(ws)
    return g.ndata["y"]


def same_for_all_twin(graph, h, c, v, w):
    src, dst, types = ends(graph)
    count = len(h)
    most = reduced(c.expand(len(src), 2), dst, count, "amax")
    products = product(v.expand(len(src), 3), w[types])
    return c.expand(count, 2), most, (c + h).expand(count, 2), add_up(products, dst, count)


@case(same_for_all_twin, h=("n", 1), c=(2,), v=(3,), w=(R, 3, 2))
def same_for_all(g, h: Node, c: Weight, v: Weight, w: Weight):
    for n in g.nodes():
        n["c"] = c
        n["t"] = n["h"] + n["c"]
        n["most"] = lang.max(c for e in n.incoming_edges())
    for e in g.edges():
        e.dst["z"] += lang.linear(v, w[e.etype])
    return g.ndata["c"], g.ndata["most"], g.ndata["t"], g.ndata["z"]


def both_types_twin(graph, h, w, b):
    src, dst, types = ends(graph)
    own = graph.node_type
    return add_up(product(h[src], w[own[src], types]) + b[types, own[dst]], dst, len(h))


@case(both_types_twin, h=("n", 3), w=(T, R, 3, 2), b=(R, T, 2))
def both_types(g, h: Node, w: Weight, b: Weight):
    for e in g.edges():
        e.dst["y"] += lang.linear(e.src["h"], w[e.src.ntype, e.etype]) + b[e.etype, e.dst.ntype]
    return g.ndata["y"]


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", CASES)
def test_case(name):
    function, twin, make, sizes = CASES[name]
    check(function, twin, make, sizes)


def corners_twin(graph, h, c):
    functional = torch.nn.functional
    found = [getattr(torch, name, getattr(functional, name, None))(h) for name in FUNCTIONS]
    found += [torch.maximum(h, c), torch.minimum(h, c), h.clamp(-1, 1), h.clamp(min=0), torch.where(h > c, h, c)]
    return torch.stack([*found, (h[:, :, None] * h[:, None, :]).amax(-1), (h * 0).abs()], 1)


def test_corners():
    """Gradients are PyTorch's where functions have corners, and numbers that are large stay finite."""

    @rgnn.function
    def corners(g, h: Node, c: Weight):
        for n in g.nodes():
            x = n["h"]
            found = [getattr(lang, name)(x) for name in FUNCTIONS]
            found += [lang.maximum(x, c), lang.minimum(x, c), lang.clamp(x, -1.0, 1.0), lang.maximum(x, 0.0),
                      lang.where(x > c, x, c), lang.max(lang.outer(x, x)), abs(x * 0)]  # fmt: skip
            n["y"] = lang.concat([one.reshape(1, 7) for one in found], dim=0)
        return g.ndata["y"]

    h = torch.tensor([[0.0, -0.0, 1.0, -1.0, 30.0, -800.0, 20.0]], dtype=torch.float64, requires_grad=True)
    c = torch.tensor([0.0, 0.0, 1.0, 1.0, 30.0, 1.0, 1.0], dtype=torch.float64, requires_grad=True)
    got, expected = corners(torch.zeros(2, 0, dtype=torch.long), h, c), corners_twin(None, h, c)
    assert torch.allclose(got, expected, rtol=1e-12, atol=1e-12)
    for row in range(got.shape[1]):
        pairs = [torch.autograd.grad(one[:, row].sum(), (h, c), retain_graph=True, materialize_grads=True)
                 for one in (got, expected)]  # fmt: skip
        assert all(torch.allclose(*pair, rtol=1e-12, atol=1e-12) for pair in zip(*pairs, strict=True)), row
    assert corners.versions[0].code.region is not None


@rgnn.function
def in_pytorchs_words(g, h: Node):
    for n in g.nodes():
        own = torch.softmax(n["h"], -1) + n["h"].relu() * n["h"].sigmoid()
        part = lang.softmax(n["h"], dim=-1) * n["h"].sum() - n["h"].mean(-1)
        n["y"] = torch.nn.functional.leaky_relu(own, 0.1) - part
        n["z"] = torch.nn.functional.relu(n["h"]).clamp(max=0.5) @ n["y"]
    return g.ndata["y"], g.ndata["z"]


def test_methods_and_functions_of_pytorch():
    h = tensor(6, 4)
    own = h.softmax(-1) + h.relu() * h.sigmoid()
    y = torch.nn.functional.leaky_relu(own, 0.1) - h.softmax(-1) * h.sum(1, keepdim=True) + h.mean(1, keepdim=True)
    expected = torch.cat([y, (h.relu().clamp(max=0.5) * y).sum(1, keepdim=True)], 1)
    rows, numbers = in_pytorchs_words(torch.randint(6, (2, 9)), h=h)
    got = torch.cat([rows, numbers.unsqueeze(1)], 1)
    close(got, expected, "result")
    close(*(gradients(out, [h])[0] for out in (got, expected)), "gradient")
