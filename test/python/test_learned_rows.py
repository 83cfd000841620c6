"""Features that are Parameters: where edges pick rows of them, they are rows like those of other tensors."""

import pytest
import rgnn
import rgnn.dgl as dgl
import rgnn.dgl.function as fn
import torch
from dgl_graphs import check_equal, outcome
from pyg import gnn, random_graph, versions
from rgnn._runner import runner_of
from torch import nn

WIDTH, R = 8, 4


class Heads(nn.Module):
    """A matrix for each head, times rows that are as many as matrices of the model have."""

    def __init__(self, nodes):
        super().__init__()
        self.x, self.weight = nn.Parameter(torch.randn(nodes, WIDTH)), nn.Parameter(torch.randn(2, 4, 4))
        self.square = nn.Parameter(torch.randn(WIDTH, WIDTH))

    def forward(self, edge_index, edge_type):
        x = (self.x @ self.square).view(-1, 2, 4)
        key = torch.einsum("bij,ijk->bik", x, self.weight)
        return key.new_zeros(key.shape).index_add(0, edge_index[1], key[edge_index[0]])


class Relations(nn.Module):
    """Learned rows of nodes, and some of edge types, which stay weights."""

    def __init__(self, nodes):
        super().__init__()
        self.x, self.relations = nn.Embedding(nodes, WIDTH), nn.Embedding(R, WIDTH)
        self.conv = gnn.GATConv(WIDTH, WIDTH)

    def forward(self, edge_index, edge_type):
        x = self.x.weight
        messages = x[edge_index[0]] * self.relations(edge_type)
        x = x + torch.zeros_like(x).index_add(0, edge_index[1], messages)
        return self.conv(x, edge_index)


class Two(nn.Module):
    """Rows of two types one after the other; what lists of a batch pick are no ends."""

    def __init__(self, nodes):
        super().__init__()
        self.users, self.items = nn.Embedding(2, WIDTH), nn.Embedding(nodes - 2, WIDTH)
        self.conv = gnn.LGConv()

    def forward(self, edge_index, edge_type):
        x = torch.cat([self.users.weight, self.items.weight])
        out = self.conv(x, edge_index)
        return (out[edge_index[0]] * out[edge_index[1]]).sum(-1) + self.users.weight[edge_type % 2].sum(-1)


class Root(nn.Module):
    """Layers whose features are their weights, and which ask for the sizes of these."""

    def __init__(self, nodes):
        super().__init__()
        self.first, self.last = gnn.RGCNConv(nodes, WIDTH, R, num_bases=2), gnn.RGCNConv(WIDTH, 3, R)

    def forward(self, edge_index, edge_type):
        return self.last(self.first(None, edge_index, edge_type).relu(), edge_index, edge_type)


class Whole(nn.Module):
    """What no kernel does with rows whose number is a symbol, PyTorch's weights can have done."""

    def __init__(self, nodes):
        super().__init__()
        self.x, self.weight = nn.Parameter(torch.randn(nodes, WIDTH)), nn.Parameter(torch.randn(nodes, WIDTH))

    def forward(self, edge_index, edge_type):
        x = self.x.flip(0) + self.x.logsumexp(0) + self.weight.T.mT
        return torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])


class Sides(nn.Module):
    """Products whose rows are those of the second operand, or of a transposed one."""

    def __init__(self, nodes):
        super().__init__()
        self.x, self.weight = nn.Parameter(torch.randn(nodes, WIDTH)), nn.Parameter(torch.randn(WIDTH, WIDTH))

    def forward(self, edge_index, edge_type):
        x = torch.einsum("fg,nf->ng", self.weight, self.x) + torch.mm(self.weight, self.x.t()).t()
        return torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])


