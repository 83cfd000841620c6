"""Several rows of each node, as ``[B, N, F]``: layers move them along ``N``, and are compiled whole."""

import pytest
import rgnn
import torch
import torch.nn.functional as F
from pyg import error, gnn, random_graph, rows, versions
from rgnn._runner import runner_of
from torch import nn

WIDTH, R = 6, 4
SIZES = ((4, 20, 60), (4, 11, 30), (3, 7, 7), (1, 5, 6), (3, 6, 0))  # several, nodes (also WIDTH of them), edges


class Plain(nn.Module):
    """A layer, and rows of all nodes."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, *edges):
        return self.layer(x, *edges).relu() + x


class Normed(Plain):
    """Two layers and what is between them; a mean over nodes."""

    def __init__(self, layer):
        super().__init__(layer)
        self.norm, self.last = nn.LayerNorm(WIDTH), gnn.SAGEConv(WIDTH, 3)

    def forward(self, x, *edges):
        return self.last(self.norm(self.layer(x, *edges)), *edges).log_softmax(-1).mean(1)


class Steps(Plain):
    """A layer on the rows of each step of time, which is the last dimension."""

    def forward(self, x, *edges):
        x = torch.stack([x, 2 * x], dim=-1)
        return sum(self.layer(x[..., step], *edges).tanh() for step in range(x.shape[-1]))


class Paths(nn.Module):
    """Rows of each question that an edge's type turns; the nodes are as many as the model says (NBFNet, ULTRA)."""

    def __init__(self, nodes):
        super().__init__()
        self.nodes, self.lin, self.relations = nodes, nn.Linear(2 * WIDTH, WIDTH), nn.Linear(WIDTH, R * WIDTH)

    def forward(self, question, edge_index, edge_type):
        x = question[:, None, :].expand(-1, self.nodes, -1)
        relation = self.relations(question).view(len(question), R, -1)[:, edge_type]
        (a, b), (c, s) = x[:, edge_index[0]].chunk(2, -1), relation.chunk(2, -1)
        turned = torch.cat([a * c - b * s, a * s + b * c], dim=-1)
        index = edge_index[1].view(1, -1, 1).expand_as(turned)
        total = turned.new_zeros(len(question), self.nodes, WIDTH).scatter_add(1, index, turned)
        return self.lin(torch.cat([x, total], dim=-1)).relu()


