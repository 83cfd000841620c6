"""Sampled heterogeneous batches: values, gradients and captures of models as relational learning writes them.

RGNN_TEST_BATCHES is how many batches each model gets, 16 by default; where it is set, more models are tried.
"""

import copy
import os

import pytest
import rgnn
import torch
from checks import compare
from pyg import gnn
from rgnn._runner import runner_of
from sampled_models import GNN, HGT, MAG, RGCN, HeteroSAGE, Link, RelBench
from sampling import Sampler, make_database, with_reverses
from torch import nn
from torch.nn.parameter import is_lazy
from torch.utils import _pytree as pytree

pytestmark = pytest.mark.usefixtures("float64")
COUNT = int(os.environ.get("RGNN_TEST_BATCHES", 16))
WIDTHS = {"paper": 6, "author": 4, "place": 3}


def database():
    """Some relations are so rare that batches miss them, and most batches miss a type."""
    relations = {("author", "writes", "paper"): 120, ("paper", "cites", "paper"): 80}
    relations |= with_reverses({("author", "at", "place"): 9})
    return make_database(relations, {"paper": 70, "author": 60, "place": 5}, WIDTHS)


def draw(data, seed=0, count=None, **settings):
    """A batch of some papers; all differs from seed to seed, the number of papers where it is not given."""
    generator = torch.Generator().manual_seed(seed)
    count = count or int(torch.randint(1, 8, (1,), generator=generator))
    seeds = torch.randperm(data.num_nodes["paper"], generator=generator)[:count]
    time = torch.randint(1000, (count,), generator=generator) if settings.get("times") else None
    return Sampler(data.num_nodes, data.edges, [3, 2], **settings).sample({"paper": seeds}, generator, time)


def features(data, batch):
    return {kind: data.x[kind][rows] for kind, rows in batch.n_id.items()}


# ---- the sampler -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["shared", "disjoint", "temporal"])
def test_sampler(how):
    """Seeds first, counts per hop, edges of the graph; trees apart, and nothing later than its seed."""
    data = database()
    settings = {"disjoint": {"disjoint": True}, "temporal": {"times": data.times}}.get(how, {})
    for seed in range(5):
        batch = draw(data, seed=seed, **settings)
        for kind, rows in batch.n_id.items():
            assert sum(batch.num_sampled_nodes[kind]) == len(rows)
            trees = batch.batch.get(kind, torch.zeros_like(rows))
            assert len({*zip(rows.tolist(), trees.tolist())}) == len(rows)
        assert batch.num_sampled_nodes["paper"][0] == batch.batch_size
        for relation, edges in batch.edge_index.items():
            ends = torch.stack([batch.n_id[relation[end]][edges[number]] for number, end in enumerate((0, 2))])
            assert torch.equal(ends, data.edges[relation][:, batch.e_id[relation]])
            assert sum(batch.num_sampled_edges[relation]) == edges.shape[1]
            first = batch.num_sampled_edges[relation][0]
            assert first == 0 or edges[1, :first].max() < batch.num_sampled_nodes[relation[2]][0]
            if batch.batch:
                tree = batch.batch[relation[0]][edges[0]]
                assert torch.equal(tree, batch.batch[relation[2]][edges[1]])
            if how == "temporal":
                assert (data.times[relation[0]][ends[0]] <= batch.seed_time[tree]).all()
        whole, edges, types = batch.homogeneous()
        assert edges.numel() == 0 or edges.max() < len(whole)
        assert torch.equal(types.bincount(minlength=4), torch.tensor([e.shape[1] for e in batch.edge_index.values()]))


# ---- models ----------------------------------------------------------------------------------------------------------


def of_dictionaries(data, batch):
    return features(data, batch), batch.edge_index


def of_seeds(data, batch):
    return *of_dictionaries(data, batch), batch.batch_size


def trimmed(data, batch):
    return *of_dictionaries(data, batch), batch.num_sampled_nodes, batch.num_sampled_edges, batch.batch_size


def temporal(data, batch):
    times = {kind: data.times[kind][rows] for kind, rows in batch.n_id.items()}
    return (*of_dictionaries(data, batch), batch.seed_time, times, batch.batch, batch.n_id, batch.num_sampled_nodes,
            batch.num_sampled_edges)  # fmt: skip


def pairs(data, batch):
    count = len(batch.n_id["author"])
    ends = torch.stack([torch.arange(count) % batch.batch_size, torch.arange(count)])
    return *of_dictionaries(data, batch), ends


