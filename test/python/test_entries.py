"""Entries of rows that a second list picks or adds up into: by node and type."""

import pytest
import rgnn
import torch
import torch.nn.functional as F
from lifting import rows
from pyg import error
from torch import nn

WIDTH, TYPES = 6, 5


class Typed(nn.Module):
    """A model of nodes ``x``, edges and their types; ``function(scores, table, x, source, target, kind)``."""

    def __init__(self, function):
        super().__init__()
        self.score, self.table = nn.Linear(WIDTH, TYPES), nn.Embedding(TYPES, WIDTH)
        self.function = function

    def forward(self, x, edge_index, kind):
        return self.function(self.score, self.table.weight, x, *edge_index, kind)


def summed(messages, target, nodes):
    return messages.new_zeros(nodes, *messages.shape[1:]).index_add(0, target, messages)


def score_of_type(score, table, x, source, target, kind):
    return summed(score(x)[source, kind].unsqueeze(1) * x[source], target, len(x))


def score_of_each_edge(score, table, x, source, target, kind):
    scores = score(x)[source]
    return summed(scores[torch.arange(len(scores)), kind].unsqueeze(1) * x[source], target, len(x))


def gathered(score, table, x, source, target, kind):
    return summed(score(x)[source].gather(1, kind.unsqueeze(1)) * x[source], target, len(x))


def columns_of_each_edge(score, table, x, source, target, kind):
    messages = x[source].view(-1, 2, 3).sin()
    return summed(messages[torch.arange(len(messages)), :, kind % 3], target, len(x))


def from_the_end(score, table, x, source, target, kind):
    return summed(x.view(-1, 2, 3)[source, kind % 2 - 2], target, len(x))


def by_node_and_type(score, table, x, source, target, kind):
    out = x.new_zeros(len(x), TYPES, WIDTH)
    out.index_put_((target, kind), x[source].tanh(), accumulate=True)
    return torch.einsum("nrf,rf->nf", out, table)


def into_what_is_there(score, table, x, source, target, kind):
    out = score(x) * 2
    out.index_put_((target, kind), x[source][:, 0], accumulate=True)
    return out * 2


def in_a_copy(score, table, x, source, target, kind):
    return torch.index_put(score(x), (target, kind), x[source][:, 1], accumulate=True).relu()


def set_by_node_and_type(score, table, x, source, target, kind):
    out = x.new_zeros(len(x), TYPES)
    out[target, kind] = x[source].tanh().sum(1)
    return out @ table


def set_among_others(score, table, x, source, target, kind):
    out = torch.stack([x.sin() + number for number in range(TYPES)], 1)
    before = out.sum(1)
    out[target, kind] = x[source]
    return out.amax(1) + before


def set_in_a_copy(score, table, x, source, target, kind):
    out = score(x)
    return torch.index_put(out, (target, kind), x[source][:, 1]).relu() - out


def set_behind_others(score, table, x, source, target, kind):
    own = x.cos().view(1, -1, WIDTH).index_copy(1, target, x[source].unsqueeze(0))
    out = x.new_zeros(2, len(x), WIDTH).index_copy_(1, target, torch.stack([x[source], x[source].exp()]))
    return out.index_fill_(-2, source, 3.0).sum(0) * own[0] + x[target].sum()


def by_one_key(score, table, x, source, target, kind):
    out = summed(x[source], target * TYPES + kind, len(x) * TYPES)
    return out.view(-1, TYPES, WIDTH).amax(1) @ table.t()


def of_pairs_of_types(score, table, x, source, target, kind):
    pairs = torch.einsum("rf,sf->rsf", table, table.sin())
    return summed(pairs[kind, kind.flip(0)] * x[source], target, len(x))


def of_three_types(score, table, x, source, target, kind):
    triples = table[:, None, None, 0] + table[:, None, 1] * table[:, 2:3]
    return summed(triples.expand(TYPES, TYPES, TYPES)[kind, -1 - kind, kind.flip(0)].unsqueeze(1) * x[source],
                  target, len(x))  # fmt: skip


def of_columns_of_types(score, table, x, source, target, kind):
    return summed(table[kind, kind % 3].unsqueeze(1) * x[source], target, len(x))


def into_columns(score, table, x, source, target, kind):
    h = summed(x[source], target, len(x)).view(-1, 3, 2)
    blocks = torch.arange(3) // 2
    return h[:, :2].index_add(1, blocks, h.sin(), alpha=3).add(1).index_add_(-1, torch.tensor([1, 1]), h[:, :2])


def weights_first(score, table, x, source, target, kind):
    return table[:, :2] @ summed(x[source], target, len(x)).view(-1, 2, 3)


MODELS = [of_pairs_of_types, of_three_types, of_columns_of_types, score_of_type, score_of_each_edge, gathered,
          columns_of_each_edge, from_the_end, by_node_and_type, into_what_is_there, in_a_copy, set_by_node_and_type,
          set_among_others, set_in_a_copy, set_behind_others, by_one_key, into_columns, weights_first]  # fmt: skip


def outcome(model, x, edge_index, kind):
    out = model(x, edge_index, kind)
    weights = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view(out.shape)
    wanted = [x, *model.parameters()]
    return [out.detach(), *torch.autograd.grad((out * weights).sum(), wanted, allow_unused=True)]