class ByHand(nn.Module):
    """Sums and maxima by lists, of PyTorch's own operators."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x, edge_index):
        message = x.index_select(1, edge_index[0]).exp()
        total = torch.zeros_like(x).index_add(1, edge_index[1], message)
        most = torch.zeros_like(x).index_reduce(1, edge_index[1], message, "amax", include_self=False)
        return self.lin(torch.cat([total, most], dim=-1))


class Bellman(gnn.MessagePassing):
    """Paths from a node of each question, whose row is put in front by no list, and rows of answers picked by none."""

    def __init__(self):
        super().__init__(aggr="mean", node_dim=-2)
        self.relations, self.lin = nn.Embedding(R, WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, question, edge_index, edge_type, start, answers, nodes):
        boundary = question.new_zeros(len(question), nodes, WIDTH)
        boundary.scatter_add_(1, start[:, None, None].expand(-1, 1, WIDTH), question[:, None])
        relation, x = self.relations.weight.expand(len(question), -1, -1), boundary
        for _ in range(2):
            degree = torch.zeros(nodes).index_add(0, edge_index[1], torch.ones(edge_index.shape[1]))
            scale = (degree + 2).log()[None, :, None]
            x = x + self.propagate(edge_index, x=x, relation=relation, boundary=boundary, edge_type=edge_type) * scale
        return x.gather(1, answers[:, :, None].expand(-1, -1, WIDTH))

    def message(self, x_j, relation, boundary, edge_type):
        return torch.cat([x_j * relation.index_select(self.node_dim, edge_type), boundary], dim=self.node_dim)

    def aggregate(self, inputs, index, dim_size):
        return super().aggregate(inputs, torch.cat([index, torch.arange(dim_size)]), dim_size=dim_size)

    def update(self, out, x):
        return self.lin(torch.cat([x, out], dim=-1)).relu()


MODELS = {
    "gcn": lambda: Plain(gnn.GCNConv(WIDTH, WIDTH)),
    "sage": lambda: Normed(gnn.SAGEConv(WIDTH, WIDTH)),
    "edge": lambda: Plain(gnn.EdgeConv(nn.Linear(2 * WIDTH, WIDTH))),
    "by hand": ByHand,
    "gin": lambda: Steps(gnn.GINConv(nn.Linear(WIDTH, WIDTH))),
}


def check(model, compiled, make):
    """Results, their strides, and gradients, of all sizes."""
    for several, nodes, edges in SIZES:
        args = make(several, nodes, edges)
        outcomes = []
        for call in (model, compiled):
            out = call(*args)
            wanted = [args[0], *model.parameters()]
            factor = torch.linspace(-1, 1, out.numel()).view(out.shape)
            grads = torch.autograd.grad((out * factor).sum(), wanted, allow_unused=True)
            outcomes.append((out, *grads))
        assert outcomes[0][0].stride() == outcomes[1][0].stride()
        for own, got in zip(*outcomes, strict=True):
            assert error(got, own) <= 1e-10


@pytest.mark.sample(3)
@pytest.mark.usefixtures("strict", "float64")
@pytest.mark.parametrize("name", MODELS)
def test_like_pytorch(name):
    model = MODELS[name]()
    compiled = rgnn.compile(model, fullgraph=True)

    def make(several, nodes, edges):
        return torch.randn(several, nodes, WIDTH, requires_grad=True), random_graph(nodes, edges)[1]

    check(model, compiled, make)
    assert versions(compiled) == 3  # one for each of `several`


class WithEdges(nn.Module):
    """Features ``[B, E, K]`` of edges beside those of nodes, added up in place."""

    def __init__(self):
        super().__init__()
        self.own, self.of_edges = nn.Linear(WIDTH, WIDTH), nn.Linear(3, WIDTH)

    def forward(self, x, edge_index, features):
        total = torch.zeros_like(x)
        for scale in (1.0, 0.5):
            messages = (self.own(x)[:, edge_index[0]] * scale + self.of_edges(features)).relu()
            total += torch.zeros_like(x).index_add(1, edge_index[1], messages)
        return total


@pytest.mark.usefixtures("strict", "float64")
def test_features_of_edges():
    """They do not fix how many edges there are."""
    model = WithEdges()
    compiled = rgnn.compile(model, fullgraph=True)

    def make(several, nodes, edges):
        x, edge_index = torch.randn(several, nodes, WIDTH, requires_grad=True), random_graph(nodes, edges)[1]
        return x, edge_index, torch.randn(several, edge_index.shape[1], 3)

    check(model, compiled, make)
    assert versions(compiled) == 3


class AfterSteps(nn.Module):
    """The last step of a convolution over time, whose result lies in memory in another order."""

    def __init__(self):
        super().__init__()
        self.steps = nn.Conv2d(WIDTH, WIDTH, (1, 3), padding=(0, 1))

    def forward(self, x, edge_index):
        x = self.steps(x.unsqueeze(-1).permute(0, 2, 1, 3)).permute(0, 3, 2, 1)[:, -1]
        return torch.zeros_like(x).index_add_(1, edge_index[1], x[:, edge_index[0]])


@pytest.mark.usefixtures("float64")
@pytest.mark.filterwarnings("ignore:rgnn")
def test_results_in_another_order_in_memory():
    model = AfterSteps()
    compiled = rgnn.compile(model)
    check(model, compiled, lambda several, nodes, edges: (
        torch.randn(several, nodes, WIDTH, requires_grad=True), random_graph(nodes, edges)[1]))
    found = list(map(str, runner_of(compiled).versions))
    assert found and all(one.startswith("1 region") and "aten.conv2d" in one for one in found)


@pytest.mark.usefixtures("strict", "float64")
def test_types_and_counts():
    """One version for each number of questions; that of nodes is an attribute."""
    model = Paths(1)
    compiled = rgnn.compile(model, fullgraph=True)

    def make(several, nodes, edges):
        model.nodes = nodes
        return torch.randn(several, WIDTH, requires_grad=True), *random_graph(nodes, edges, relations=R)[1:]

    check(model, compiled, make)
    assert versions(compiled) == 3


@pytest.mark.usefixtures("float64")
@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.long
def test_moved_otherwise():
    """PyTorch puts rows, and picks rows, by what is no list; a region runs in between."""
    model = Bellman()
    compiled = rgnn.compile(model)

    def make(several, nodes, edges):
        ends = random_graph(nodes, edges, relations=R)[1:]
        start, answers = torch.randint(nodes, (several,)), torch.randint(nodes, (several, 3))
        return torch.randn(several, WIDTH, requires_grad=True), *ends, start, answers, nodes

    check(model, compiled, make)
    for version in runner_of(compiled).versions:
        left = {op for op, *_ in version.fallbacks}
        assert left <= {"aten.scatter_add", "aten.gather", "aten.expand", "aten.new_zeros"}
        assert "rgnn.aggregate" in version.texts[0] or "aten.scatter" in version.texts[0]


@pytest.mark.usefixtures("float64")
def test_other_numbers():
    """More than four numbers in front of rows: the fifth, and what comes behind it, run in PyTorch, which is said."""
    model = Plain(gnn.GraphConv(WIDTH, WIDTH))
    compiled = rgnn.compile(model)
    edge_index = random_graph(7, 20)[1]
    for several in (1, 2, 3, 4):
        x = torch.randn(several, 7, WIDTH)
        assert error(compiled(x, edge_index), model(x, edge_index)) <= 1e-10
    assert versions(compiled) == 4
    with pytest.warns(UserWarning, match=r"`x.size\(\)\[0\]`, a size in front of the rows, has had more than 4 values"):
        compiled(torch.randn(5, 7, WIDTH), edge_index)
    for several in range(5, 12):
        x = torch.randn(several, 7, WIDTH)
        assert torch.equal(compiled(x, edge_index), model(x, edge_index))
    assert len(runner_of(compiled).versions) == 5


@pytest.mark.usefixtures("float64")
@pytest.mark.filterwarnings("ignore:rgnn")  # PyTorch picks columns
def test_columns_are_no_rows():
    """Columns that a list picks are behind the rows, whose number stays a symbol."""
    def model(x, edge_index, columns):
        return torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])[:, :, columns]

    compiled = rgnn.compile(model)
    columns = torch.tensor([2, 0, 0])
    for nodes, edges in ((9, 20), (5, 5), (12, 40)):
        x, edge_index = rows(nodes, 2 * WIDTH).view(nodes, 2, WIDTH), random_graph(nodes, edges)[1]
        assert error(compiled(x, edge_index, columns), model(x, edge_index, columns)) <= 1e-10
    assert len(runner_of(compiled).versions) == 1


class Around(Plain):
    """What PyTorch runs in front of a layer and behind it, on rows behind the first dimension."""

    def __init__(self, layer, place):
        super().__init__(layer)
        self.lin, self.place = nn.Linear(WIDTH, WIDTH), place

    def forward(self, x, *edges):
        x = x.logcumsumexp(0) if self.place == "front" else x
        x = self.layer(self.lin(x), *edges).relu()
        return x.logcumsumexp(0) if self.place == "behind" else x


@pytest.mark.parametrize("place", ["front", "behind"])
@pytest.mark.filterwarnings("ignore:rgnn")
def test_around_what_pytorch_runs(place):
    torch.manual_seed(0)
    model = Around(gnn.SAGEConv(WIDTH, WIDTH), place).double()
    compiled = rgnn.compile(model)
    for count, nodes, edges in SIZES[1:3]:
        x, edge_index = rows(count * nodes, WIDTH).view(count, nodes, WIDTH), random_graph(nodes, edges)[1]
        outcomes = []
        for call in (model, compiled):
            given = x.clone().requires_grad_()
            out = call(given, edge_index)
            outcomes.append((out, *torch.autograd.grad(out.square().sum(), [given, *model.parameters()])))
        assert all(error(got.detach(), own.detach()) <= 1e-10 for own, got in zip(*outcomes, strict=True))
    for version in runner_of(compiled).versions:
        assert len(version.regions) == 1 and [op for op, *_ in version.fallbacks] == ["aten.logcumsumexp"]


class Boundary(nn.Module):
    """The row of one node of each question, which is added to others or is all there is."""

    def __init__(self, in_place):
        super().__init__()
        self.lin, self.in_place = nn.Linear(WIDTH, WIDTH), in_place

    def forward(self, question, edge_index, start, nodes):
        index = start.unsqueeze(-1).expand_as(question).unsqueeze(1)
        if self.in_place:
            boundary = question.new_zeros(len(question), nodes, WIDTH)
            boundary.scatter_add_(1, index, question.unsqueeze(1))
        else:
            boundary = torch.ones(len(question), nodes, WIDTH).scatter_add(1, index, question.unsqueeze(1))
        near = torch.zeros_like(boundary).index_add(1, edge_index[1], boundary[:, edge_index[0]])
        return self.lin(near) + boundary


@pytest.mark.usefixtures("strict", "float64")
@pytest.mark.parametrize("in_place", [True, False])
def test_added_once(in_place):
    model = Boundary(in_place)
    compiled = rgnn.compile(model, fullgraph=True)

    def make(several, nodes, edges):
        question, start = torch.randn(several, WIDTH, requires_grad=True), torch.randint(nodes, (several,))
        return question, random_graph(nodes, edges)[1], start, nodes

    check(model, compiled, make)
    assert versions(compiled) == 3  # one for each of `several`
    question, edge_index, start, nodes = make(*SIZES[0])
    for each in (model, compiled):
        with pytest.raises((RuntimeError, IndexError), match="out of bounds"):
            each(question, edge_index, start + nodes, nodes)


def one_matrix(m, x):
    z = m.lin(x.unsqueeze(0)).view(1, -1, 2, WIDTH // 2)
    return torch.einsum("bnhd,md->bnhm", z, m.lin.weight[:3, : WIDTH // 2]).flatten(2).squeeze(0)


def attention(m, x):
    """Without a softmax: linear in the number of nodes."""
    z = m.lin(x.unsqueeze(0)).view(1, -1, 2, WIDTH // 2)
    products = torch.einsum("bnhm,bnhd->bhmd", z.relu(), z)
    return torch.einsum("bnhm, bhmd -> bnhd", z.relu(), products).flatten(2).squeeze(0)


def nodes_first(m, x):
    z = m.lin(x.unsqueeze(0)).view(1, -1, 2, WIDTH // 2).permute(1, 0, 2, 3)
    return torch.einsum("nbhm,bhmd->nbhd", z, torch.einsum("nbhm,nbhd->bhmd", z.relu(), z)).flatten(1)


def scores(m, x):
    z = m.lin(x.unsqueeze(0)).tanh()
    return F.bilinear(z, z.relu(), m.weights, m.lin.bias[:2]).squeeze(0)


@pytest.mark.usefixtures("strict", "float64")
@pytest.mark.parametrize("function", [one_matrix, attention, nodes_first, scores])
def test_batches_of_one(function):
    """Einstein's sums and bilinear forms with a dimension of one."""

    class One(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin, self.weights = nn.Linear(WIDTH, WIDTH), nn.Parameter(torch.randn(2, WIDTH, WIDTH))

        def forward(self, x, edge_index):
            made = function(self, x)
            return torch.zeros_like(made).index_add(0, edge_index[1], made[edge_index[0]])

    model = One()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges in ((9, 30), (5, 0), (1, 2), (20, 41)):
        x, edge_index = torch.randn(nodes, WIDTH, requires_grad=True), random_graph(nodes, edges)[1]
        found = []
        for each in (model, compiled):
            out = each(x, edge_index)
            found.append((out, *torch.autograd.grad(out.sin().sum(), [x, *model.parameters()], allow_unused=True)))
        for own, got in zip(*found, strict=True):
            assert (own is None) == (got is None) and (own is None or error(got, own) <= 1e-10)
