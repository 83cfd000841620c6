"""Complex rows, as models of knowledge graphs turn and correlate them: computed as pairs of real ones."""

import copy

import pytest
import rgnn
import torch
from rgnn._runner import runner_of
from torch import nn
from torch.fft import fft, ifft, irfft, rfft


def pairs(x):
    return torch.view_as_complex(x.view(-1, 4, 2))


def flat(z):
    return torch.view_as_real(z).flatten(1)


TURNS = {  # of rows of both ends of edges, and of relations
    "rotation": lambda a, b, r: flat(pairs(a) * pairs(r)) - b,
    "by an angle": lambda a, b, r: flat(pairs(a) * torch.polar(b[:, :4].abs(), r[:, 4:])),
    "score": lambda a, b, r: (pairs(a) * pairs(r) * pairs(b).conj()).real.sum(1, keepdim=True) * a,
    "lengths": lambda a, b, r: torch.cat([(pairs(a) - pairs(b)).abs(), pairs(r).imag], 1),
    "made of parts": lambda a, b, r: flat(torch.complex(a[:, :4], b[:, :4]) * 2 / 3 + r[:, :4] - pairs(a)),
    "joined": lambda a, b, r: flat(torch.stack([pairs(a), -pairs(b), pairs(r).conj()], 1).sum(1)),
    "joined with real ones": lambda a, b, r: flat(torch.cat([pairs(a)[:, :2], r[:, :2]], 1)),
    "exponentials": lambda a, b, r: flat(torch.exp(1j * 2 * a[:, :4] * r[:, :4]) * b[:, 4:]),
    "of complex numbers": lambda a, b, r: flat((pairs(a) * 0.1).exp() + (0.5 - 2j) * pairs(r) - b[:, :4] / 2j),
    "quotients": lambda a, b, r: flat(pairs(a) / (pairs(b) + 3) + 1.5 / (r[:, :4] + 4j)),
    "squares": lambda a, b, r: flat(pairs(a).square() - pairs(b) ** 2 + pairs(r)),
    "angles": lambda a, b, r: torch.cat([(pairs(a) * pairs(r)).angle(), b[:, :4]], 1),
    "scaled": lambda a, b, r: flat(torch.add(pairs(a), pairs(b), alpha=-2) + torch.sub(r[:, :4], pairs(a))),
    "filled": lambda a, b, r: flat(torch.cat([pairs(a).new_full((len(a), 1), 2 - 1j), torch.ones_like(pairs(b))[:, 2:],
                                              pairs(a).new_zeros(len(a), 1)], 1) * pairs(r) + pairs(a)),
}
TRANSFORMS = {
    "correlation": lambda a, b, r: irfft(rfft(a).conj() * rfft(r), n=8),
    "convolution": lambda a, b, r: ifft(fft(a) * fft(r)).real,
    "odd width": lambda a, b, r: torch.cat([irfft(rfft(a[:, :7], dim=-1) * rfft(b[:, 1:]), n=7), r[:, :1]], 1),
    "of complex rows": lambda a, b, r: flat(fft(pairs(a)) * ifft(pairs(r))),
}


class Turned(nn.Module):
    def __init__(self, message):
        super().__init__()
        self.message, self.lin, self.relations = message, nn.Linear(8, 8), nn.Parameter(torch.randn(5, 8))

    def forward(self, x, edges, kinds):
        h = self.lin(x)
        sent = self.message(h[edges[0]], h[edges[1]], self.relations[kinds])
        return torch.zeros_like(h).index_add(0, edges[1], sent)


def check(message, sizes, is_whole=True):
    torch.manual_seed(0)
    model = Turned(message).double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=is_whole)
    for nodes, edges in sizes:
        x, outcomes = torch.randn(nodes, 8, dtype=torch.float64), []
        args = torch.randint(nodes, (2, edges)), torch.randint(5, (edges,))
        for each in (model, compiled):
            wanting = x.clone().requires_grad_()
            out = each(wanting, *args)
            gradients = torch.autograd.grad((out * out.detach().cos()).sum(), [wanting, *each.parameters()])
            outcomes.append([out, *gradients])
        for one, other in zip(*outcomes, strict=True):
            torch.testing.assert_close(other, one, rtol=1e-10, atol=1e-10)
    versions = runner_of(compiled).versions
    assert len(versions) == 1 and (not is_whole or len(versions[0].regions) == 1)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", TURNS)
def test_turns(name):
    check(TURNS[name], [(9, 30), (4, 0), (1, 2), (6, 6)])


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name):
    """PyTorch's own transforms refuse no rows."""
    check(TRANSFORMS[name], [(9, 30), (1, 2), (6, 6)])


@pytest.mark.filterwarnings("ignore:rgnn. a part")
def test_without_a_rule():
    """All of it stays PyTorch's."""
    check(lambda a, b, r: flat(pairs(a) * pairs(r).sqrt()), [(9, 30), (4, 0)], is_whole=False)


@pytest.mark.filterwarnings("ignore:rgnn. a part")
def test_weights_that_are_complex():
    class Weight(Turned):
        def forward(self, x, edges, kinds):
            turned = pairs(self.lin(x))[edges[0]] * pairs(self.relations)[kinds]
            return torch.zeros_like(x).index_add(0, edges[1], flat(turned))

    model = Weight(None).double()
    compiled, edges = rgnn.compile(copy.deepcopy(model)), torch.randint(9, (2, 20))
    x, kinds = torch.randn(9, 8, dtype=torch.float64), torch.randint(5, (20,))
    assert torch.allclose(model(x, edges, kinds), compiled(x, edges, kinds))
