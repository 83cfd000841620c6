"""Random numbers that PyTorch draws for what is compiled, and truths of which number of a row is the largest."""

import pytest
import rgnn
import torch
import torch.nn.functional as F
from checks import check_dropout
from models import Before
from pyg import GRAPHS, as_reference, rows
from torch import nn

pytestmark = pytest.mark.usefixtures("strict")


def check(model):
    """A model is whole, gives what PyTorch gives, and draws as many numbers."""
    reference, compiled = as_reference(model), rgnn.compile(model, fullgraph=True)
    for nodes, *edges in GRAPHS.values():
        states = []
        for each in (reference, compiled):
            torch.manual_seed(3)
            each(rows(nodes, 16), *edges)
            states.append(torch.get_rng_state())
        assert torch.equal(*states)
        check_dropout(reference, compiled, (rows(nodes, 16), *edges))
    assert all(len(version.regions) == 1 for version in compiled._compiled_call_impl.runner.versions)


class Inside(nn.Module):
    """A layer with a function of what its edges carry."""

    def __init__(self, function):
        super().__init__()
        self.function, self.lin = function, nn.Linear(16, 16)

    def forward(self, x, edge_index, edge_type):
        messages = self.lin(x)[edge_index[0]]
        return torch.zeros_like(x).index_add(0, edge_index[1], messages * self.function(messages))


DRAWS = {
    "rand_like": torch.rand_like,
    "randn_like turned": lambda h: torch.randn_like(h.view(-1, 4, 4).transpose(1, 2)).flatten(1),
    "uniform": lambda h: torch.empty_like(h).uniform_(0.1, 0.9),
    "normal": lambda h: torch.zeros_like(h).normal_(mean=0.5),
    "normal by number": lambda h: torch.normal(0.5, 2.0, h.shape, dtype=h.dtype),
    "exponential": lambda h: h.new_empty(h.shape).exponential_(0.7),
    "bernoulli": lambda h: torch.empty_like(h).bernoulli_(0.3),
    "filled again": lambda h: torch.ones_like(h).normal_().mul_(2).add_(h),
    "gumbel": lambda h: F.gumbel_softmax(h, 0.5, dim=-1),
    "gumbel hard": lambda h: F.gumbel_softmax(h, tau=0.5, hard=True),
    "gumbel of parts": lambda h: F.gumbel_softmax(h.view(-1, 4, 4), 2.0, True, dim=1).flatten(1),
    "alpha": lambda h: F.alpha_dropout(F.dropout(h, 0.2, True), 0.5, True),
    "alpha of all": lambda h: F.alpha_dropout(h, 1.0, True),
    "alpha in evaluation": lambda h: F.alpha_dropout(h, 0.5),
    "channels": lambda h: F.dropout1d(h, 0.4),
    "channels of parts": lambda h: F.dropout1d(h.view(-1, 4, 4), 0.4, True).flatten(1),
    "channels of squares": lambda h: F.dropout2d(h.view(-1, 4, 2, 2), 0.4).flatten(1),
    "feature alpha": lambda h: F.feature_alpha_dropout(h.view(-1, 4, 4), 0.5, True).flatten(1),
    "dropout behind it": lambda h: F.dropout(F.alpha_dropout(h, 0.2, True), 0.5, True),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("place", [Before, Inside])
@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.filterwarnings("ignore:dropout1d", "ignore:dropout2d")
def test_draws(name, place):
    torch.manual_seed(0)
    check(place(DRAWS[name]).double().train())


def halves(h):
    """Rows with ties."""
    return (2 * h).round() / 2


LARGEST = {
    "one_hot": lambda h: F.one_hot(h.argmax(-1), 16).to(h.dtype),
    "one_hot of ties": lambda h: F.one_hot(halves(h).argmax(1), 16).double(),
    "smallest": lambda h: h * F.one_hot(halves(h).argmin(-1), num_classes=16),
    "set": lambda h: torch.zeros_like(h).scatter_(1, halves(h).max(1, keepdim=True)[1], 1.0),
    "set to a number": lambda h: torch.zeros_like(h).scatter(-1, halves(h).min(-1, keepdim=True).indices, 0.5),
    "no numbers": lambda h: F.one_hot(h.log().argmax(1), 16).double(),
    "straight through": lambda h: F.one_hot(h.argmax(-1), 16).to(h.dtype) - h.softmax(-1).detach() + h.softmax(-1),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", LARGEST)
def test_largest(name):
    torch.manual_seed(0)
    check(Inside(LARGEST[name]).double())
