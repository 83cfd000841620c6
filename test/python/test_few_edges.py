"""Few edges: lists of them lie in memory as they like, and products are of the rows that are picked."""

import copy

import pytest
import rgnn
import torch
from rgnn._runner import runner_of
from torch import nn

W = 8


class Sum(nn.Module):
    """Sums over a list of edges, whose rows or columns are edges."""

    def __init__(self, of_rows):
        super().__init__()
        self.of_rows, self.lin = of_rows, nn.Linear(W, W)

    def forward(self, x, edges):
        sources, targets = edges.unbind(1) if self.of_rows else edges
        return torch.zeros_like(x).index_add(0, targets, self.lin(x)[sources])


LAYOUTS = {"rows": lambda edges: edges, "columns": lambda edges: edges.t(),
           "turned": lambda edges: edges.t().contiguous()}  # fmt: skip


@pytest.mark.parametrize("counts", [(9, 0, 1, 8), (1, 9, 0), (0, 1, 9)])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("of_rows", [True, False])
def test_layouts(of_rows, layout, counts):
    """Lists of one edge, or none, have other strides, and no capture of their own."""
    shapes = [(count, 2) if of_rows == (layout == "rows") else (2, count) for count in counts]
    lists = [LAYOUTS[layout](torch.randint(12, shape)) for shape in shapes]
    # Of one edge, or none, it is not seen in which way later ones lie.
    check_layouts(Sum(of_rows), lists, most=1 if counts[0] > 1 else 2)


def test_parts_of_lists():
    """Lists with gaps between their rows are captured once more."""
    whole = torch.randint(12, (2, 20))
    check_layouts(Sum(False), [whole[:, :9], whole[:, :0], whole[:, 3:4], whole, torch.randint(12, (2, 7))], most=1)
    check_layouts(Sum(False), [whole, whole[:, :9], whole[:, ::2], whole[:, :1], whole[:, :0]], most=3)


def check_layouts(model, lists, most):
    model = model.double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for edges in lists:
        x = torch.randn(12, W, dtype=torch.float64)
        assert torch.allclose(model(x, edges), compiled(x, edges), rtol=1e-12)
    assert len(runner_of(compiled).versions) <= most


def test_strides_that_are_read():
    class Reads(Sum):
        def forward(self, x, edges):
            return super().forward(x, edges), edges.stride()

    model = Reads(True).double()
    compiled, x = rgnn.compile(model), torch.randn(12, W, dtype=torch.float64)
    for count in (9, 1, 0, 5):
        edges = torch.randint(12, (2, count)).t().contiguous()
        assert compiled(x, edges)[1] == edges.stride()


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
    assert len(runner_of(compiled).versions) == 1
    args = x, edge_index, torch.randint(20, (2, count)), torch.randint(20, (count,))
    with torch.no_grad():
        measured = rgnn.profile(compiled, *args, repeat=1)
    # The first layer's, of all nodes; of every other one; and the decoder's.
    rows = [kernel.rows for kernel in measured.kernels if kernel.name == "gemm"]
    assert 10 in rows and set(rows) <= {20, 10, count}
    assert rows.count(count) == (3 if of_pairs else 1)  # scores are always those of pairs
