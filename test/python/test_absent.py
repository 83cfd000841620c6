"""Keys and attributes that are not there at first, and later are."""

import collections
import types

import pytest
import rgnn
import torch
from pyg import gnn
from torch import nn
from torch_geometric.data import Batch, Data, HeteroData

pytestmark = pytest.mark.usefixtures("float64", "strict")
N, F = 6, 4


class Mapping(collections.abc.MutableMapping):
    """Like the stores of PyG's graphs."""

    def __init__(self):
        self.held = {}

    def __getitem__(self, key):
        return self.held[key]

    def __setitem__(self, key, value):
        self.held[key] = value

    def __delitem__(self, key):
        del self.held[key]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)


class Forwarding:
    """Attributes that ``__getattr__`` finds."""

    def __init__(self):
        self.__dict__["held"] = {}

    def __getattr__(self, name):
        try:
            return self.__dict__["held"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self.held[name] = value


def caught(function, error):
    def get(holder):
        try:
            return function(holder)
        except error:
            return None

    return get


by_key = caught(lambda holder: holder["weight"], KeyError)
by_name = caught(lambda holder: holder.weight, AttributeError)
by_default = lambda holder: getattr(holder, "weight", None)  # noqa: E731
held = lambda holder: holder["weight"] if "weight" in holder else None  # noqa: E731, SIM401
put = lambda holder, value: holder.__setitem__("weight", value)  # noqa: E731
name = lambda holder, value: setattr(holder, "weight", value)  # noqa: E731

HOLDERS = {
    "key of a dict": (dict, by_key, put),
    "key of an ordered dict": (collections.OrderedDict, by_key, put),
    "key of a mapping": (Mapping, by_key, put),
    "in a mapping": (Mapping, held, put),
    "get of a mapping": (Mapping, lambda holder: holder.get("weight"), put),
    "attribute": (types.SimpleNamespace, by_name, name),
    "attribute by default": (types.SimpleNamespace, by_default, name),
    "in a namespace": (types.SimpleNamespace, lambda holder: vars(holder).get("weight"), name),
    "names of a namespace": (types.SimpleNamespace, lambda holder: dict(holder.__dict__.items()).get("weight"), name),
    "number of names": (types.SimpleNamespace, lambda holder: holder.weight if len(vars(holder)) else None, name),
    "forwarded": (Forwarding, by_name, name),
    "buffer": (nn.Module, by_name, lambda holder, value: holder.register_buffer("weight", value)),
    "in buffers": (nn.Module, lambda holder: by_key(holder._buffers),
                   lambda holder, value: holder.register_buffer("weight", value)),
}  # fmt: skip


class Weighted(nn.Module):
    def __init__(self, get):
        super().__init__()
        self.conv, self.get = gnn.GraphConv(F, F), get

    def forward(self, x, edge_index, holder):
        weight = self.get(holder)
        return self.conv(x, edge_index) if weight is None else self.conv(x, edge_index, weight)


@pytest.mark.parametrize("case", HOLDERS)
def test_what_comes_later(case):
    make, get, put = HOLDERS[case]
    model = Weighted(get)
    compiled = rgnn.compile(model)
    for edges, is_there in ((9, False), (7, False), (9, True), (8, False), (7, True)):
        holder, x, edge_index = make(), torch.randn(N, F), torch.randint(N, (2, edges))
        if is_there:
            put(holder, torch.rand(edges))
        torch.testing.assert_close(compiled(x, edge_index, holder), model(x, edge_index, holder))


class OfGraph(nn.Module):
    def __init__(self, get):
        super().__init__()
        self.conv, self.get = gnn.GraphConv(F, F), get

    def forward(self, graph):
        return self.conv(graph.x, graph.edge_index, self.get(graph))


GETS = {"property": lambda graph: graph.edge_weight, "default": lambda graph: getattr(graph, "edge_weight", None),
        "in": lambda graph: graph["edge_weight"] if "edge_weight" in graph else None,  # noqa: SIM401
        "get": lambda graph: graph.get("edge_weight"),
        "has": lambda graph: graph.edge_weight if hasattr(graph, "edge_weight") else None}  # fmt: skip


@pytest.mark.parametrize("are_batches", [False, True])
@pytest.mark.parametrize("get", GETS)
def test_weights_of_later_graphs(get, are_batches):
    model = OfGraph(GETS[get])
    compiled = rgnn.compile(model)
    for edges, has_weights in ((9, False), (7, False), (9, True), (8, False), (7, True)):
        graph = Data(x=torch.randn(N, F), edge_index=torch.randint(N, (2, edges)))
        if has_weights:
            graph.edge_weight = torch.rand(edges)
        graph = Batch.from_data_list([graph, graph]) if are_batches else graph
        torch.testing.assert_close(compiled(graph), model(graph))


class OfTypes(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = gnn.GraphConv(F, F)

    def forward(self, graph):
        store = graph["paper", "paper"]
        weight = store["weight"] if "weight" in store else None  # noqa: SIM401
        return self.conv(graph["paper"].x, store.edge_index, weight)


def test_weights_of_later_types():
    model = OfTypes()
    compiled = rgnn.compile(model)
    for edges, has_weights in ((9, False), (7, False), (9, True), (8, False), (7, True)):
        graph = HeteroData()
        graph["paper"].x, graph["paper", "paper"].edge_index = torch.randn(N, F), torch.randint(N, (2, edges))
        if has_weights:
            graph["paper", "paper"].weight = torch.rand(edges)
        torch.testing.assert_close(compiled(graph), model(graph))
