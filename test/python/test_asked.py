"""Gradients of gradients are PyTorch's, once they are asked for from the start; code gives those that are used."""

import copy

import pytest
import rgnn
import torch
from rgnn._run.asked import Asked
from rgnn._run.region import Region
from rgnn._runner import runner_of
from test_rows import graph, rows
from torch import nn
from torch.utils.checkpoint import checkpoint

pytestmark = pytest.mark.usefixtures("float64")


class Energy(nn.Module):
    """Of nodes at some places, whose forces are its gradient."""

    def __init__(self):
        super().__init__()
        self.filter, self.lin, self.out = nn.Linear(3, 8), nn.Linear(8, 8), nn.Linear(8, 1)

    def forward(self, x, place, edge_index):
        difference = place[edge_index[0]] - place[edge_index[1]]
        message = self.lin(x)[edge_index[0]] * self.filter(difference).tanh()
        return self.out(torch.zeros_like(x).index_add(0, edge_index[1], message).tanh()).sum()


def inputs(nodes=9, edges=30):
    return rows(nodes, 8), rows(nodes, 3), graph(nodes, edges)


def forces(model, args, create_graph):
    x, place, edge_index = args
    place = place.clone().requires_grad_()
    energy = model(x, place, edge_index)
    (gradient,) = torch.autograd.grad(energy, place, create_graph=create_graph)
    return energy, -gradient


def losses(model, args):
    """A loss of energies and forces, and its gradients."""
    model.zero_grad()
    energy, force = forces(model, args, True)
    loss = energy.square() + force.square().sum()
    loss.backward()
    return loss.detach(), *(parameter.grad.clone() for parameter in model.parameters())


def gradients(model, args):
    model.zero_grad()
    x, place, edge_index = args
    place = place.clone().requires_grad_()
    model(x, place, edge_index).backward()
    return [place.grad, *(parameter.grad.clone() for parameter in model.parameters())]


def same(found, expected):
    for got, own in zip(found, expected, strict=True):
        torch.testing.assert_close(got, own)


@pytest.fixture
def runs(monkeypatch):
    """The compiled functions that ran."""
    found, stock = [], Region.run
    monkeypatch.setattr(Region, "run", lambda self, tensors: found.append(self) or stock(self, tensors))
    return found


def test_losses_of_forces(runs):
    model = Energy()
    compiled = rgnn.compile(copy.deepcopy(model))
    used = []
    for number in range(20):
        args = inputs(9 + number, 30)
        runs.clear()
        same(losses(compiled, args), losses(model, args))
        used.append(bool(runs))
    assert used[0] and not any(used[1:15]) and any(used[15:]), "it is tried again"
    for number in range(40):  # forces alone, without derivatives of their own
        args = inputs(9 + number, 30)
        same(forces(compiled, args, False), forces(model, args, False))
    runs.clear()
    forces(compiled, args, False)
    assert runs


def test_gradients_that_are_used(runs):
    model = Energy()
    compiled = rgnn.compile(copy.deepcopy(model))
    for _ in range(5):
        args = inputs()
        same(forces(compiled, args, False), forces(model, args, False))
    (region,) = runner_of(compiled).versions[0].regions
    wide, narrow = region.region.trainings.made
    assert sum(narrow) == 1 and sum(wide) > 1
    runs.clear()
    forces(compiled, args, False)
    assert region.region.trainings.made[narrow].backward in runs
    for _ in range(2):  # all of them, the first time by code that does not give them
        same(gradients(compiled, args), gradients(model, args))
    runs.clear()
    same(gradients(compiled, args), gradients(model, args))
    assert region.region.trainings.made[wide].backward in runs


def test_some_parameters():
    """Leaves of one backward, of which some are asked for."""
    model = Energy()
    compiled = rgnn.compile(copy.deepcopy(model))
    for names in (["lin.weight"], ["filter.bias", "out.weight"], ["lin.weight"]) * 4:
        args = inputs()
        found = []
        for each in (compiled, model):
            energy = each(*args)
            found.append(torch.autograd.grad(energy, [dict(each.named_parameters())[name] for name in names]))
        same(*found)


@pytest.mark.parametrize("create_graph", [False, True])
def test_within_a_checkpoint(create_graph):
    """What is computed again is what was computed at first."""
    model = Energy()
    compiled = rgnn.compile(copy.deepcopy(model))

    def run(each):
        return lambda *args: checkpoint(each, *args, use_reentrant=False)

    for number in range(20):
        args = inputs(9 + number, 30)
        if create_graph and number % 2:
            same(losses(compiled, args), losses(model, args))  # outside of it
        found = []
        for each in (compiled, model):
            energy, force = forces(run(each), args, create_graph)
            found.append((energy, force))
        same(*found)


def test_pauses():
    asked = Asked(lambda: None)
    counts = []
    for _ in range(9):
        asked.note_graph()
        counts.append(0)
        while asked.is_pytorchs():
            counts[-1] += 1
    assert counts == [15, 31, 63, 127, 255, 511, 1023, 1023, 1023]
    asked.note(None)
    assert not asked.is_pytorchs()
