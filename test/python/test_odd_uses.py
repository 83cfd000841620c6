"""What users do with a compiled model: they change it between calls, and call it in many ways."""

import collections
import copy
import functools
import pickle
import threading
import types
import warnings

import pytest
import rgnn
import torch
from odd import EMPTY, Base, Case, Model, aggregate, check, compare, plain, typed
from pyg import gnn, random_graph, rows
from torch import nn

pytestmark = pytest.mark.usefixtures("float64")


def freeze(model, number):
    model.conv.requires_grad_(number != 1)


def renew(model, number):
    if number:
        model.out.weight = nn.Parameter(torch.randn(3, 5))
    if number == 2:
        model.conv.lin_l.bias = None


def reload(model, number):
    model.load_state_dict({name: torch.randn_like(value) for name, value in model.state_dict().items()})


def exchange(model, number):
    if number == 1:
        model.out = nn.Sequential(nn.Linear(5, 2), nn.Tanh())
    elif number == 2:
        model.conv = gnn.GraphConv(4, 5)


def add_hooks(model, number):
    if number == 1:
        model.conv.register_forward_hook(lambda module, args, out: out * 2)
        model.out.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    elif number == 2:
        model.seen = []
        model.register_forward_hook(lambda module, args, out: module.seen.append(out.shape[0]))
        model.out.weight.register_hook(lambda grad: grad * 3)


def replace_method(model, number):
    if number == 1:
        model.hidden = types.MethodType(lambda self, x, edge_index: self.conv(x, edge_index).tanh(), model)
    elif number == 2:
        model.forward = lambda x, edge_index: model.conv(x, edge_index) * 2


def descend(model, number):
    if number:
        torch.optim.SGD(model.parameters(), lr=0.1).step()


# ---- ways to call ----------------------------------------------------------------------------------------------------


def functional(m, args, kwargs):
    weights = {name: value.detach() * 2 for name, value in m.named_parameters()}
    weights = {name: value.requires_grad_() for name, value in weights.items()}
    out = torch.func.functional_call(m, weights, args)
    return out, torch.autograd.grad(out.sum(), list(weights.values()), allow_unused=True)


def penalty(m, args, kwargs):
    """A gradient that becomes part of the loss."""
    out = m(*args)
    return torch.autograd.grad(out.pow(3).sum(), args[0], create_graph=True)[0].pow(2).sum()


def twice(m, args, kwargs):
    loss = m(*args).pow(2).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    return loss.detach()


def both(m, args, kwargs):
    """Two calls whose results meet in one loss."""
    return m(*args) + m(args[0] * 2, *args[1:])


def copied(m, number):
    return (None, copy.deepcopy(m), pickle.loads(pickle.dumps(m)))[number]


def compiled_within(m, number):
    """The part of the model that PyTorch runs stays as it is."""
    if hasattr(m, "_compiled_call_impl") and m._compiled_call_impl and not number:
        m.conv = rgnn.compile(m.conv)


