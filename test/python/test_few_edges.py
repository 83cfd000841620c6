"""Products of picked rows: of those that are picked, where a batch picks few, and of all otherwise."""

import copy

import pytest
import rgnn
import torch
from torch import nn

W = 8


class Decoder(nn.Module):
    """Scores of pairs by a perceptron of both ends, and classes of seeds."""

    def __init__(self):
        super().__init__()
        self.lin, self.head = nn.Linear(W, W), nn.Linear(W, 3)
        self.pairs, self.score = nn.Linear(2 * W, W), nn.Linear(W, 1)

    def forward(self, x, edge_index, pairs, seeds):
        h = x.new_zeros(x.size(0), W).index_add(0, edge_index[1], self.lin(x)[edge_index[0]])
        both = torch.cat([h[pairs[0]], h[pairs[1]]], -1)
        return self.score(self.pairs(both).relu()).view(-1), self.head(h[seeds]), self.head(h[1::2]).sigmoid()


@pytest.mark.parametrize(("count", "of_pairs"), [(4, True), (60, False)])
def test_rows_of_products(count, of_pairs):
    """Those of the first batch decide; others of any size are right, too."""
    torch.manual_seed(0)
    model = Decoder().double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for pairs in (count, 0, 50, 1):
        x, edge_index = torch.randn(20, W, dtype=torch.float64), torch.randint(20, (2, 50))
        args = edge_index, torch.randint(20, (2, pairs)), torch.randint(20, (pairs,))
        outcomes = []
        for each in (model, compiled):
            wanting = x.clone().requires_grad_()
            results = each(wanting, *args)
            loss = sum(result.sin().sum() for result in results)
            outcomes.append([*results, *torch.autograd.grad(loss, [wanting, *each.parameters()])])
        for own, got in zip(*outcomes, strict=True):
            assert torch.allclose(own, got, rtol=1e-10, atol=1e-12)
    assert len(compiled._compiled_call_impl.runner.versions) == 1
    args = x, edge_index, torch.randint(20, (2, count)), torch.randint(20, (count,))
    with torch.no_grad():
        measured = rgnn.profile(compiled, *args, repeat=1)
    # The first layer's, of all nodes; of every other one; and the decoder's.
    rows = [kernel.rows for kernel in measured.kernels if kernel.name == "gemm"]
    assert 10 in rows and set(rows) <= {20, 10, count}
    assert rows.count(count) == (3 if of_pairs else 1)  # scores are always those of pairs
