"""What crosses from compiled regions to PyTorch and back: parts and views of what regions compute."""

import copy

import pytest
import rgnn
import torch
from rgnn._runner import runner_of
from torch import nn

# Of ``h``, which has rows of 12 numbers; ``cumsum`` along rows is PyTorch's.
WAYS = {
    "parts are given": lambda h, edges: (h, *h.split(4, -1)),
    "chunks are given": lambda h, edges: h.chunk(2, 1),
    "parts cross": lambda h, edges: (h.split(4, -1)[0].cumsum(0) + h.split(4, -1)[1], h.split(4, -1)[2]),
    "a part is read on both sides": lambda h, edges: h[:, :4].cumsum(0) + around(h[:, :4], edges),
    "two parts": lambda h, edges: h[:, :4].cumsum(0) + h[:, 4:8].cumsum(1),
    "a part is changed": lambda h, edges: change(h[:, :4], h),
    "a view is given": lambda h, edges: (h[:, :4].unsqueeze(1), h.cumsum(0)),
    "views of views": lambda h, edges: (h[:, 4:].cumsum(0).view(-1), h[:, 4:].unflatten(1, (2, 4)).cumsum(0), h),
    "rows are given": lambda h, edges: (h, h[1:], h[:3], h[-1], h[::2], h.narrow(0, 0, 1)),
    "rows are read and given": lambda h, edges: (h[1:].sum(0), h[1:], h[1:], h.sum(0)),
    "rows of rows": lambda h, edges: (h.view(-1, 3, 4)[:2], h[1:][:1], *h[:1].unbind(0)),
    "rows of two halves": lambda h, edges: (h[:h.size(0) // 2].relu(), h[:h.size(0) // 2], h[h.size(0) // 2:]),
}
OF_PYTORCH = {"aten.cumsum"}


def around(h, edges):
    return torch.zeros_like(h).index_add(0, edges[1], h[edges[0]])


def change(part, h):
    part.add_(part.cumsum(0))
    return part.cumsum(0), h.cumsum(0)


class Parts(nn.Module):
    def __init__(self, way):
        super().__init__()
        self.way, self.lin = way, nn.Linear(8, 12)

    def forward(self, x, edges):
        results = WAYS[self.way](self.lin(around(x, edges)), edges)
        return results if isinstance(results, tuple) else (results,)


@pytest.mark.sample(4)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore:rgnn. a part")
def test_parts(way):
    """Values, gradients and strides are PyTorch's, and so is what changes with a result that is changed in place."""
    model = Parts(way).double()
    compiled = rgnn.compile(copy.deepcopy(model))
    for nodes, edges in ((10, 30), (7, 0), (1, 1)):
        x, edges = torch.randn(nodes, 8, dtype=torch.float64), torch.randint(nodes, (2, edges))
        outcomes = []
        for each in (model, compiled):
            wanting = x.clone().requires_grad_()
            results = each(wanting, edges)
            loss = sum((result * result.detach().cos()).sum() for result in results)
            gradients = torch.autograd.grad(loss, [wanting, *each.parameters()])
            with torch.no_grad():
                changed = each(x, edges)
                strides = [result.stride() for result in changed if result.shape[0] > 1]
                changed[0].add_(1)
            outcomes.append(([*results, *gradients, *changed], strides))
        for one, other in zip(outcomes[1][0], outcomes[0][0], strict=True):
            torch.testing.assert_close(one, other, rtol=1e-11, atol=1e-11)
        assert outcomes[0][1] == outcomes[1][1]
    fallbacks = {name for version in runner_of(compiled).versions for name, *_ in version.fallbacks}
    assert fallbacks <= OF_PYTORCH or way == "a part is changed"
