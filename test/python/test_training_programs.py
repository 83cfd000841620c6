"""What training programs do with a model of relations, on sampled batches: as with the model in PyTorch."""

import copy

import pytest
import rgnn
import torch
from checks import compare
from pyg import gnn
from rgnn._runner import runner_of
from sampled_models import MAG
from sampling import Sampler, make_database
from torch import nn
from torch.nn.utils import parametrizations, parametrize

pytestmark = pytest.mark.usefixtures("float64")
RELATIONS = {("author", "writes", "paper"): 60, ("paper", "cites", "paper"): 40, ("paper", "has", "author"): 7}


@pytest.fixture(scope="module")
def batches():
    """Six of them, some without edges of a relation."""
    data = make_database(RELATIONS, {"paper": 40, "author": 30}, {"paper": 5, "author": 3})
    sampler, generator = Sampler(data.num_nodes, data.edges, [3, 2]), torch.Generator().manual_seed(0)
    made = []
    for count in (4, 2, 5, 1, 3, 4):
        batch = sampler.sample({"paper": torch.randperm(40, generator=generator)[:count]}, generator)
        made.append(({kind: data.x[kind][rows] for kind, rows in batch.n_id.items()}, batch.edge_index))
    assert any(not edges.shape[1] for _, edge_index in made for edges in edge_index.values())
    return data, made


class Net(nn.Module):
    """Two layers of SAGE per relation and a head, of whose weights a program may tie, freeze or parametrise some."""

    def __init__(self, data):
        super().__init__()
        self.inner = MAG(data, width=6, make=lambda: gnn.SAGEConv((-1, -1), 6), classes=6)
        self.head, self.unused = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x_dict, edge_index_dict):
        return self.head(self.inner(x_dict, edge_index_dict, 1 << 30).relu())


def train(model, batches, make=lambda parameters: torch.optim.SGD(parameters, 0.05), between=None, each=1, clip=None):
    """Some steps, and what the model is like after them; ``between`` gets the model before each step."""
    optimizer, losses = make(model.parameters()), []
    for number, batch in enumerate(batches):
        if between is not None:
            between(model, number)
        loss = model(*batch).square().mean() / each
        loss.backward()
        losses.append(loss.detach())
        if number % each == each - 1:
            if clip is not None:
                losses.append(clip(model.parameters()))
            optimizer.step()
            optimizer.zero_grad()
    return [*losses, *(parameter.detach().clone() for parameter in model.parameters())]


def adam(**settings):
    return lambda model, batches: train(model, batches, lambda parameters: torch.optim.Adam(parameters, **settings))


def accumulated(model, batches):
    return train(model, batches, each=3, clip=lambda parameters: nn.utils.clip_grad_norm_(parameters, 0.1))


def clipped(model, batches):
    return train(model, batches, clip=lambda p: nn.utils.clip_grad_value_(list(p), 1e-3) or torch.zeros(()))


def frozen_and_thawed(model, batches):
    """Gradients are asked for in other places from step to step."""

    def between(model, number):
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(number % 3 != 1 or "head" in name)

    return train(model, batches, between=between)


def untied_later(model, batches):
    """A weight that was one with another's is replaced in the middle of training."""
    model.head.weight = model.inner.lin.weight
    first = train(model, batches[:2])
    model.head.weight = nn.Parameter(model.head.weight.detach().clone() * 0.5)
    return first + train(model, batches[2:])


def weight_norm(model, batches):
    parametrizations.weight_norm(model.head)
    parametrizations.weight_norm(model.inner.lin)
    return train(model, batches)


def own_parametrization(model, batches):
    class Symmetric(nn.Module):
        def forward(self, weight):
            return weight.triu() + weight.triu(1).t()

    parametrize.register_parametrization(model.head, "weight", Symmetric())
    first = train(model, batches[:3])
    parametrize.remove_parametrizations(model.head, "weight")
    return first + train(model, batches[3:])


def averaged(model, batches):
    """An average of the parameters is kept beside the model, and evaluated between steps."""
    decay = torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)
    average = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=decay)
    results = []

    def between(model, number):
        average.update_parameters(model)
        with torch.no_grad():
            results.append(average(*batches[0]))

    return train(model, batches, between=between) + results


