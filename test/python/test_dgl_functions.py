"""Functions of users in rgnn.dgl: of edges, mailboxes and types; for all nodes at once, or for those of each degree."""

import warnings

import pytest
import rgnn
import rgnn.dgl as dgl
import rgnn.dgl.function as fn
import torch
import torch.nn.functional as F
from dgl_graphs import check_compiled, check_equal, graphs, outcome, rows, sampled
from rgnn._runner import runner_of
from rgnn.dgl import buckets
from rgnn.dgl.typed import TypedMatrices
from torch import nn

# Reductions of users. These are run once, and compiled.


def pairs(mail):
    return mail.unsqueeze(2) - mail.unsqueeze(1)


def changed_pairs(mail):
    made = pairs(mail)
    made.relu_()
    return made


def scores(nodes):
    return nodes.mailbox["a"].squeeze(2) if nodes.mailbox["a"].dim() == 3 else nodes.mailbox["a"]


KNOWN = {
    "sum": lambda n: n.mailbox["m"].sum(1),
    "mean of squares": lambda n: (n.mailbox["m"] ** 2).mean(dim=1),
    "max": lambda n: n.mailbox["m"].max(1)[0],
    "min by name": lambda n: torch.min(n.mailbox["m"], dim=1).values,
    "unpacked": lambda n: [best for best, _ in [torch.max(n.mailbox["m"], 1)]][0],
    "attention": lambda n: (torch.softmax(n.mailbox["m"], dim=1) * n.mailbox["m"]).sum(1),
    "attention of another": lambda n: torch.sum(F.softmax(F.leaky_relu(n.mailbox["a"]), dim=1) * n.mailbox["m"], 1),
    "logarithms": lambda n: torch.logsumexp(n.mailbox["m"], 1) + n.mailbox["m"].log_softmax(1).amin(1),
    "with what nodes have": lambda n: n.mailbox["m"].sum(1) + torch.relu(n.data["h"]) + 1,
    "beside what nodes have": lambda n: torch.relu(n.mailbox["m"] - n.data["h"].unsqueeze(1)).sum(1),
    "less the mean": lambda n: (n.mailbox["m"] - n.mailbox["m"].mean(1, keepdim=True)).pow(2).sum(1),
    "over the degree": lambda n: n.mailbox["m"].sum(1) / n.mailbox["m"].shape[1],
    "times the root of the degree": lambda n: n.mailbox["m"].sum(1) * n.mailbox["m"].size(1) ** -0.5,
    "each over the degree": lambda n: (n.mailbox["m"] / n.mailbox["m"].shape[1]).sum(1) * n.mailbox["m"].shape[-2],
    "computed of the degree": lambda n: n.mailbox["m"].mean(1) * (1 / (2 - (n.mailbox["m"].shape[1] + 1) ** 0.3)),
    "features": lambda n: (n.mailbox["m"].sum(-1, keepdim=True) * n.mailbox["m"]).mean(1),
    "numbers in front": lambda n: (1 / (1 + n.mailbox["m"] ** 2) - 2 * n.mailbox["m"]).sum(1),
    "nodes in front": lambda n: (n.data["h"].unsqueeze(1) / (1 + n.mailbox["m"] ** 2)).sum(1),
    "side by side": lambda n: torch.cat([n.mailbox["m"], n.mailbox["a"] * n.mailbox["m"]], -1).sum(1),
    "a product": lambda n: (n.mailbox["m"] @ torch.linspace(-1, 1, 20).double().view(4, 5)).sum(1),
    "where": lambda n: torch.where(n.mailbox["m"] > 0, n.mailbox["m"], 0.1 * n.mailbox["m"]).sum(1),
    "shapes": lambda n: n.mailbox["m"].view(n.mailbox["m"].shape[0], n.mailbox["m"].shape[1], 2, 2).sum(-1).sum(1),
    "columns": lambda n: n.mailbox["m"][:, :, 1:3].sum(1),
    "pairs": lambda n: (pairs(n.mailbox["m"]).relu().sum(2) * n.mailbox["a"]).sum(1),
    "pairs by the other": lambda n: (torch.relu(pairs(n.mailbox["m"])).sum(dim=1) * n.mailbox["a"]).sum(1),
    "pairs of numbers": lambda n: (
        (scores(n).unsqueeze(2) - scores(n).unsqueeze(1)).relu().sum(-1, keepdim=True).sum(1)
    ),
    "pairs by brackets": lambda n: F.relu(scores(n)[:, None] - scores(n)[:, :, None]).sum(2).sum(1, keepdim=True),
    "pairs by transposition": lambda n: (
        (n.mailbox["a"] - n.mailbox["a"].transpose(1, 2)).clamp(min=0).mean(2).sum(1, keepdim=True)
    ),
    "pairs of two": lambda n: (
        (n.mailbox["m"].unsqueeze(2) - (n.mailbox["a"] + 0 * n.mailbox["m"]).unsqueeze(1)).abs().mean(2).sum(1)
    ),
    "all pairs": lambda n: ((-pairs(n.mailbox["m"])).sum(2, keepdim=True)[:, :, 0] * n.mailbox["m"]).sum(1),
    "numbers of nodes": lambda n: n.mailbox["m"].sum(1) * n.nodes().unsqueeze(1),
}
# These take tensors.
OPAQUE = {
    "sorted": lambda n: n.mailbox["m"].sort(1)[0][:, 0],
    "median": lambda n: n.mailbox["m"].median(1)[0],
    "deviation": lambda n: n.mailbox["m"].std(1, unbiased=False),
    "products of pairs": lambda n: (n.mailbox["m"].unsqueeze(2) * n.mailbox["m"].unsqueeze(1)).sum(2).mean(1),
    "squares of pairs": lambda n: ((n.mailbox["m"].unsqueeze(2) - n.mailbox["m"].unsqueeze(1)) ** 2).sum(2).mean(1),
    "pairs changed in place": lambda n: changed_pairs(n.mailbox["m"]).sum(2).mean(1),
    "the largest pair": lambda n: (n.mailbox["m"].unsqueeze(2) - n.mailbox["m"].unsqueeze(1)).relu().amax(2).mean(1),
    "first": lambda n: n.mailbox["m"][:, 0],
    "a branch": lambda n: n.mailbox["m"].sum(1) if n.mailbox["m"].shape[1] > 2 else n.mailbox["m"].prod(1),
    "which": lambda n: n.mailbox["m"].max(1)[1].double(),
    "a check": lambda n: torch.stack([part.sum(0) for part in n.mailbox["m"]]),
    "all": lambda n: n.mailbox["m"] / n.mailbox["m"].sum() * 0 + 1,
}