class Plain(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.conv, self.out = gnn.RGCNConv(4, width, 3), nn.Linear(width, 2)

    def forward(self, x, edge_index, edge_type):
        return self.out(self.conv(x, edge_index, edge_type).relu())


hgt = functools.partial(gnn.HGTConv, 4, 4, (["a"], [("a", "to", "a")]), heads=2)
CASES = {
    "frozen in between": Case(Base, before=freeze), "parameters renewed": Case(Base, before=renew),
    "state loaded": Case(Base, before=reload), "modules exchanged": Case(Base, before=exchange),
    "hooks added": Case(Base, before=add_hooks), "methods replaced": Case(Base, before=replace_method),
    "steps of an optimizer": Case(Base, before=descend, accumulate=True),
    "functional call": Case(Plain, typed(), call=functional, backward=False),
    "gradient penalty": Case(Plain, typed(), call=penalty), "backward twice": Case(Plain, typed(), call=twice),
    "two calls in a loss": Case(Plain, typed(), call=both), "copied": Case(Plain, typed(), before=copied),
    "compiled within": Case(Plain, typed(), before=compiled_within),
    "function": Case(lambda: lambda x, edge_index: aggregate(x, edge_index) / (1 + x.abs()), plain(sizes=EMPTY)),
    "HGT": Case(hgt, lambda number: ({"a": plain()(number)[0]}, {("a", "to", "a"): plain()(number)[1]})),
    "relation left out": Case(
        functools.partial(gnn.HGTConv, 4, 4, (["a"], [("a", "to", "a"), ("a", "of", "a")]), heads=2),
        lambda number: ({"a": plain()(number)[0]}, {("a", "to" if number else "of", "a"): plain()(number)[1]})),
}  # fmt: skip


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", CASES)
def test_uses(name):
    """Results and gradients are those of the same model in PyTorch after the same."""
    check(CASES[name])


@pytest.fixture
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_widths(quiet):
    """Models of one class do not take each other's code."""
    models = [Plain(width) for width in (2, 3, 2)]
    references, compiled = copy.deepcopy(models), [rgnn.compile(one) for one in models]
    for one, other in zip(compiled, references, strict=True):
        compare(one(*typed()(0)), other(*typed()(0)), f"width {one.conv.out_channels}")


def test_threads(quiet):
    one = Plain()
    reference, compiled, got = copy.deepcopy(one), rgnn.compile(one), collections.defaultdict(list)

    def work(thread):
        for number in range(6):
            got[thread].append(compiled(*typed()((number + thread) % 3)))

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for thread in range(2):
        expected = [reference(*typed()((number + thread) % 3)) for number in range(6)]
        compare(got[thread], expected, f"thread {thread}")


def sliced(m, x, edge_index, edge_type, size):
    return m.conv(x, edge_index, edge_type)[:size]


def test_captures(quiet):
    """Numbers and sizes that are others in each call do not capture anew."""
    one = Model(sliced, conv=gnn.RGCNConv(4, 3, 3))
    reference, compiled = copy.deepcopy(one), rgnn.compile(one)
    for number in range(80):
        nodes, edges = 50 + max(number - 40, 0), 60 + 3 * max(number - 40, 0)
        _, edge_index, edge_type = random_graph(nodes, edges, number, 3 if number % 2 else 2)
        args = rows(nodes, 4, number), edge_index, edge_type, 2 + number
        got, expected = compiled(*args), reference(*args)
        compare(got, expected, f"call {number}")
        got.sum().backward()
        expected.sum().backward()
    compare([p.grad for p in compiled.parameters()], [p.grad for p in reference.parameters()], "gradients")
    assert len(compiled._compiled_call_impl.runner.versions) <= 3


def scales(m, h, gain):
    return h * gain


def cools(m, h, gain):
    m.temperature = getattr(m, "temperature", 1.0) * gain
    return h / m.temperature


def collects(m, h, gain):
    m.history.append(h.detach().sum())
    return h


def remembers(m, h, gain):
    if h.size(0) not in m.table:
        m.table[h.size(0)] = torch.ones(h.size(0), 1)
    return h * m.table[h.size(0)]


class Keeps(Plain):
    def __init__(self, keep):
        super().__init__()
        self.keep, self.history, self.table = keep, [], {}

    def forward(self, x, edge_index, edge_type, gain):
        return self.keep(self, super().forward(x, edge_index, edge_type), gain)


@pytest.mark.sample(3)
@pytest.mark.parametrize("keep", [scales, cools, collects, remembers])
def test_captures_of_what_changes(keep, quiet):
    """A number that is other in each call does not capture anew; the length of a list or dictionary that grows does."""
    one, grows = Keeps(keep), keep in (collects, remembers)
    reference, compiled = copy.deepcopy(one), rgnn.compile(one)
    for number in range(5):
        args = typed(sizes=((5 + number, 9 + 2 * number),))(0)
        gain = 0.5 + (0 if grows else number)
        compare(compiled(*args, gain), reference(*args, gain), f"call {number}")
    assert len(compiled._compiled_call_impl.runner.versions) <= (5 if grows else 4)