def of_one_type(data, batch):
    """The subgraph of papers, whose relations are numbers."""
    relation = "paper", "cites", "paper"
    edges = batch.edge_index[relation]
    x = torch.cat([data.x["paper"], data.x["paper"][:, :2]], 1)[batch.n_id["paper"]]
    return (x, edges, batch.e_id[relation] % 4, batch.num_sampled_nodes["paper"], batch.num_sampled_edges[relation],
            batch.batch_size)  # fmt: skip


class Mixed(MAG):
    """Other layers for other relations, normalisation by batches, dropout, and the mean over relations."""

    def __init__(self, data):
        super().__init__(data, aggr="mean")
        del self.convs[1]
        kinds = [lambda: gnn.TransformerConv((-1, -1), 8), lambda: gnn.GraphConv((-1, -1), 8, aggr="max"),
                 lambda: gnn.GATv2Conv((-1, -1), 4, heads=2, add_self_loops=False)]  # fmt: skip
        for conv in self.convs:
            conv.convs = type(conv.convs)({kind: kinds[number % 3]() for number, kind in enumerate(data.edges)})
        self.norms = nn.ModuleDict({kind: gnn.BatchNorm(8) for kind in data.x})

    def forward(self, x_dict, edge_index_dict):
        for conv in self.convs:
            x_dict = {kind: self.norms[kind](x).relu() for kind, x in conv(x_dict, edge_index_dict).items()}
        return x_dict


class OfBatches(nn.Module):
    """What gets the whole batch as one object."""

    def __init__(self, data):
        super().__init__()
        self.inner = HGT(data, trims=True)

    def forward(self, batch):
        return self.inner(batch.x_dict, batch.edge_index_dict, batch.num_sampled_nodes_dict,
                          batch.num_sampled_edges_dict, batch["paper"].batch_size)  # fmt: skip


def as_object(data, batch):
    from torch_geometric.data import HeteroData

    made = HeteroData()
    for kind, x in features(data, batch).items():
        made[kind].x, made[kind].num_sampled_nodes = x, batch.num_sampled_nodes[kind]
    for relation, edges in batch.edge_index.items():
        made[relation].edge_index, made[relation].num_sampled_edges = edges, batch.num_sampled_edges[relation]
    made["paper"].batch_size = batch.batch_size
    return (made,)


# Model, arguments, how batches are drawn, and how many captures there may be: one, and one more where numbers that are
# no tensors turn out to differ.
MODELS = {
    "RelBench": (lambda data: RelBench(data, "paper", shallow=["author"], lazy=True, trims=True), temporal,
                 {"times": True}, 2),
    "R-GAT": (MAG, of_seeds, {"disjoint": True, "count": 5}, 1),
    "HGT": (OfBatches, as_object, {}, 2),
    "to_hetero": (lambda data: gnn.to_hetero(GNN(), data.metadata, aggr="mean"), of_dictionaries, {}, 1),
    "mixed": (Mixed, of_dictionaries, {}, 1),
    "RGCN": (lambda data: RGCN(8, 4, num_bases=3, trims=True), of_one_type, {}, 3),
}
if "RGNN_TEST_BATCHES" in os.environ:
    MODELS |= {
        "RelBench, not trimmed": (lambda data: RelBench(data, "paper"), temporal, {"times": True}, 1),
        "HGT, not trimmed": (HGT, trimmed, {}, 2),
        "pairs": (lambda data: Link(data, "paper", "author"), pairs, {}, 1),
        "RGCN, whole": (lambda data: RGCN(8, 4, num_bases=3), of_one_type, {}, 3),
    }


def prepare(make, data, batch, args):
    """The model, and a copy that is compiled; parameters that are not there yet are made by PyTorch."""
    torch.manual_seed(0)
    model = make(data)
    if any(map(is_lazy, model.parameters())):
        with torch.no_grad():
            model.eval()(*args(data, batch))
    model.train()
    return model, rgnn.compile(copy.deepcopy(model), fullgraph=True)


def step(model, args):
    """Results, gradients of all parameters, and what the model keeps."""
    leaves = [leaf for leaf in pytree.tree_leaves(model(*args)) if isinstance(leaf, torch.Tensor)]
    for parameter in model.parameters():
        parameter.grad = None
    total = sum((leaf * torch.linspace(0.5, 2, leaf.numel()).view(leaf.shape)).sum() for leaf in leaves)
    total.backward()
    return [*(leaf.detach() for leaf in leaves), *(p.grad for p in model.parameters()), *model.buffers()]