def message(edges):
    return {"m": edges.src["h"] * 2 + edges.dst["h"], "a": (edges.src["h"] * edges.data["w"]).sum(-1, keepdim=True)}


def run(reduce, graph, x, w):
    with graph.local_scope():
        graph.ndata["h"], graph.edata["w"] = x, w
        graph.update_all(message, lambda nodes: {"out": reduce(nodes)})
        return graph.ndata["out"]


class OneNode:
    """What a function gets of a node, with its messages as a tensor."""

    def __init__(self, number, data, mailbox):
        self.number, self.data, self.mailbox = number, data, mailbox

    def nodes(self):
        return torch.tensor([self.number])


def run_by_hand(reduce, graph, x, w):
    """Each node by itself."""
    source, target = graph.edges()
    m, a = x[source] * 2 + x[target], (x[source] * w).sum(-1, keepdim=True)
    found = {}
    for node in range(graph.num_nodes()):
        own = (target == node).nonzero().view(-1)
        if len(own):
            box = {"m": m[own].unsqueeze(0), "a": a[own].unsqueeze(0)}
            found[node] = reduce(OneNode(node, {"h": x[node : node + 1]}, box))[0]
    if not found:
        return None
    like = next(iter(found.values()))
    return torch.stack([found.get(node, torch.zeros_like(like)) for node in range(graph.num_nodes())])


def tensors_of(graph):
    return rows(graph.num_nodes(), 4), rows(graph.num_edges(), 1, seed=3)


@pytest.mark.parametrize("name", KNOWN)
def test_known(name, monkeypatch):
    """They are run once; the result is that of each node by itself, or 0."""
    monkeypatch.setattr(buckets, "_reduce_by_degree", None)
    for graph in graphs():
        got = outcome(lambda x, w, graph=graph: run(KNOWN[name], graph, x, w), tensors_of(graph), ())
        if not graph.num_edges():
            assert not got[0][0].any()
            continue
        expected = outcome(lambda x, w, graph=graph: run_by_hand(KNOWN[name], graph, x, w), tensors_of(graph), ())
        check_equal(got, expected)