def state_hooks(model, batches):
    """Hooks of a state that is stored and loaded: names are changed on the way out, and back on the way in."""
    model.register_state_dict_post_hook(
        lambda module, state, prefix, _: state.update(moved=state.pop(f"{prefix}head.weight")))
    model.register_load_state_dict_pre_hook(
        lambda module, state, prefix, *_: state.update({f"{prefix}head.weight": state.pop("moved")}))
    first = train(model, batches[:2])
    state = {name: value.clone() for name, value in model.state_dict().items()}
    assert "moved" in state and "head.weight" not in state
    train(model, batches[2:])
    model.load_state_dict(state)
    return first + train(model, batches[:2])


def moved(model, batches):
    """Training goes on in another precision, and back."""
    first = train(model, batches[:2])
    model.float()
    narrow = [({kind: x.float() for kind, x in x_dict.items()}, edges) for x_dict, edges in batches]
    second = [value.double().round(decimals=4) for value in train(model, narrow[:1])[:1]]
    model.double()
    return first + second + [value.round(decimals=5) for value in train(model, batches[2:])]


def reset(model, batches):
    """Parameters are set by ``data``, in place, and by assignment, between calls."""
    first = train(model, batches[:1])
    model.head.weight.data = torch.eye(6)
    second = train(model, batches[:1])
    with torch.no_grad():
        model.head.weight.mul_(2)
    model.head.bias = nn.Parameter(torch.ones(6))
    return first + second + train(model, batches[:1])


def gradients_of_inputs(model, batches):
    """Features are learned, too."""
    found = []
    for x_dict, edges in batches:
        given = {kind: x.clone().requires_grad_(kind == "paper") for kind, x in x_dict.items()}
        model(given, edges).square().sum().backward()
        found.append(given["paper"].grad)
    return found + [parameter.grad for parameter in model.parameters()]


PROGRAMS = [adam(foreach=True), adam(fused=True, weight_decay=0.1), accumulated, clipped, frozen_and_thawed,
            untied_later, weight_norm, own_parametrization, averaged, state_hooks, moved, reset,
            gradients_of_inputs]  # fmt: skip
NAMES = ["foreach", "fused", *(program.__name__ for program in PROGRAMS[2:])]


@pytest.fixture(scope="module")
def made(batches):
    """A model whose lazy layers a first call makes, compiled: each program has a copy of both."""
    data, calls = batches
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        torch.manual_seed(0)
        model = Net(data)
        compiled = rgnn.compile(copy.deepcopy(model))
        torch.manual_seed(1)
        model(*calls[0])
        torch.manual_seed(1)
        compiled(*calls[0])  # it makes the parameters that the plain model makes
    finally:
        torch.set_default_dtype(default)
    assert all(torch.equal(*pair) for pair in zip(model.parameters(), compiled.parameters(), strict=True))
    return model, compiled


@pytest.mark.sample(5)
@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_program(program, batches, made):
    _, calls = batches
    model, compiled = map(copy.deepcopy, made)
    compare(program(compiled, calls), program(model, calls))
    assert any(version.regions for version in runner_of(compiled).versions)


# ---- processes -------------------------------------------------------------------------------------------------------


class Drawn(torch.utils.data.Dataset):
    """Batches that worker processes draw, which may call the compiled model themselves."""

    def __init__(self, data, model=None):
        self.data, self.model = data, model

    def __len__(self):
        return 4

    def __getitem__(self, number):
        torch.set_num_threads(1)
        sampler, generator = Sampler(self.data.num_nodes, self.data.edges, [3, 2]), torch.Generator()
        batch = sampler.sample({"paper": torch.arange(number, number + 3)}, generator.manual_seed(number))
        args = {kind: self.data.x[kind][rows] for kind, rows in batch.n_id.items()}, batch.edge_index
        with torch.no_grad():
            return args, None if self.model is None else self.model(*args)


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_worker_processes(context, batches, made):
    """Workers start once a model is compiled and has run: they draw batches, and call it where they have it."""
    data, calls = batches
    model, compiled = map(copy.deepcopy, made)
    with torch.no_grad():
        compiled(*calls[0])
    dataset = Drawn(data, compiled)
    loader = torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=1, multiprocessing_context=context)
    for args, result in loader:
        with torch.no_grad():
            compare([compiled(*args), result], [model(*args)] * 2)
