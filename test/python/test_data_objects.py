"""PyG's ``Data``, ``HeteroData`` and ``Batch`` as arguments, as results, and made, copied and written in a model."""

import copy
from dataclasses import dataclass

import pytest
import rgnn
import torch
from checks import compare
from rgnn._runner import runner_of
from torch import nn
from torch_geometric.data import Batch, Data, HeteroData
from torch_geometric.nn import GCNConv, SAGEConv
from torch_geometric.utils import scatter

WIDTH = 4


class Model(nn.Module):
    def __init__(self, way):
        super().__init__()
        self.conv, self.lin, self.way = GCNConv(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH), way

    def forward(self, data):
        return self.way(self, data)


def written(self, data):
    """As GraphGPS has it: each layer sets features of the batch that it is given."""
    for _ in range(2):
        data.x = self.conv(data.x, data.edge_index)
        data.hidden = self.lin(data.x).relu()
        data.x = data.x + data.hidden
    return data.x


def given_back(self, data):
    data.x = self.conv(data.x, data.edge_index)
    return data


def copied(self, data):
    data = copy.copy(data)
    data.x = self.conv(data.x, data.edge_index)
    data.scores = data.x.new_zeros(data.num_nodes, 2) + data.x[:, :2]
    return data.x, data.scores


def made(self, data):
    other = Data(x=self.lin(data.x), edge_index=data.edge_index, weight=data.x[:, 0])
    other.x = self.conv(other.x, other.edge_index)
    return other.x * other.weight.view(-1, 1)


def asked(self, data):
    h = self.conv(data.x, data.edge_index)
    h = h + h.new_ones(data.size(0), 1) * (data.num_edges > 0)
    if "edge_attr" in data and data.edge_attr is not None:
        h = h + 1
    return h if getattr(data, "batch", None) is None else h * 2


def deleted(self, data):
    data.h = self.conv(data.x, data.edge_index)
    h = data.h * 2
    del data.h
    return h


def as_items(self, data):
    data["h"] = self.conv(data["x"], data["edge_index"])
    return sum(value.sum(0) for name, value in data.to_dict().items() if name in ("x", "h"))


def setting(self, data):
    setattr(data, "x", self.conv(getattr(data, "x"), data.edge_index))  # noqa: B009, B010
    return data.x


WAYS = [written, given_back, copied, made, asked, deleted, as_items, setting]


def graph(nodes, edges):
    return Data(x=torch.randn(nodes, WIDTH), edge_index=torch.randint(nodes, (2, edges)))


def step(model, data):
    """Results, what the data holds then, and gradients."""
    data = copy.copy(data)
    data.x = x = data.x.clone().requires_grad_()
    out = model(data)
    results = [out] if isinstance(out, torch.Tensor) else list(out.to_dict().values() if isinstance(out, Data) else out)
    held = [data[name] for name in sorted(data.keys())]
    loss = sum((one.double() ** 2).sum() for one in results if one.requires_grad)
    wanted = [x, *(each for each in model.parameters() if each.requires_grad)]
    return [*results, *held, *torch.autograd.grad(loss, wanted, allow_unused=True)], sorted(data.keys())


@pytest.mark.parametrize("way", WAYS)
def test_whole_and_equal(way, strict, float64):
    model = Model(way)
    compiled = rgnn.compile(copy.deepcopy(model))
    for nodes, edges in ((9, 30), (14, 5), (9, 0), (1, 3)):
        data = graph(nodes, edges)
        got, names = step(compiled, data)
        expected, own_names = step(model, data)
        assert names == own_names
        compare(got, expected)
    assert len(runner_of(compiled).versions) <= 2


class OfGraphs(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = GCNConv(WIDTH, WIDTH)

    def forward(self, batch):
        batch.x = self.conv(batch.x, batch.edge_index)
        batch.pooled = scatter(batch.x, batch.batch, dim=0, dim_size=batch.num_graphs, reduce="mean")
        return batch.pooled[batch.batch] + batch.x


def test_batches(strict, float64):
    model = OfGraphs()
    compiled = rgnn.compile(copy.deepcopy(model))
    for sizes in ((5, 3), (4, 1, 7), (2,)):
        batch = Batch.from_data_list([graph(nodes, 2 * nodes) for nodes in sizes])
        got, _ = step(compiled, batch)
        expected, _ = step(model, batch)
        compare(got, expected)


class OfTypes(nn.Module):
    def __init__(self):
        super().__init__()
        self.there, self.back = SAGEConv((WIDTH, WIDTH), WIDTH), SAGEConv((WIDTH, WIDTH), WIDTH)

    def forward(self, data):
        data["item"].h = self.there((data["user"].x, data["item"].x), data["user", "buys", "item"].edge_index)
        data["user"].x = self.back((data["item"].h, data["user"].x), data["item", "rev_buys", "user"].edge_index)
        return data.x_dict["user"], data["item"].h


def test_types(float64):
    model = OfTypes()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for users, items, edges in ((5, 7, 20), (3, 9, 4), (4, 4, 0)):
        data, found = HeteroData(), []
        data["user"].x, data["item"].x = torch.randn(users, WIDTH), torch.randn(items, WIDTH)
        ends = torch.stack([torch.randint(users, (edges,)), torch.randint(items, (edges,))])
        data["user", "buys", "item"].edge_index, data["item", "rev_buys", "user"].edge_index = ends, ends.flip(0)
        for each in (compiled, model):
            given = copy.copy(data)
            found.append([*each(given), given["user"].x, given["item"].h])
        compare(*found)


@dataclass
class Graph:
    src: torch.Tensor
    dst: torch.Tensor
    num_nodes: int
    frame: dict


class OfDataclass(nn.Module):
    """The number of nodes of a line graph is that of the edges of another graph."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(WIDTH, WIDTH)

    def forward(self, graphs):
        graph, lines = graphs
        edges = self.lin(graph.frame["x"])[graph.src]
        edges = edges + scatter(edges[lines.src], lines.dst, dim=0, dim_size=lines.num_nodes)
        return scatter(edges, graph.dst, dim=0, dim_size=graph.num_nodes)


def test_numbers_of_rows_in_dataclasses(float64, strict):
    model = OfDataclass()
    compiled = rgnn.compile(copy.deepcopy(model))
    for nodes, edges, pairs in ((9, 30, 50), (14, 5, 60), (6, 12, 0)):
        graphs = (Graph(torch.randint(nodes, (edges,)), torch.randint(nodes, (edges,)), nodes,
                        {"x": torch.randn(nodes, WIDTH)}),
                  Graph(torch.randint(edges, (pairs,)), torch.randint(edges, (pairs,)), edges, {}))  # fmt: skip
        torch.testing.assert_close(compiled(graphs), model(graphs))
    assert len(runner_of(compiled).versions) == 1


class Holder:
    """An object that reaches itself, and much that is no part of the call."""

    def __init__(self, graph):
        self.graph, self.itself, self.library = graph, self, torch
        self.others = [{"number": number} for number in range(50_000)]


def test_objects_that_reach_a_lot(float64, strict):
    conv = GCNConv(WIDTH, WIDTH)

    def model(holder):
        return conv(holder.graph.x, holder.graph.edge_index)

    compiled = rgnn.compile(model)
    for nodes, edges in ((9, 30), (5, 0)):
        holder = Holder(graph(nodes, edges))
        torch.testing.assert_close(compiled(holder), model(holder))