@pytest.mark.parametrize("name", [name for name in OPAQUE if name != "all"])
def test_opaque(name, monkeypatch):
    """They are run for the nodes of each degree."""
    calls, stock = [], buckets._reduce_by_degree
    monkeypatch.setattr(buckets, "_reduce_by_degree", lambda *args: calls.append(args) or stock(*args))
    for graph in graphs([(9, 25), (3, 1)]):
        got = outcome(lambda x, w, graph=graph: run(OPAQUE[name], graph, x, w), tensors_of(graph), ())
        expected = outcome(lambda x, w, graph=graph: run_by_hand(OPAQUE[name], graph, x, w), tensors_of(graph), ())
        check_equal(got, expected)
    assert len(calls) == 2


def test_a_tensor_that_has_a_row_for_each_message_is_opaque():
    with pytest.raises(RuntimeError):  # PyTorch's, which joins rows of other numbers of messages
        run(OPAQUE["all"], graphs()[0], *tensors_of(graphs()[0]))


@pytest.mark.parametrize("name", sampled(KNOWN, 12))
def test_known_compiled(name):
    check_compiled(lambda graph, x, w: run(KNOWN[name], graph, x, w), [(g, tensors_of(g)) for g in graphs()])


def test_opaque_compiled():
    """Where a model may run in parts it does, with PyTorch's results; else the error says which function, and why."""
    graph = graphs()[0]
    x, w = tensors_of(graph)

    def smallest(nodes):
        return {"out": nodes.mailbox["m"].sort(1)[0][:, 0]}

    def model(graph, x, w):
        with graph.local_scope():
            graph.ndata["h"], graph.edata["w"] = x, w
            graph.update_all(message, smallest)
            return graph.ndata["out"]

    words = (r"smallest \(test_dgl_functions.py:\d+\) is called for the nodes of each degree, since it takes a tensor "
             "for the mailbox: sort of a mailbox")  # fmt: skip
    with pytest.raises(rgnn.FallbackError, match=words):
        rgnn.compile(model, fullgraph=True)(graph, x, w)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert torch.allclose(rgnn.compile(model)(graph, x, w), model(graph, x, w))


