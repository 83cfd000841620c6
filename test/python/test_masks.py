"""Masks that a model fills in place, and the rows that they pick before and after."""

import warnings

import pytest
import rgnn
import torch
from rgnn._runner import runner_of
from test_rows import graph, rows


def summed(x, edge_index):
    return torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])


def filled(x, edge_index, places):
    kept = torch.zeros(x.shape[0], dtype=torch.bool)
    kept[places] = True
    return summed(x, edge_index)[kept]


def emptied(x, edge_index, places):
    kept = torch.ones(x.shape[0], dtype=torch.bool)
    kept[places] = False
    x = summed(x, edge_index)
    y = x.clone()
    y[kept] = x[kept].tanh()
    return y


def filled_by_a_method(x, edge_index, places):
    kept = torch.full((x.shape[0],), False)
    kept.index_fill_(0, places, True)
    return summed(x, edge_index)[kept].sum(0)


def filled_by_edges(x, edge_index, places):
    kept = torch.zeros(x.shape[0], dtype=torch.bool)
    kept[edge_index[0]] = True
    return summed(x, edge_index)[kept]


def of_edges(x, edge_index, places):
    kept = torch.zeros(edge_index.shape[1], dtype=torch.bool)
    kept[: places.shape[0]] = True
    sent = x[edge_index[0]]
    sent[kept] = 2 * sent[kept]
    return torch.zeros_like(x).index_add(0, edge_index[1], sent)


def filled_again(x, edge_index, places):
    """What is picked before a change is of the mask before it."""
    kept, x = torch.zeros(x.shape[0], dtype=torch.bool), summed(x, edge_index).detach()
    kept[places] = True
    one = x[kept]
    kept[0] = True
    kept |= torch.arange(x.shape[0]) % 2 == 0
    y = torch.zeros_like(x)
    y[kept] = x[kept].tanh()
    kept[:] = False
    return one, y, x[kept], x[~kept]


def filled_by_floats(x, edge_index, places):
    """A mask, and numbers, that are not the same for the same graph."""
    kept, kind = torch.zeros(x.shape[0], dtype=torch.bool), torch.zeros(x.shape[0], dtype=torch.int64)
    kept[places] = x[places, 0] > 0
    kind[places] = (x[places, 0] > 0).long()
    x = summed(x, edge_index)
    y = x.clone()
    y[kept] = x[kept].tanh()
    return y, x[kept], torch.zeros(2, x.shape[1], dtype=x.dtype).index_add(0, kind, x), x[kind == 1]


@pytest.mark.parametrize("function", [filled, emptied, filled_by_a_method, filled_by_edges, of_edges, filled_again,
                                      filled_by_floats])  # fmt: skip
def test_masks_that_are_changed(function):
    compiled = rgnn.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for nodes, edges in ((6, 9), (8, 12), (5, 3), (7, 0)):
            edge_index, places = graph(nodes, edges), torch.randperm(nodes)[:2]
            for _ in range(2):  # other numbers of the same graph
                x = rows(nodes, 3).requires_grad_()
                results = []
                for each in (function, compiled):
                    got = each(x, edge_index, places)
                    got = got if isinstance(got, tuple) else (got,)
                    sums = [part.square().sum() for part in got if part.requires_grad]
                    results.append([*got, *(torch.autograd.grad(sum(sums), x) if sums else ())])
                for expected, got in zip(*results, strict=True):
                    torch.testing.assert_close(got, expected, rtol=1e-12, atol=1e-12)


# ---- masks that compare what is computed -----------------------------------------------------------------------------

BY_FLOATS = {
    "sum": lambda h, mask: put(h[:, 0] * 0, mask, h[mask].sum(-1)),
    "norm": lambda h, mask: put(h[:, 0] * 0, mask, h[mask].norm(dim=-1)),
    "softmax": lambda h, mask: put(torch.zeros_like(h), mask, h[mask].softmax(-1)),
    "layer_norm": lambda h, mask: put(h, mask, torch.nn.functional.layer_norm(h[mask], (3,))),
    "cat": lambda h, mask: put(h.repeat(1, 2), mask, torch.cat([h[mask].sin(), h[mask]], 1)),
    "pick": lambda h, mask: (h[mask], h[~mask].sum(0)),
    "one row": lambda h, mask: put(h, mask, torch.ones(3, dtype=h.dtype)),
    "other rows": lambda h, mask: put(h, mask, h.sin()[back(h)[mask]]),
    "listed rows": lambda h, mask: put(h.repeat(2, 1), back(h)[mask], h[mask].sin()),
    "rows listed twice": lambda h, mask: put(h, (back(h) // 2)[mask], h[mask].sin()),
}


def back(x):
    """The numbers of rows from the last one."""
    return x.shape[0] - 1 - torch.arange(x.shape[0])


def put(x, places, rows):
    y = x.clone()
    y[places] = rows
    return y


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", BY_FLOATS)
def test_masks_of_floats(name):
    """What they pick is listed in each call; nothing that reads floats is left to PyTorch."""

    def function(x, edge_index):
        h = summed(x, edge_index)
        return BY_FLOATS[name](h, h[:, 0] > 0)

    compiled = rgnn.compile(function)
    for nodes, edges in ((6, 9), (8, 12), (5, 3), (7, 0), (1, 0), (1, 1)):
        edge_index = graph(nodes, edges)
        for sign in (1, -1, 0):  # some, the others, or none
            x, results = (sign * rows(nodes, 3)).requires_grad_(), []
            for each in (function, compiled):
                got = each(x, edge_index)
                got = got if isinstance(got, tuple) else (got,)
                results.append([*got, torch.autograd.grad(sum(part.square().sum() for part in got), x)[0]])
            for expected, found in zip(*results, strict=True):
                torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    versions = runner_of(compiled).versions
    assert len(versions) == 1 and versions[0].regions and not versions[0].fallbacks
