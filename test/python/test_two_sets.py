"""Edges between two sets of nodes, ends in lists of their own, and lists that say which rows belong together."""

import copy

import pytest
import rgnn
import torch
from pyg import gnn
from torch import nn
from torch_geometric import utils


class Pooled(nn.Module):
    """Nodes of several graphs: attention among those of each, sums and maxima."""

    def __init__(self):
        super().__init__()
        self.conv, self.gate, self.out = gnn.SAGEConv(6, 8), nn.Linear(8, 1), nn.Linear(8, 8)

    def forward(self, x, edge_index, batch, size):
        h = self.conv(x, edge_index).relu()
        weight = utils.softmax(self.gate(h), batch, num_nodes=size)
        return self.out(utils.scatter(weight * h, batch, 0, size)) + utils.scatter(h, batch, 0, size, "max")


class Counted(nn.Module):
    """Rows without the mean of their graph, and the most in each, where the list alone says how many there are."""

    def forward(self, x, batch):
        centred = x - utils.scatter(x, batch, 0, reduce="mean")[batch]
        return centred, utils.scatter(centred.tanh(), batch, 0, reduce="max")


class TwoLists(nn.Module):
    """Messages between users and items, both ways, by two lists."""

    def __init__(self):
        super().__init__()
        self.message, self.own = nn.Sequential(nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 5)), nn.Linear(4, 5)

    def forward(self, users, items, of_user, of_item):
        message = self.message(torch.cat([users[of_user], items[of_item]], -1))
        forth = message.new_zeros(items.shape[0], 5).index_add(0, of_item, message)
        back = message.new_zeros(users.shape[0], 5).index_add(0, of_user, message)
        return forth + self.own(items), back


class Bipartite(nn.Module):
    """A layer from one set to another, and one among pairs of the second's."""

    def __init__(self):
        super().__init__()
        self.first, self.second = gnn.GATConv((6, 4), 5, 2, add_self_loops=False), gnn.SAGEConv((4, 10), 7)

    def forward(self, x, y, edges):
        h = self.first((x, y), edges)
        return self.second((y, h), torch.stack([edges[1], edges[1]])), h


class Joined(nn.Module):
    """Messages from users and items, which are rows of one table, to a few nodes of another; the table as well."""

    def __init__(self):
        super().__init__()
        self.of_user, self.of_item, self.conv = nn.Linear(6, 7), nn.Linear(4, 7), gnn.SAGEConv((7, 5), 3)

    def forward(self, users, items, y, edges):
        x = torch.cat([self.of_user(users), self.of_item(items)])
        return self.conv((x, y), edges), x.tanh()


class Relations(nn.Module):
    """Two HeteroConv of relations between and within sets, as sampled batches have them."""

    def __init__(self, aggr):
        super().__init__()
        self.layers = nn.ModuleList(gnn.HeteroConv({
            ("user", "buys", "item"): gnn.SAGEConv(widths, 5),
            ("item", "bought by", "user"): gnn.GATConv(widths, 5, add_self_loops=False),
            ("user", "knows", "user"): gnn.SAGEConv((widths[0], widths[0]), 5),
        }, aggr) for widths in ((6, 6), (5, 5)))  # fmt: skip

    def forward(self, users, items, bought, knows):
        x = {"user": users, "item": items}
        edges = {("user", "buys", "item"): bought, ("item", "bought by", "user"): bought.flip(0),
                 ("user", "knows", "user"): knows}  # fmt: skip
        for layer in self.layers:
            x = {name: rows.relu() for name, rows in layer(x, edges).items()}
        return x["user"], x["item"]


def rows(*shape):
    return torch.randn(*shape, dtype=torch.float64)


def ends(nodes, edges):
    return torch.randint(max(nodes, 1), (edges if nodes else 0,))


def pooled(nodes, edges, graphs):
    return rows(nodes, 6), torch.stack([ends(nodes, edges), ends(nodes, edges)]), ends(graphs, nodes), graphs


def counted(nodes, graphs):
    return rows(nodes, 6), ends(graphs, nodes)


def two_lists(users, items, edges):
    return rows(users, 6), rows(items, 4), ends(users, edges), ends(items, edges)


def bipartite(sources, destinations, edges):
    return *two_lists(sources, destinations, edges)[:2], torch.stack([ends(sources, edges), ends(destinations, edges)])