class UserGAT(nn.Module):
    """As DGL's tutorials write attention, with the question about degrees in front."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 6, bias=False).double()
        self.attn = nn.Linear(12, 1, bias=False).double()

    def edge_attention(self, edges):
        return {"e": F.leaky_relu(self.attn(torch.cat([edges.src["z"], edges.dst["z"]], dim=1)))}

    def message_func(self, edges):
        return {"z": edges.src["z"], "e": edges.data["e"]}

    def reduce_func(self, nodes):
        alpha = F.softmax(nodes.mailbox["e"], dim=1)
        return {"h": torch.sum(alpha * nodes.mailbox["z"], dim=1)}

    def forward(self, g, h):
        if (g.in_degrees() == 0).any():
            raise ValueError("zero in-degree")
        with g.local_scope():
            g.ndata["z"] = self.fc(h)
            g.apply_edges(self.edge_attention)
            g.update_all(self.message_func, self.reduce_func)
            return g.ndata["h"] * torch.pow(g.in_degrees().to(h).clamp(min=1), -0.5).unsqueeze(1)


def test_attention_of_tutorials_compiled():
    model = UserGAT()
    compiled = check_compiled(model, [(dgl.add_self_loop(graph), tensors_of(graph)[:1]) for graph in graphs()])
    for call in (model, compiled):
        with pytest.raises(ValueError, match="zero in-degree"):
            call(graphs()[0], tensors_of(graphs()[0])[0])


@pytest.mark.parametrize("ask", sampled([
    lambda g: torch.any(g.in_degrees() == 0), lambda g: (g.in_degrees() < 1).any().item(),
    lambda g: bool((g.in_degrees() == 0).any()), lambda g: (g.in_degrees() <= 0).any()], 2))  # fmt: skip
def test_degrees_in_other_words(ask):
    """The question ends no capture, and degrees are a tensor to all else."""

    def model(g, x):
        assert not ask(g)
        degrees = g.in_degrees()
        scale = 1 / (degrees + 1) + (2.0 ** -degrees) + (degrees == 2).double() + torch.where(degrees > 1, 1.0, 2.0)
        scale = scale + torch.stack([degrees, degrees.clamp(max=3)], 1).sum(1) + degrees[g.edges()[1]].sum()
        with g.local_scope():
            g.ndata["d"] = degrees
            return dgl.ops.copy_u_sum(g, x) * (scale + g.ndata["d"]).unsqueeze(1).to(x)

    check_compiled(model, [(dgl.add_self_loop(graph), (rows(graph.num_nodes(), 4),)) for graph in graphs()])


# ---- types -----------------------------------------------------------------------------------------------------------


class Typed(nn.Module):
    """RGCN and node types by data of types: of one graph with types as features, or of several types."""

    def __init__(self):
        super().__init__()
        self.node, self.edge = nn.Parameter(rows(2, 4, 4)), nn.Parameter(rows(3, 4))

    def forward(self, g, x, kinds, types):
        with g.local_scope():
            g.ndata["h"], g.ndata["_TYPE"], g.edata["_TYPE"] = x, kinds, types
            g.ntypedata["W"], g.etypedata["a"] = self.node, self.edge
            g.apply_nodes(lambda nodes: {"k": torch.bmm(nodes.data["h"].unsqueeze(1), nodes.type["W"]).squeeze(1)})
            g.update_all(lambda edges: {"m": edges.src["k"] * edges.type["a"] + edges.dsttype["W"][:, 0] * (
                edges.srctype["W"][:, 1])}, fn.sum("m", "out"))  # fmt: skip
            return g.ndata["out"]


def test_data_of_types():
    model, calls = Typed(), []
    for graph in graphs():
        rng = torch.Generator().manual_seed(3)
        kinds, types = (torch.randint(0, most, (count,), generator=rng) for most, count in (
            (2, graph.num_nodes()), (3, graph.num_edges())))  # fmt: skip
        x = rows(graph.num_nodes(), 4)
        source, target = graph.edges()
        messages = (x[source].unsqueeze(1) @ model.node[kinds[source]]).squeeze(1) * model.edge[types]
        messages = messages + model.node[kinds[target], 0] * model.node[kinds[source], 1]
        expected = torch.zeros_like(x).index_add(0, target, messages)
        assert torch.allclose(model(graph, x, kinds, types), expected)
        calls.append((graph, (x, kinds, types)))
    check_compiled(model, calls)


def test_data_of_types_end_with_their_scope():
    """What a call sets is not there in the next one, which would be captured anew; what was there before is."""
    model, graph = Typed(), graphs()[0]
    before = graph.etypedata["b"] = rows(2, 1)
    compiled = rgnn.compile(model, fullgraph=True)
    for _ in range(2):
        compiled(graph, rows(9, 4), torch.arange(9) % 2, torch.arange(25) % 3)
        assert not graph.ntypedata and list(graph.etypedata) == ["b"] and graph.etypedata["b"] is before
    assert len(runner_of(compiled).versions) == 1


PRODUCTS = {
    "bmm": lambda x, w: torch.bmm(x.unsqueeze(1), w).squeeze(1),
    "matmul": lambda x, w: torch.matmul(x.unsqueeze(-2), w).squeeze(-2),
    "operator": lambda x, w: (x.unsqueeze(1) @ w).squeeze(1),
    "columns": lambda x, w: torch.bmm(w, x[:, :3].unsqueeze(2)).squeeze(2),
    "columns by operator": lambda x, w: (w @ x[:, :3].unsqueeze(-1)).squeeze(-1),
    "elements": lambda x, w: (2 * w - w * w + 1).sum(1) * w[:, 0] + (-w).mean(2).sum(1, keepdim=True) / w.shape[1],
    "einsum": lambda x, w: torch.einsum("ek,ekm->em", x, w), "transposed": lambda x, w: w.transpose(1, 2).sum(2),
    "side by side": lambda x, w: torch.cat([w, w], 1).sum(1),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_matrices_of_types(name, monkeypatch):
    """They are what picking them gives, and products with one row or column do not pick them."""
    graph, table = graphs()[0], rows(3, 4, 3)
    types = torch.arange(25) % 3
    graph.ndata["h"], graph.edata["_TYPE"], graph.etypedata["W"] = rows(9, 4), types, table
    source, _ = graph.edges()
    expected = PRODUCTS[name](graph.ndata["h"][source], table[types])
    if name in list(PRODUCTS)[:5]:
        monkeypatch.setattr(TypedMatrices, "tensor", None)
    graph.apply_edges(lambda edges: {"m": PRODUCTS[name](edges.src["h"], edges.type["W"])})
    assert torch.allclose(graph.edata["m"], expected)


class ByMatrices(nn.Module):
    def __init__(self, product):
        super().__init__()
        self.product, self.table = product, nn.Parameter(rows(3, 4, 3))

    def forward(self, graph, x, types):
        with graph.local_scope():
            graph.ndata["h"], graph.edata["_TYPE"], graph.etypedata["W"] = x, types, self.table
            graph.update_all(lambda edges: {"m": self.product(edges.src["h"], edges.type["W"])}, fn.sum("m", "o"))
            return graph.ndata["o"]


@pytest.mark.parametrize("name", sampled(["columns by operator", "operator", "bmm", "elements"], 3))
def test_matrices_of_types_compiled(name):
    calls = [(graph, (rows(graph.num_nodes(), 4), torch.arange(graph.num_edges()) % 3)) for graph in graphs()]
    compiled = check_compiled(ByMatrices(PRODUCTS[name]), calls)
    report = rgnn.explain(compiled, calls[0][0], *calls[0][1])
    assert name == "elements" or "rgnn.typed_linear" in report.ir["rgnn"]


def test_data_of_types_of_several():
    graph = dgl.heterograph({("a", "x", "b"): ([0, 1], [1, 1]), ("a", "y", "b"): ([1], [0])})
    graph.ntypedata["W"], graph.etypedata["V"] = rows(2, 3), rows(2, 3, seed=1)
    graph.nodes["a"].data["h"] = rows(2, 3, seed=2)
    seen = {}

    def message(edges):
        return {"m": edges.srctype["W"] + 2 * edges.dsttype["W"] + 3 * edges.type["V"]}

    for etype in graph.etypes:
        graph.apply_edges(message, etype=etype)
        seen[etype] = graph.edges[etype].data["m"]
    W, V = graph.ntypedata["W"], graph.etypedata["V"]  # noqa: N806
    assert torch.equal(seen["x"], (W[0] + 2 * W[1] + 3 * V[0]).expand(2, 3)) and len(seen["y"]) == 1
    with pytest.raises(dgl.DGLError, match="expected a feature of edge types, of 'V', got 'Q'"):
        graph.apply_edges(lambda edges: {"m": edges.type["Q"]}, etype="x")


# ---- operators of users ----------------------------------------------------------------------------------------------


@rgnn.register_op("rgnn_test_dgl::wave", rows="each", lowering=lambda x: torch.sin(x) * 2)
def wave(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x) * 2


def test_registered_operators_within_functions():
    def model(graph, x):
        with graph.local_scope():
            graph.ndata["h"] = x
            graph.update_all(lambda edges: {"m": wave(edges.src["h"])}, lambda nodes: {"o": nodes.mailbox["m"].mean(1)})
            return graph.ndata["o"]

    check_compiled(model, [(graph, (rows(graph.num_nodes(), 4),)) for graph in graphs()])


SPECIAL = {
    "infinities": [torch.inf, 1.0, -torch.inf, 2.0, torch.inf], "no number": [1.0, torch.nan, 3.0],
    "far from zero": [1e6 + 0.25 * number for number in range(9)], "equal": [2.0, 2.0, 2.0, 1.0, 1.0],
    "a hub": torch.randn(700, generator=torch.Generator().manual_seed(0)).tolist(), "one": [torch.inf], "none": [],
}  # fmt: skip


@pytest.mark.parametrize("name", SPECIAL)
def test_pairs_of_special_numbers(name):
    """Of the messages of two nodes: compiled code has PyTorch's infinities, NaN and digits, in float32."""
    numbers = torch.tensor([*SPECIAL[name], *[0.5, 0.25]])
    count = len(numbers)
    graph = dgl.graph((torch.arange(count), torch.tensor([0] * (count - 2) + [1, 1])), num_nodes=max(count, 2))
    y = numbers.flip(0).contiguous()

    def compute(graph, x, y):
        with graph.local_scope():
            graph.edata["x"], graph.edata["y"] = x, y
            graph.update_all(lambda edges: {"x": edges.data["x"], "y": edges.data["y"]}, lambda nodes: {
                "own": pairs(nodes.mailbox["x"]).relu().sum(2).sum(1),
                "others": (nodes.mailbox["x"].unsqueeze(2) - nodes.mailbox["y"].unsqueeze(1)).relu().sum(1).sum(1)})
            return graph.ndata["own"], graph.ndata["others"]

    compiled = rgnn.compile(compute, fullgraph=True)
    for got, expected in zip(compiled(graph, numbers, y), compute(graph, numbers, y), strict=True):
        assert torch.allclose(got, expected, rtol=1e-5, atol=0, equal_nan=True)
