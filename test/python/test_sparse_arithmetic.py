"""Sums and multiples of sparse matrices, their gradients, and what of sparse matrices cannot be captured."""

import warnings

import pytest
import rgnn
import torch
from rgnn._dynamo.limits import MAX_FAILURES
from sparse_models import SIZES, Maker, Product, compare, ends, matrix, rows
from torch import nn

pytestmark = pytest.mark.filterwarnings("ignore:Sparse", "ignore:Converting sparse", "ignore:.*beta")


def test_what_cannot_be_captured_is_not_tried_for_ever():
    """A sparse matrix that the rest of the model gets where its graph breaks."""
    def after(adj, x):
        return torch.zeros_like(x).index_add(0, adj._indices()[0], ((adj @ adj) @ x)[adj._indices()[1]])

    class Before(Maker):
        def forward(self, x, edge_index):
            h = torch.zeros_like(x).index_add(0, edge_index[1], self.lin(x)[edge_index[0]]).relu()
            return super().forward(h, edge_index)

    model = Before(after).double()
    compiled = rgnn.compile(model)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(10):
            x, edge_index = rows(9), ends(9, 30)
            torch.testing.assert_close(compiled(x, edge_index), model(x, edge_index))
    failed = sum("cannot capture it" in str(each.message) for each in told)
    assert 0 < failed <= 2 * MAX_FAILURES  # of what is behind the break, and of what that calls


SUMS = {
    "symmetric": lambda adj, x: (adj + adj.t()) @ x,
    "weighted": lambda adj, x: torch.add(adj, adj.t(), alpha=0.5) @ x - (2 * adj - adj.t() / 3) @ x,
    "coalesced": lambda adj, x: (adj + adj.transpose(0, 1)).coalesce() @ x,
}


@pytest.mark.parametrize("kind", ["coo", "unordered"])
@pytest.mark.parametrize("name", SUMS)
def test_sums_of_matrices(name, kind, strict):
    compare(Product(SUMS[name]), [(rows(n), matrix(n, e, kind)) for n, e in SIZES])


@pytest.mark.filterwarnings("ignore:rgnn")
def test_entries_of_sums_of_matrices():
    def parts(adj, x):
        both = (adj + 2 * adj.t()).coalesce()
        rows, columns = both.indices()
        return torch.zeros_like(x).index_add(0, rows, both.values()[:, None] * x[columns])

    compare(Product(parts), [(rows(n), matrix(n, e)) for n, e in SIZES], is_whole=False)


def test_sum_of_a_matrix_that_is_made(strict):
    """As WGCN has it, with `requires_grad` of entries that have gradients anyway."""
    class Weighted(Maker):
        def __init__(self):
            super().__init__(None)
            self.alpha = nn.Embedding(5, 1)

        def forward(self, x, edge_index, relation):
            size = torch.Size([x.shape[0], x.shape[0]])
            adj = torch.sparse_coo_tensor(edge_index, self.alpha(relation).t()[0], size, requires_grad=True)
            return torch.sparse.mm(adj + adj.transpose(0, 1), self.lin(x))

    compare(Weighted(), [(rows(n), ends(n, e), torch.randint(5, (e,))) for n, e in SIZES])


def weighted(x, edge_index, w):
    return torch.sparse_coo_tensor(edge_index, w * x[edge_index[0], 0], (x.shape[0], x.shape[0]))


def asks(x, edge_index, w):
    adj = weighted(x, edge_index, w)
    return adj @ x * (2.0 if (adj + adj.t()).requires_grad else 3.0)


def sums_without_gradients(x, edge_index, w):
    adj = weighted(x, edge_index, w)
    with torch.no_grad():
        both = adj + adj.t()
    return both @ x


def made_without_gradients(x, edge_index, w):
    values = w * x[edge_index[0], 0]
    with torch.no_grad():
        adj = torch.sparse_coo_tensor(edge_index, values, (x.shape[0], x.shape[0]), requires_grad=True)
    return adj @ x


@pytest.mark.parametrize("model", [asks, sums_without_gradients, made_without_gradients])
@pytest.mark.filterwarnings("ignore:rgnn")
def test_which_entries_have_gradients(model):
    compiled = rgnn.compile(model)
    for n, e in SIZES[:3]:
        x, edge_index, w = rows(n).requires_grad_(), ends(n, e), torch.rand(e, dtype=torch.float64).requires_grad_()
        found = [(out, *torch.autograd.grad(out.sin().sum(), (x, w), allow_unused=True))
                 for out in (model(x, edge_index, w), compiled(x, edge_index, w))]  # fmt: skip
        for own, got in zip(*found, strict=True):
            assert (own is None) == (got is None)
            if own is not None:
                torch.testing.assert_close(got, own)