@pytest.mark.usefixtures("strict", "float64")
@pytest.mark.parametrize("make", [Heads, Relations, Two, Root, Whole, Sides])
@pytest.mark.parametrize("nodes", [11, WIDTH])
def test_of_models(make, nodes, tmp_path):
    torch.manual_seed(0)
    model = make(nodes)
    compiled = rgnn.compile(model, fullgraph=True)
    for edges in (30, nodes, 1, 0):
        _, *args = random_graph(nodes, edges, relations=R)
        check_equal(outcome(compiled, args, model.parameters()), outcome(model, args, model.parameters()))
    assert versions(compiled) == 1
    _, *args = random_graph(nodes, 20, seed=3, relations=R)
    compiled.save(tmp_path / "model.rgnn")
    with torch.no_grad():
        torch.testing.assert_close(rgnn.load(tmp_path / "model.rgnn")(*args), model(*args))


@pytest.mark.usefixtures("strict", "float64")
def test_of_calls():
    """Parameters that are arguments, and none of the model's, may be others in each call."""

    def function(x, weight, edge_index):
        x = torch.einsum("bij,ijk->bik", (x @ weight).view(-1, 2, 4), weight.view(2, 4, 8)[..., :4])
        return x.new_zeros(x.shape).index_add(0, edge_index[1], x[edge_index[0]])

    compiled = rgnn.compile(function, fullgraph=True)
    for nodes, edges in ((11, 30), (7, 30), (WIDTH, WIDTH), (1, 3), (4, 0)):
        x, weight = nn.Parameter(torch.randn(nodes, WIDTH)), nn.Parameter(torch.randn(WIDTH, WIDTH))
        edge_index = random_graph(nodes, edges)[1]
        expected = outcome(lambda e: function(x, weight, e), [edge_index], [x, weight])  # noqa: B023
        check_equal(outcome(lambda e: compiled(x, weight, e), [edge_index], [x, weight]), expected)  # noqa: B023
    assert len(runner_of(compiled).versions) == 1


class OfGraph(nn.Module):
    """DGL's example of HGT has its features so: as data of the graph."""

    def __init__(self):
        super().__init__()
        self.adapt, self.weight = nn.Linear(5, WIDTH), nn.Parameter(torch.randn(2, 4, 4))

    def forward(self, graph):
        with graph.local_scope():
            key = torch.einsum("bij,ijk->bik", self.adapt(graph.ndata["x"]).view(-1, 2, 4), self.weight)
            graph.ndata["k"] = key
            graph.update_all(fn.copy_u("k", "m"), fn.sum("m", "out"))
            return graph.ndata["out"]


@pytest.mark.usefixtures("strict", "float64")
def test_matrices_of_graphs_types():
    """What a graph has for each type are weights."""

    def function(graph):
        graph.update_all(lambda edges: {"m": torch.bmm(edges.src["x"].unsqueeze(1), edges.type["w"]).squeeze(1)},
                         fn.sum("m", "out"))  # fmt: skip
        return graph.ndata.pop("out")

    compiled = rgnn.compile(function, fullgraph=True)
    for nodes, edges in ((11, 30), (7, 20)):
        _, edge_index, edge_type = random_graph(nodes, edges, relations=R)
        graph = dgl.graph(tuple(edge_index), num_nodes=nodes)
        graph.ndata["x"], graph.edata["_TYPE"] = nn.Parameter(torch.randn(nodes, 5)), edge_type
        graph.etypedata["w"] = nn.Parameter(torch.randn(R, 5, WIDTH))
        sources = [graph.ndata["x"], graph.etypedata["w"]]
        check_equal(outcome(lambda: compiled(graph), [], sources), outcome(lambda: function(graph), [], sources))  # noqa: B023
    version, = runner_of(compiled).versions
    assert f"tensor<{R}x5x{WIDTH}xf64>" in version.texts[0]


@pytest.mark.usefixtures("strict", "float64")
def test_of_graphs():
    model = OfGraph()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges in ((11, 30), (7, 30), (5, 5), (1, 3), (4, 0)):
        graph = dgl.graph(tuple(random_graph(nodes, edges)[1]), num_nodes=nodes)
        graph.ndata["x"] = nn.Parameter(torch.randn(nodes, 5))
        sources = [graph.ndata["x"], *model.parameters()]
        check_equal(outcome(lambda: compiled(graph), [], sources), outcome(lambda: model(graph), [], sources))  # noqa: B023
    assert len(runner_of(compiled).versions) == 1