def joined(users, items, edges):
    tables = rows(users, 6), rows(items, 4)
    return *tables, rows(3, 5), torch.stack([ends(users + items, edges), ends(3, edges)])


def relations(users, items, edges):
    bought, knows = (torch.stack([ends(users, edges), ends(number, edges)]) for number in (items, users))
    return rows(users, 6), rows(items, 6), bought, knows


# The first call has equal numbers, which are no reason to take the two for one.
CASES = {
    "pooled": (Pooled, pooled, [(9, 20, 3), (9, 20, 9), (1, 1, 1), (30, 0, 4), (5, 7, 1)]),
    "counted": (Counted, counted, [(9, 3), (9, 9), (5, 2), (30, 1), (7, 4)]),
    "added": (lambda: Relations("sum"), relations, [(5, 5, 9), (7, 3, 12), (1, 4, 3), (3, 8, 30)]),
    "averaged": (lambda: Relations("mean"), relations, [(5, 5, 9), (7, 3, 12), (6, 2, 4)]),
    "two lists": (TwoLists, two_lists, [(5, 5, 9), (7, 3, 12), (1, 4, 3), (6, 6, 0), (3, 8, 30)]),
    "bipartite": (Bipartite, bipartite, [(5, 5, 9), (7, 3, 12), (1, 1, 3), (6, 2, 0), (3, 8, 30)]),
    "joined": (Joined, joined, [(5, 5, 9), (7, 3, 12), (1, 2, 3), (6, 2, 0), (3, 8, 30)]),
}


def step(model, args):
    """Results, and gradients of inputs and parameters."""
    model.zero_grad()
    args = [part.clone().requires_grad_() if torch.is_tensor(part) and part.is_floating_point() else part
            for part in args]  # fmt: skip
    results = model(*args)
    results = results if isinstance(results, tuple) else (results,)
    ramps = [torch.linspace(-1, 2, part.numel(), dtype=part.dtype).view(part.shape) for part in results]
    torch.autograd.backward(results, ramps)
    asked = [part for part in args if torch.is_tensor(part) and part.requires_grad]
    return *results, *(part.grad for part in (*asked, *model.parameters()))


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", CASES)
def test_other_sizes_in_each_call(name, strict):
    cls, make, sizes = CASES[name]
    model = cls().double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for numbers in sizes:
        args = make(*numbers)
        for got, expected in zip(step(compiled, args), step(model, args), strict=True):
            torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-12)
    assert len(compiled._compiled_call_impl.runner.versions) <= 2


@pytest.mark.parametrize("name", ["two lists", "joined"])
@torch.no_grad()
def test_saved(name, tmp_path, strict):
    cls, make, sizes = CASES[name]
    model = cls().double()
    compiled = rgnn.compile(model)
    compiled(*make(*sizes[0]))
    compiled.save(tmp_path / "model.rgnn")
    loaded = rgnn.load(tmp_path / "model.rgnn")
    for numbers in sizes:
        args = make(*numbers)
        torch.testing.assert_close(loaded(*args), model(*args), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("wrong", [-1, 3])
def test_a_row_of_no_graph(wrong, strict):
    x, edge_index, batch, size = pooled(9, 20, 3)
    batch[4] = wrong
    with pytest.raises(rgnn.InputError, match=rf"^batch: expected node indices in \[0, 3\), got {wrong} at edge 4"):
        rgnn.compile(Pooled().double())(x, edge_index, batch, size)


@pytest.mark.parametrize("place, name, count", [(2, "of_user", 5), (3, "of_item", 4)])
def test_an_end_of_no_node(place, name, count, strict):
    args = list(two_lists(5, 4, 9))
    args[place] = args[place].index_fill(0, torch.tensor(7), count)
    message = rf"^{name}: expected node indices in \[0, {count}\), got {count} at edge 7"
    with pytest.raises(rgnn.InputError, match=message):
        rgnn.compile(TwoLists().double())(*args)


@pytest.mark.parametrize("end, side, count", [(0, "source", 5), (1, "destination", 4)])
def test_an_end_of_the_other_set(end, side, count, strict):
    x, y, edges = bipartite(5, 4, 9)
    edges[end, 2] = count
    message = rf"^edges: expected {side} indices in \[0, {count}\), got {count} at edge 2"
    with pytest.raises(rgnn.InputError, match=message):
        rgnn.compile(Bipartite().double())(x, y, edges)
