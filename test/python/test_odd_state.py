"""Models that keep things from call to call, and what is changed in them between calls."""

import copy
from collections import deque

import pytest
import rgnn
import torch
import torch.nn.functional as F
from odd import EMPTY, SMALL, Base, Case, check, plain, typed
from pyg import gnn, random_graph, rows
from torch import nn

pytestmark = pytest.mark.usefixtures("float64")


class Counter(Base):
    def set_up(self):
        self.calls, self.nodes = 0, 0

    def forward(self, x, edge_index):
        self.calls += 1
        self.nodes += x.size(0)
        return super().forward(x, edge_index) / self.calls


class Hidden(Base):
    def set_up(self):
        self.h = None

    def forward(self, x, edge_index):
        h = self.hidden(x, edge_index)
        if self.h is not None and self.h.shape == h.shape:
            h = 0.5 * h + 0.5 * self.h
        self.h = h.detach()
        return self.out(h)


class Window(Base):
    def set_up(self):
        self.last = deque(maxlen=2)

    def forward(self, x, edge_index):
        h = self.hidden(x, edge_index)
        self.last.append(h.detach().sum())
        return self.out(h) * len(self.last) + sum(self.last)


class SetsAndDeletes(Base):
    def set_up(self):
        self.h = None

    def forward(self, x, edge_index):
        self.h = self.hidden(x, edge_index)
        out = self.out(self.h)
        del self.h
        return out


class RunningInPlace(Base):
    def set_up(self):
        self.register_buffer("mean", torch.zeros(5))
        self.register_buffer("seen", torch.tensor(0))

    def forward(self, x, edge_index):
        h = self.hidden(x, edge_index)
        if self.training:
            with torch.no_grad():
                self.mean.mul_(0.9).add_(h.mean(0), alpha=0.1)
                self.seen += 1
        return self.out(h - self.mean)


class RunningAssigned(Base):
    def set_up(self):
        self.register_buffer("mean", torch.zeros(5))

    def forward(self, x, edge_index):
        h = self.hidden(x, edge_index)
        self.mean = 0.9 * self.mean + 0.1 * h.sum(0).detach()
        return self.out(h + self.mean)


class CacheBySize(Base):
    def set_up(self):
        self.cache = {}

    def forward(self, x, edge_index):
        n = x.size(0)
        if n not in self.cache:
            self.cache[n] = torch.arange(n, dtype=x.dtype).unsqueeze(1) / max(n, 1)
        return self.out(self.hidden(x, edge_index) * self.cache[n])


class History(Base):
    def set_up(self):
        self.norms, self.shapes = [], []

    def forward(self, x, edge_index):
        h = self.hidden(x, edge_index)
        self.norms.append(h.norm().item())
        self.shapes.append(tuple(h.shape))
        return self.out(h)


class Stats(Base):
    def set_up(self):
        self.stats = {"calls": 0}

    def forward(self, x, edge_index):
        out = super().forward(x, edge_index)
        self.stats["calls"] += 1
        self.stats["edges"] = edge_index.size(1)
        self.stats.setdefault("first", out.detach())
        self.stats.update(last=out.detach().sum())
        return out


class Forgets(Base):
    def set_up(self):
        self.bonus = torch.ones(5)
        self.once = "yes"

    def forward(self, x, edge_index):
        h = self.hidden(x, edge_index)
        if self.bonus is not None:
            h, self.bonus = h + self.bonus, None
        elif hasattr(self, "once"):
            del self.once
        return self.out(h)


class Teacher(Base):
    """An exponential average of the weights, which the model moves itself."""

    def set_up(self):
        self.teacher = nn.Linear(5, 3).requires_grad_(False)

    def forward(self, x, edge_index):
        with torch.no_grad():
            for mine, theirs in zip(self.teacher.parameters(), self.out.parameters()):
                mine.mul_(0.5).add_(theirs, alpha=0.5)
        h = self.hidden(x, edge_index)
        return self.out(h), self.teacher(h.detach())


class Normed(Base):
    def set_up(self):
        self.norm, self.other = nn.BatchNorm1d(5), gnn.GraphNorm(5)

    def forward(self, x, edge_index):
        return self.out(self.other(self.norm(self.hidden(x, edge_index))))


class Dropped(Base):
    def set_up(self):
        self.drop = nn.Dropout(0.3)

    def forward(self, x, edge_index):
        h = self.drop(self.hidden(x, edge_index))
        return F.dropout(self.out(h), 0.4, self.training)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.conv, self.out = nn.Embedding(8, 4), gnn.RGCNConv(4, 4, 3), nn.Linear(4, 8, bias=False)
        self.out.weight = self.table.weight

    def forward(self, ids, edge_index, edge_type):
        return self.out(self.conv(self.table(ids), edge_index, edge_type))


class PlainList(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [gnn.RGATConv(4, 4, 3), nn.Tanh()]  # no parameters of the model
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x, edge_index, edge_type):
        for layer in self.layers:
            x = layer(x, edge_index, edge_type) if isinstance(layer, gnn.MessagePassing) else layer(x)
        return x * self.scale


