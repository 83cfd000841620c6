# ruff: noqa: B028
"""A model warns where it warns in PyTorch: the same texts and categories, in each call."""

import warnings

import pytest
import rgnn
import torch
from torch import nn


class Own(UserWarning):
    pass


def _called(x):
    warnings.warn(f"{x.size(0)} rows", category=FutureWarning, stacklevel=2)


WAYS = {
    "text alone": lambda x: warnings.warn("a text"),
    "category": lambda x: warnings.warn("a text", DeprecationWarning),
    "all by keywords": lambda x: warnings.warn(message="a text", category=RuntimeWarning, stacklevel=3),
    "all in places": lambda x: warnings.warn("a text", Own, 2),
    "size": lambda x: warnings.warn(f"{x.size(0)} rows of {x.size(1)}", stacklevel=2),
    "two": lambda x: (warnings.warn("one", Own), warnings.warn("two")),
    "inside a function": _called,
    "in a loop": lambda x: [_called(x) for _ in range(3)],
}


class Warns(nn.Module):
    def __init__(self, warn):
        super().__init__()
        self.lin, self.warn = nn.Linear(4, 4), warn

    def forward(self, x, edge_index):
        self.warn(x)
        return torch.zeros_like(x).index_add(0, edge_index[1], self.lin(x)[edge_index[0]])


@pytest.mark.parametrize("way", WAYS)
def test_warnings(way):
    model = Warns(WAYS[way])
    compiled = rgnn.compile(model, fullgraph=True)
    for rows in (5, 7, 5):
        args = torch.randn(rows, 4), torch.randint(rows, (2, 12))
        told = []
        for each in (model, compiled):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                out = each(*args)
            told.append([(str(one.message), one.category) for one in caught])
        assert told[0] == told[1] and told[0]
        torch.testing.assert_close(out, model(*args))


def test_exception_for_a_text():
    """Nothing of it is a graph: the rest is compiled."""
    model = Warns(lambda x: warnings.warn(Own("made here")))
    compiled = rgnn.compile(model)
    args = torch.randn(5, 4), torch.randint(5, (2, 12))
    with pytest.warns(Own, match="made here"):
        out = compiled(*args)
    torch.testing.assert_close(out, model(*args))


def test_warning_that_is_an_error():
    model = Warns(WAYS["category"])
    compiled = rgnn.compile(model)
    args = torch.randn(5, 4), torch.randint(5, (2, 12))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for each in (model, compiled, compiled):
            with pytest.raises(DeprecationWarning, match="a text"):
                each(*args)