def compare_batches(model, compiled, batches):
    """Compares steps on each of the batches, of any number of which PyTorch may refuse some."""
    for args in batches:
        try:
            expected = step(model, args)
        except ValueError:  # one row cannot be normalised in training
            with pytest.raises(ValueError, match="Expected more than 1 value"):
                step(compiled, args)
            compiled.load_state_dict(model.state_dict())
            continue
        compare(step(compiled, args), expected)


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", MODELS)
def test_batches(name):
    """Batches of all sizes, without edges and without nodes of some types: as PyTorch, with hardly a capture."""
    make, args, settings, most = MODELS[name]
    data = database()
    settings = {key: data.times if key == "times" else value for key, value in settings.items()}
    batches = [draw(data, seed=seed, **settings) for seed in range(COUNT)]
    assert any(not edges.shape[1] for batch in batches for edges in batch.edge_index.values())
    assert any(not len(rows) for batch in batches for rows in batch.n_id.values())
    model, compiled = prepare(make, data, batches[0], args)
    compare_batches(model, compiled, [args(data, batch) for batch in batches])
    trained = len(runner_of(compiled).versions)
    assert trained <= most
    if name != "to_hetero" and "RGNN_TEST_BATCHES" not in os.environ:
        return
    with torch.no_grad():
        model.eval(), compiled.eval()
        for batch in batches[:3]:
            compare(*([*pytree.tree_leaves(call(*args(data, batch)))] for call in (compiled, model)))
    assert len(runner_of(compiled).versions) == trained + 1


def test_numbers_in_lists_are_symbols_together():
    """The third batch differs from the second in other numbers than the second from the first."""
    model = HeteroSAGE(["a"], [("a", "to", "a")], 4, trims=True)
    compiled = rgnn.compile(model, fullgraph=True)
    x, edges = torch.randn(9, 4), torch.randint(5, (2, 12))
    for nodes, hops in (((5, 2, 2), (6, 6)), ((4, 3, 2), (6, 6)), ((4, 2, 3), (6, 6)), ((4, 2, 3), (5, 7))):
        args = {"a": x}, {("a", "to", "a"): edges}, {"a": list(nodes)}, {("a", "to", "a"): list(hops)}
        got, expected = compiled(*args)["a"], model(*args)["a"]
        assert torch.allclose(got, expected)
    assert len(runner_of(compiled).versions) == 2


def test_other_numbers_of_an_argument_stay_constants():
    """Widths beside a number that differs from call to call."""

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = gnn.SAGEConv(8, 8)

        def forward(self, x, edge_index, settings):
            x = self.conv(x, edge_index)
            return x.view(-1, settings["heads"], 8 // settings["heads"]).sum(1), settings["epoch"] + 1

    model = Net()
    compiled = rgnn.compile(model, fullgraph=True)
    for epoch in range(4):
        args = torch.randn(9, 8), torch.randint(9, (2, 20)), {"heads": 4, "epoch": epoch}
        (got, number), (expected, _) = compiled(*args), model(*args)
        assert torch.allclose(got, expected) and number == epoch + 1
    assert 0 < len(runner_of(compiled).versions) <= 2


def test_negative_numbers():
    """The first few are constants; one that is another in each call makes no capture for each."""

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = gnn.SAGEConv(8, 8)

        def forward(self, x, edge_index, layer, offset):
            layers = [x]
            for _ in range(3):
                layers.append(self.conv(layers[-1], edge_index))
            return layers[layer].softmax(-1), offset + 1

    model = Net().double()
    compiled = rgnn.compile(model, fullgraph=True)
    for number, layer in enumerate([-1, 2, -2, -1, 1, 3, *[-1] * 14]):
        nodes = 5 + number
        args = torch.randn(nodes, 8).double(), torch.randint(nodes, (2, 20)), layer, -number - 1
        (expected, behind), (got, own) = model(*args), compiled(*args)
        assert torch.allclose(got, expected, rtol=1e-12) and behind == own
        if layer:
            pairs = [torch.autograd.grad(out.sin().sum(), list(model.parameters())) for out in (expected, got)]
            assert all(torch.allclose(*pair, rtol=1e-9) for pair in zip(*pairs, strict=True))
    assert len(runner_of(compiled).versions) <= 8
