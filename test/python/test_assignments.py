"""Parts of rows, and rows, that a model sets: by columns, steps, numbers, from the end; as PyTorch does."""

import copy
import warnings

import pytest
import rgnn
import torch
from lifting import check, outcome, rows, summed
from pyg import error
from rgnn._runner import runner_of

WIDTH = 6


def assigned(change):
    """A model that changes a copy of what it aggregated by ``change(own, x)``, which may give something else."""
    aggregate = summed(lambda x: x * 2)

    def model(x, edge_index):
        own = aggregate(x, edge_index) + x
        result = change(own, x)
        return own if result is None else result

    return model


def half(own, x):
    out = torch.empty(own.size(0), 2 * WIDTH, dtype=own.dtype)
    out[:, :WIDTH] = own
    out[:, WIDTH:] = x
    return out


def in_turn(own, x):
    out = torch.zeros(own.size(0), 2 * WIDTH, dtype=own.dtype)
    out[:, 0::2] = own
    out[:, 1::2] = x.sin()
    return out


def rows_in_turn(own, x):
    out = torch.zeros(2 * own.size(0), WIDTH, dtype=own.dtype)
    out[0::2], out[1::2] = own, -x
    return out


def behind_others(own, x):
    out = torch.zeros(own.size(0) + 2, WIDTH, dtype=own.dtype)
    out[2:] = own
    return out.flip(1)


def heads(own, x):
    own = own.view(-1, 2, 3).clone()
    own[:, 0], own[:, 1, :2] = x[:, :3], 0
    return own.flatten(1)


def column(own, x):
    own[:, 1] = x[:, 0]


def step_of_columns(own, x):
    own[:, ::4] += x[:, :2]


def columns_from_end(own, x):
    own[..., -2:] = 0.5


def shared_by_rows(own, x):
    own[:, :4] = x.new_tensor([1.0, 2.0, 3.0, 4.0])


def twice(own, x):
    own[:, :3] = x[:, 3:]
    own[:, 2:4] = own[:, 4:] * 2 + own[:, :2]


def view_of_columns(own, x):
    part = own[:, :3]
    part.mul_(2)
    own[:, 3:] = part
    part += 1


def even_rows(own, x):
    own[::2] *= 3


def all_rows(own, x):
    own[:] = x


COLUMNS = [half, in_turn, behind_others, heads, column, step_of_columns, columns_from_end, shared_by_rows,
           twice, view_of_columns, even_rows, all_rows]  # fmt: skip


@pytest.mark.sample(10)
@pytest.mark.parametrize("change", COLUMNS, ids=lambda change: change.__name__)
def test_on_all_graphs(change):
    check(assigned(change), torch.float64)


def first(own, x):
    own[0] = 0


def last(own, x):
    own[-1] = x[0] * 2


def last_three(own, x):
    own[-3:] = 1.5


def moved(own, x):
    own[1:] = x[:-1]


def inner(own, x):
    return own[1:-1] * 2


def picked(own, x):
    return own[0] + own[-1].tanh()


def number_of_first(own, x):
    own = own[:, 0].clone()
    own[0] = 1.0
    return own * x[:, 1]


def some_of(own, x):
    own[:4] = x[-4:]
    own[2:4] = own[4:6]


def differences(own, x):
    own[1:] -= own[:-1].clone()