@pytest.mark.sample(2)
@pytest.mark.parametrize("function", MODELS, ids=lambda function: function.__name__)
def test_equal_pytorchs(function):
    model = Typed(function).double()
    compiled = rgnn.compile(Typed(function).double(), fullgraph=True)
    compiled.load_state_dict(model.state_dict())
    for nodes, edges in ((9, 30), (14, 50), (9, 0), (30, 30)):
        x, edge_index = rows(nodes, WIDTH).requires_grad_(), torch.randint(nodes, (2, edges))
        kind = torch.randint(TYPES, (edges,))
        for right, got in zip(outcome(model, x, edge_index, kind), outcome(compiled, x, edge_index, kind), strict=True):
            assert (right is None) == (got is None)
            assert right is None or error(got, right) <= 1e-10
    assert "2 versions" not in str(rgnn.explain(compiled))


@pytest.mark.parametrize("function", MODELS[:13], ids=lambda function: function.__name__)
def test_types_that_there_are_not(function):
    """An error, also where the number is that of an entry of another row."""
    model = Typed(function).double()
    compiled = rgnn.compile(Typed(function).double())
    x, edge_index, kind = rows(9, WIDTH), torch.randint(9, (2, 30)), torch.randint(TYPES, (30,))
    compiled(x, edge_index, kind)
    edge_index[:, 3], kind[3] = 0, TYPES + 1
    is_error = function not in (columns_of_each_edge, from_the_end)  # which take the remainder
    for call in (model, compiled) if is_error else ():
        with pytest.raises((IndexError, RuntimeError, rgnn.InputError)):
            call(x, edge_index, kind)


def test_gradients_past_what_is_not_a_number():
    """Entries that are not chosen do not count, whatever they are."""
    model = Typed(lambda score, table, x, source, target, kind: summed((1 / x)[source].gather(1, kind.unsqueeze(1)),
                                                                       target, len(x)))  # fmt: skip
    compiled = rgnn.compile(model, fullgraph=True)
    x = rows(9, WIDTH)
    x[:, WIDTH - 1] = 0
    x.requires_grad_()
    edge_index, kind = torch.randint(9, (2, 30)), torch.randint(TYPES, (30,))
    model(x, edge_index, kind).sum().backward()
    right, x.grad = x.grad, None
    compiled(x, edge_index, kind).sum().backward()
    assert error(x.grad, right) <= 1e-12


def test_layers_beside_an_operator_without_a_form():
    """A spectrum is PyTorch's, which changes nothing that the rest is made of."""

    def model(x, edge_index):
        return torch.fft.rfft(summed(x[edge_index[0]], edge_index[1], len(x)), dim=1).abs()

    compiled = rgnn.compile(model)
    x, edge_index = rows(9, WIDTH), torch.randint(9, (2, 30))
    assert error(compiled(x, edge_index), model(x, edge_index)) <= 1e-12
    assert "1 region" in str(rgnn.explain(compiled))


def test_one_hot_of_types_needs_no_tensor_of_edges():
    def chosen(score, table, x, source, target, kind):
        return summed(score(x)[source] * F.one_hot(kind, TYPES), target, len(x))

    model = Typed(chosen).double()
    compiled = rgnn.compile(model, fullgraph=True)
    x, edge_index, kind = rows(9, WIDTH).requires_grad_(), torch.randint(9, (2, 30)), torch.randint(TYPES, (30,))
    for right, got in zip(outcome(model, x, edge_index, kind), outcome(compiled, x, edge_index, kind), strict=True):
        assert right is None and got is None or error(got, right) <= 1e-10


class Spans(nn.Module):
    """The mean of each span of rows, set as the row of its relation: spans and relations are numbers of each call."""

    def __init__(self):
        super().__init__()
        self.lin, self.relations = nn.Linear(WIDTH, WIDTH), nn.Parameter(torch.randn(TYPES, WIDTH))

    def forward(self, x, edge_index, spans, kinds):
        source, target = edge_index
        h = summed(self.lin(x)[source], target, x.shape[0])
        means = torch.zeros_like(self.relations)
        for (begin, end), kind in zip(spans, kinds, strict=True):
            means[kind] = h[begin:end].mean(0, keepdim=True)
        return h, means + self.relations, self.relations[kinds[0]]


@pytest.mark.filterwarnings("ignore:rgnn.*a part of the model runs in PyTorch")  # what sets one row by a number
def test_rows_by_a_number():
    model = Spans().double()
    compiled = rgnn.compile(model)
    for nodes, spans, kinds in ((9, [(0, 3), (3, 7)], [1, 4]), (12, [(0, 5), (5, 6)], [2, 3]),
                                (12, [(1, 5), (5, 8)], [0, -1])):  # fmt: skip
        x, edge_index = torch.randn(nodes, WIDTH).double(), torch.randint(nodes, (2, 20))
        expected, got = (each(x, edge_index, spans, kinds) for each in (model, compiled))
        for right, own in zip(expected, got, strict=True):
            torch.testing.assert_close(own, right, rtol=1e-12, atol=1e-12)
        right, own = (torch.autograd.grad(sum(each.sin().sum() for each in out), list(model.parameters()))
                      for out in (expected, got))  # fmt: skip
        torch.testing.assert_close(own, right, rtol=1e-12, atol=1e-12)