class Memory(nn.Module):
    """States of nodes that messages write, as in temporal networks."""

    def __init__(self):
        super().__init__()
        self.register_buffer("memory", torch.zeros(10, 4))
        self.register_buffer("last", torch.full((10,), -1))
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x, edge_index, time: int):
        src, dst = edge_index
        message = torch.zeros_like(x).index_add_(0, dst, x[src])
        ids = dst.unique()
        new = self.cell(message[ids], self.memory[ids])
        with torch.no_grad():
            self.memory[ids] = new
            self.last[ids] = time
        return new, self.memory.sum()


class Lazy(Base):
    """Makes a layer and a buffer when it first knows their sizes."""

    def set_up(self):
        self.skip = None

    def forward(self, x, edge_index):
        if self.skip is None:
            self.skip = nn.Linear(x.size(1), 3)
            self.register_buffer("shift", torch.randn(3))
        return super().forward(x, edge_index) + self.skip(x) + self.shift


class Stash(Base):
    """Leaves things on its child, and reads a property."""

    def set_up(self):
        self.conv = gnn.GATConv(4, 5, add_self_loops=False)
        self._gain = 1

    @property
    def gain(self):
        return self._gain

    @gain.setter
    def gain(self, value):
        self._gain = value + 1

    def forward(self, x, edge_index):
        h, (_, alpha) = self.conv(x, edge_index, return_attention_weights=True)
        self.conv.last_alpha = alpha.detach()
        self.gain = self.gain
        return self.out(h) * self.gain


class Spectral(Base):
    def set_up(self):
        self.out = nn.utils.parametrizations.spectral_norm(self.out)


class Kept(Base):
    """Keeps a hidden tensor whose gradient the user reads, as for maps of importance."""

    def set_up(self):
        self.activations = self.gradient = None

    def forward(self, x, edge_index):
        self.activations = h = self.hidden(x, edge_index)
        if h.requires_grad:
            h.register_hook(lambda grad: setattr(self, "gradient", grad))
        return self.out(h)


class Counts(Base):
    """Attributes that are set behind a hook and behind both ways of ``torch.cond``."""

    def set_up(self):
        self.calls, self.behind = 0, 0

    def forward(self, x, edge_index):
        self.calls += 1
        h = self.hidden(x, edge_index)
        if h.requires_grad:
            h.register_hook(lambda grad: grad * 2)
        self.calls += 1
        h = torch.cond(h.sum() > 0, lambda h: h * 1, lambda h: h * 2, (h,))
        self.behind += 1
        self.kept = h.detach()
        return self.out(h)


def same_graph(number):
    return rows(6, 4, number), random_graph(6, 9)[1]


def ids(number):
    nodes, edges = ((6, 11), (5, 5), (0, 0))[number]
    dtype = torch.int32 if number == 1 else torch.long
    return torch.arange(nodes, dtype=dtype) * 3 % 8, *random_graph(nodes, edges, number, 3)[1:]


def timed(number):
    return rows(10, 4, number), random_graph(10, (7, 10, 0)[number], number)[1], 3 * number


def switch(model, number):
    model.train(number != 1)


CASES = {
    "counter": Case(Counter), "hidden state": Case(Hidden, plain(sizes=((6, 9), (6, 6), (1, 1)))),
    "running mean in place": Case(RunningInPlace, before=switch), "running mean assigned": Case(RunningAssigned),
    "cache by size": Case(CacheBySize, plain(sizes=EMPTY)), "lists": Case(History), "dictionary": Case(Stats),
    "window": Case(Window), "set and deleted": Case(SetsAndDeletes),
    "set to None and deleted": Case(Forgets), "average of weights": Case(Teacher),
    "norms": Case(Normed, before=switch),
    "dropout": Case(Dropped, plain(sizes=EMPTY), before=switch),
    "cached": Case(lambda: gnn.GCNConv(4, 3, cached=True), same_graph), "tied": Case(Tied, ids),
    "plain list": Case(PlainList, typed()), "memory": Case(Memory, timed),
    "lazy": Case(Lazy), "stash": Case(Stash, plain(sizes=SMALL)),
    "spectral norm": Case(Spectral, before=switch), "kept activations": Case(Kept),
    "counts": Case(Counts),
}  # fmt: skip


@pytest.mark.sample(7)
@pytest.mark.parametrize("name", CASES)
def test_state(name):
    """Results, gradients and all that is left behind are those of the same calls in PyTorch."""
    check(CASES[name])


class Refused(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.first, self.second = nn.Linear(5, 5), nn.BatchNorm1d(5), nn.BatchNorm1d(5)

    def forward(self, x, edge_index):
        h = self.first(self.lin(x))
        return self.second(torch.zeros_like(x).index_add(0, edge_index[1], h[edge_index[0]]))


def test_refused_calls_change_nothing():
    """Norms neither count the call nor store averages, and the next call goes on where the last one was."""
    model = Refused().double()
    compiled = rgnn.compile(copy.deepcopy(model))
    x, edge_index = rows(7, 5), random_graph(7, 20)[1]
    assert torch.allclose(compiled(x, edge_index), model(x, edge_index))
    with pytest.raises(IndexError):
        compiled(x, edge_index + 7)
    for (name, own), got in zip(model.named_buffers(), compiled.buffers(), strict=True):
        assert torch.allclose(got, own), name
    assert torch.allclose(compiled(x.sin(), edge_index), model(x.sin(), edge_index))
    assert compiled.second.num_batches_tracked == 2
