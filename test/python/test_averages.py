"""What models keep without gradients of what they compute with them: averages, prototypes, memories."""

import copy

import pytest
import rgnn
import torch
from pyg import gnn
from torch import nn

pytestmark = pytest.mark.usefixtures("float64")
F = 6


class Layer(nn.Module):
    """A layer behind and one in front of what is kept."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(F, F), gnn.RGCNConv(F, F, 3)
        self.set_up()

    def set_up(self):
        pass

    def forward(self, x, edge_index, edge_type, kind):
        return self.second(self.keep(self.first(x), kind).relu(), edge_index, edge_type)


class ByType(Layer):
    def set_up(self):
        self.norm = gnn.HeteroBatchNorm(F, 3)

    def keep(self, h, kind):
        return self.norm(h, kind)


class Average(Layer):
    def set_up(self):
        self.register_buffer("average", torch.zeros(F))

    def keep(self, h, kind):
        with torch.no_grad():
            self.average.mul_(0.9).add_(h.sum(0), alpha=0.1)
        return h - self.average


class Prototypes(Layer):
    def set_up(self):
        self.register_buffer("prototypes", torch.randn(3, F))

    def keep(self, h, kind):
        with torch.no_grad():
            mean = torch.zeros(3, F).index_add(0, kind, h)
            seen = kind.unique()
            self.prototypes[seen] = 0.5 * self.prototypes[seen] + 0.5 * mean[seen]
        return h * self.prototypes[kind].sigmoid()


class AverageAlone(Average):
    """What is computed of rows serves an average only, and the rows change in front of what has gradients."""

    def forward(self, x, edge_index, edge_type, kind):
        with torch.no_grad():
            self.average.add_(self.first(x).mean(0))
        x.add_(1)
        return self.second(x, edge_index, edge_type)


def overwritten(h):
    with torch.no_grad():
        h[:1] = 0.5


def clamped(h):
    with torch.no_grad():
        h.mul_(3).clamp_(max=0.4)
        h.masked_fill_(h < 0, 0.25)


def behind_detach(h):
    h.detach().mul_(3)


def behind_data(h):
    h.data[:1] = 0.5


def divided(h):
    with torch.no_grad():
        total = h.sum(0)
        h /= total.abs() + 1


class Changed(Layer):
    """What gradients pass is changed without them: they pass as if it were not."""

    def __init__(self, change):
        super().__init__()
        self.change = change

    def keep(self, h, kind):
        h = h * 2
        self.change(h)
        return h


def compare(model):
    compiled, calls = rgnn.compile(own := copy.deepcopy(model)), []
    for nodes, edges in ((9, 30), (14, 40), (3, 5), (9, 30)):
        calls.append((torch.randn(nodes, F), torch.randint(nodes, (2, edges)), torch.randint(3, (edges,)),
                      torch.randint(3, (nodes,))))  # fmt: skip
    for args in calls:
        found = []
        for one, module in ((model, model), (compiled, own)):
            module.zero_grad()
            out = one(args[0].clone(), *args[1:])
            (out**2).sum().backward()
            assert not any(buffer.requires_grad for buffer in module.buffers())
            found.append([out, *(parameter.grad for parameter in module.parameters()),
                          *(buffer.clone() for buffer in module.buffers())])  # fmt: skip
        torch.testing.assert_close(found[1], found[0])
    model.eval(), compiled.eval()
    torch.testing.assert_close(compiled(args[0].clone(), *args[1:]), model(args[0].clone(), *args[1:]))
    compiled.train()
    return rgnn.explain(compiled, *args)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("make", [ByType, Average, Prototypes])
def test_kept(make):
    assert not compare(make()).fallbacks


@pytest.mark.filterwarnings("ignore:rgnn")
def test_kept_of_what_changes():
    assert compare(AverageAlone()).kernels


@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.parametrize("change", [overwritten, clamped, behind_detach, behind_data, divided])
def test_changed(change):
    assert compare(Changed(change)).kernels