def last_half(own, x):
    return own[-(own.size(0) // 2) :] * 2


def one_row_for_all_others(own, x):
    own[2:] = x[0]
    own[torch.tensor([0, 3])] = x[1]


ROWS = [differences, last_half, one_row_for_all_others, rows_in_turn, first, last, last_three, moved, inner, picked,
        number_of_first, some_of]  # fmt: skip


def compare(model, compiled, *arguments):
    for right, got in zip(outcome(model, *arguments, []), outcome(compiled, *arguments, []), strict=True):
        assert error(got, right) <= 1e-10


@pytest.mark.parametrize("change", ROWS, ids=lambda change: change.__name__)
def test_rows_by_number(change):
    model = assigned(change)
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes in (9, 14, 8):
        compare(model, compiled, rows(nodes, WIDTH).requires_grad_(), torch.randint(nodes, (2, 3 * nodes)))


class Encoded(torch.nn.Module):
    """Rows of each kind of nodes, from features of its own, where a mask or a list says; one row for the others."""

    def __init__(self):
        super().__init__()
        self.one, self.other = torch.nn.Linear(3, WIDTH), torch.nn.Linear(2, WIDTH)
        self.token = torch.nn.Parameter(torch.randn(WIDTH))

    def forward(self, x, edge_index, kind, one, other):
        own = x.clone()
        own[kind == 0] = self.one(one)
        own[torch.where(kind == 1)[0]] = self.other(other)
        own[kind == 2] = self.token
        return summed(lambda rows: rows.tanh())(own, edge_index)


def test_rows_that_data_say():
    torch.manual_seed(0)
    model = Encoded().double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes in (12, 17, 11):
        kind = torch.arange(nodes) % 4
        one, other = (rows(int((kind == number).sum()), width) for number, width in ((0, 3), (1, 2)))
        grads = []
        for call in (model, compiled):
            x = torch.linspace(-1, 1, nodes * WIDTH, dtype=torch.float64).view(nodes, WIDTH).requires_grad_()
            call(x, torch.arange(2 * nodes).view(2, nodes) % nodes, kind, one, other).sin().sum().backward()
            grads.append([x.grad, *(p.grad for p in call.parameters())])
            call.zero_grad()
        for right, got in zip(*grads, strict=True):
            assert error(got, right) <= 1e-10
        for wrong in ((one[1:], other), (one, other[1:])):
            for call in (model, compiled):
                with pytest.raises((RuntimeError, IndexError, rgnn.InputError)):
                    call(rows(nodes, WIDTH), torch.zeros(2, 1, dtype=torch.long), kind, *wrong)
    assert len(runner_of(compiled).versions) == 2  # with gradients and without


def test_rows_of_a_list_become_a_number():
    def model(x, edge_index):
        own = x * 2
        own[edge_index[0]] = 0
        own[edge_index[1, :2]] = -1.0
        return own + x.index_select(0, edge_index[0]).sum(0)

    compiled = rgnn.compile(model, fullgraph=True)
    for nodes in (9, 14):
        compare(model, compiled, rows(nodes, WIDTH).requires_grad_(), torch.randint(nodes, (2, 5)))


@pytest.mark.parametrize("is_added", [False, True])
def test_gradient_of_a_row_counts_how_often_a_list_has_each(is_added):
    class Masked(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.token = torch.nn.Parameter(torch.randn(1, WIDTH))

        def forward(self, x, edge_index, drawn):
            own = x * 2
            if is_added:
                own = own.index_put((drawn,), self.token[0], accumulate=True)
            else:
                own[drawn] = self.token
            return own + x.index_select(0, edge_index[0]).sum(0)

    model = Masked().double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, count in ((9, 20), (14, 3), (5, 0), (7, 1)):
        x, drawn, grads = rows(nodes, WIDTH), torch.randint(nodes, (count,)) - nodes // 2, []
        for call in (model, compiled):
            call(x, torch.randint(nodes, (2, 5)).clamp(max=0), drawn).sin().sum().backward()
            grads.append(call.token.grad)
            call.token.grad = None
        assert error(*reversed(grads)) <= 1e-10
    assert len(runner_of(compiled).versions) == 1


@pytest.mark.parametrize("change", [column, step_of_columns, even_rows, first, last, moved], ids=lambda c: c.__name__)
def test_inputs_that_change(change):
    """What is set in a tensor of the caller is set there."""

    def model(x, edge_index, own):
        change(own, x)
        return torch.zeros_like(x).index_add(0, edge_index[1], (x + own)[edge_index[0]])

    compiled = rgnn.compile(model)
    for nodes in (9, 14):
        x, edge_index, own = rows(nodes, WIDTH), torch.randint(nodes, (2, 30)), rows(nodes, WIDTH)
        other = own.clone()
        assert error(compiled(x, edge_index, other), model(x, edge_index, own)) <= 1e-12
        assert torch.equal(own, other)


def narrow_value(own, x):
    own[:, 0] = x[:, 0].float()


def one_more_dimension(own, x):
    own[:, :2] = x[:, :2].unsqueeze(0)


def truth(own, x):
    own[:, 2] = True


def truths(own, x):
    own[:, :3] = x[:, :3] > 0


def itself(own, x):
    own[:, :3] = own[:, 1:4]


def a_row_for_several(own, x):
    own[:3] = x[0]


def alias(own, x):
    column = own[:, 0]
    before = column * 1
    own[:, 0] = x[:, 1]
    return column + before


def none_of_them(own, x):
    own[:, 3:3] = 7.0


@pytest.mark.parametrize("change", [narrow_value, one_more_dimension, truth, truths, itself, a_row_for_several, alias,
                                    none_of_them], ids=lambda change: change.__name__)  # fmt: skip
def test_odd_ones_are_pytorchs(change):
    model = assigned(change)
    compiled = rgnn.compile(model)
    for nodes in (9, 14):
        compare(model, compiled, rows(nodes, WIDTH).requires_grad_(), torch.randint(nodes, (2, 30)))


@pytest.mark.parametrize("part", [lambda own, x: own[:, :4].__setitem__(slice(None), x),
                                  lambda own, x: own.__setitem__((slice(None), 9), x[:, 0]),
                                  lambda own, x: own.__setitem__(slice(2, 5), x)])  # fmt: skip
def test_errors_are_pytorchs(part):
    model = assigned(lambda own, x: part(own, x))
    arguments = rows(9, WIDTH), torch.randint(9, (2, 30))
    errors = []
    for call in (model, rgnn.compile(model)):
        with pytest.raises(Exception) as raised:
            call(*arguments)
        errors.append(type(raised.value))
    assert errors[0] is errors[1]


class Remembering(torch.nn.Module):
    """A memory of all nodes, of which a batch reads and sets a few, as temporal graph networks have."""

    def __init__(self):
        super().__init__()
        self.register_buffer("memory", torch.randn(50, WIDTH))
        self.register_buffer("time", torch.zeros(50))
        self.cell, self.linear = torch.nn.GRUCell(WIDTH, WIDTH), torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x, edge_index, ids, time):
        age = (time - self.time[ids]).unsqueeze(1)
        messages = summed(lambda rows: rows * 2)(x * torch.cos(age), edge_index)
        state = self.cell(messages, self.memory[ids])
        self.memory[ids] = state.detach()
        self.time[ids] = time
        seen, number = edge_index[1].unique(return_inverse=True)
        newest = torch.zeros(len(seen), WIDTH, dtype=x.dtype).index_add_(0, number, x[edge_index[0]].tanh())
        self.memory[ids[seen]] = self.linear(newest).detach()
        return state


def test_memory_of_nodes():
    torch.manual_seed(0)
    model = Remembering().double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, time in ((9, 1.0), (14, 2.0), (9, 3.5)):
        x, edge_index, ids = rows(nodes, WIDTH), torch.randint(nodes, (2, 30)), torch.randperm(50)[:nodes]
        time = torch.full((nodes,), time, dtype=torch.float64)
        grads = []
        for call in (model, compiled):
            given = x.clone().requires_grad_()
            call(given, edge_index, ids, time).sin().sum().backward()
            grads.append([given.grad, *(p.grad for p in call.parameters())])
            call.zero_grad()
        for right, got in zip(*grads, strict=True):
            assert right is got is None or error(got, right) <= 1e-10  # what is only remembered has none
        assert error(compiled.memory, model.memory) <= 1e-12 and torch.equal(compiled.time, model.time)
    assert len(rgnn.explain(compiled, x, edge_index, ids, time).fallbacks) == 0


def test_what_pytorch_moves_is_told():
    """Rows of edges that PyTorch picks, for what they are of is set later; states ``[N, B]`` of several questions."""

    def changing(x, edge_index, weight):
        out = summed(lambda rows: rows * weight)(x, edge_index)
        x[0] = 0.0
        return out

    def states(edge_index, start, nodes):
        state = torch.zeros(nodes, len(start), dtype=torch.float64)
        state[start, torch.arange(len(start))] = 1.0
        return torch.zeros_like(state).index_add(0, edge_index[1], state[edge_index[0]])

    edge_index = torch.randint(9, (2, 30))
    weight = rows(1, WIDTH).requires_grad_()  # a region would keep the rows of edges for its gradient
    assert "getitem" in str(rgnn.explain(rgnn.compile(changing), rows(9, WIDTH), edge_index, weight).fallbacks)
    compiled = rgnn.compile(states)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for start in (torch.arange(2), torch.arange(3)):
            assert torch.equal(compiled(edge_index, start, 9), states(edge_index, start, 9))
    assert "index_add" in str(runner_of(compiled).versions[-1])
