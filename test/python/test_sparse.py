"""Sparse matrices that a model is given, holds or makes: products with them are sums over edges."""

import copy
import gc
import warnings

import pytest
import rgnn
import torch
from pyg import gnn
from rgnn import _sparse
from sparse_models import LAYOUTS, SIZES, F, Holder, Maker, Product, compare, dense, ends, matrix, rows
from torch import nn

pytestmark = pytest.mark.filterwarnings("ignore:Sparse", "ignore:Converting sparse", "ignore:.*beta")


class Attention(nn.Module):
    """Weights of the entries that a matrix has, as softmax over its rows."""

    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(F, 1)

    def forward(self, x, adj):
        pairs = adj._indices()
        score = self.lin((x[pairs[0]] * x[pairs[1]]).tanh()).squeeze(-1)
        weights = torch.sparse.softmax(torch.sparse_coo_tensor(pairs, score, adj.shape, is_coalesced=True), dim=1)
        return torch.sparse.mm(weights, x)


PRODUCTS = {
    "spmm": torch.spmm,
    "sparse.mm": torch.sparse.mm,
    "matmul": lambda adj, x: adj @ x,
    "method": lambda adj, x: adj.matmul(x) + adj.mm(x),
    "transposed": lambda adj, x: adj.t() @ x + torch.transpose(adj, 0, 1) @ x,
    "added": lambda adj, x: torch.addmm(x, adj, x, beta=0.5, alpha=2.0),
    "vector": lambda adj, x: torch.mv(adj, x[:, 0]).unsqueeze(1) * x,
    "sums": lambda adj, x: adj @ x * torch.sparse.sum(adj, 1).to_dense().view(-1, 1),
    "sums of columns": lambda adj, x: adj @ x + torch.sparse.sum(adj, [-2]).to_dense().view(-1, 1),
    "sum of all": lambda adj, x: adj @ x + torch.sparse.sum(adj) / 100,
    "parts": lambda adj, x: adj @ x / adj.shape[0] + adj.coalesce().values().sum() / 100,
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name):
    compare(Product(PRODUCTS[name]), [(rows(n), matrix(n, e)) for n, e in SIZES])


@pytest.mark.parametrize("kind", ["unordered", "csr", "csc"])
def test_layouts(kind):
    compare(Product(lambda adj, x: adj @ x), [(rows(n), matrix(n, e, kind)) for n, e in SIZES])


def test_other_numbers_of_rows():
    class Once(nn.Module):
        def forward(self, x, adj):
            return (adj @ x).tanh()

    for kind in ("coo", "csr"):
        compare(Once(), [(rows(n), matrix(n, e, kind, m)) for n, e, m in ((9, 20, 4), (5, 30, 11), (6, 0, 6))])


@pytest.mark.parametrize("is_buffer", [True, False])
@pytest.mark.parametrize("kind", ["coo", "csr"])
def test_held(kind, is_buffer):
    model = Holder(matrix(20, 60, kind), is_buffer)
    compiled = compare(model, [(rows(20)[:1],)] * 2)
    held = model.adj if is_buffer else model.parts[0]
    assert type(held) is torch.Tensor and held.layout is LAYOUTS[kind]  # what it holds is as it was
    held.values().mul_(2)
    scale = rows(1)
    torch.testing.assert_close(compiled(scale), model(scale), rtol=1e-10, atol=1e-12)


CONVS = {
    "gcn": lambda: gnn.GCNConv(F, F),
    "sage": lambda: gnn.SAGEConv(F, F),
    "graph": lambda: gnn.GraphConv(F, F),
    "gin": lambda: gnn.GINConv(nn.Linear(F, F)),
    "tag": lambda: gnn.TAGConv(F, F),
    "appnp": lambda: gnn.APPNP(2, 0.1),
    "le": lambda: gnn.LEConv(F, F),
}


@pytest.mark.sample(7)
@pytest.mark.parametrize("kind", ["coo", "csr"])
@pytest.mark.parametrize("name", CONVS)
def test_layers_of_pyg(name, kind):
    compare(CONVS[name](), [(rows(n), matrix(n, e, kind)) for n, e in SIZES[:4]])


class Relational(nn.Module):
    RELATIONS = ("user", "buys", "item"), ("item", "bought by", "user"), ("user", "knows", "user")

    def __init__(self):
        super().__init__()
        convs = lambda: (gnn.SAGEConv((F, F), F), gnn.GraphConv((F, F), F), gnn.GCNConv(F, F))  # noqa: E731
        self.layers = nn.ModuleList(gnn.HeteroConv(dict(zip(self.RELATIONS, convs()))) for _ in range(2))

    def forward(self, users, items, *adjacencies):
        x = {"user": users, "item": items}
        for layer in self.layers:
            x = {name: h.relu() for name, h in layer(x, dict(zip(self.RELATIONS, adjacencies))).items()}
        return torch.cat([x["user"].mean(0), x["item"].mean(0)])


@pytest.mark.long
def test_relations_between_types():
    compare(Relational(), [(rows(u), rows(i), matrix(u, e, "csr", i), matrix(i, e, "csr", u), matrix(u, e, "csr"))
                           for u, i, e in ((9, 7, 30), (12, 5, 20), (4, 4, 0))])  # fmt: skip


def test_layers_of_pyg_that_keep_what_they_normalise():
    adj = matrix(20, 60, "csr")
    compiled = compare(gnn.GCNConv(F, F, cached=True), [(rows(20), adj)] * 3)
    kept = compiled._cached_edge_index[0]
    assert type(kept) is torch.Tensor and kept.layout is torch.sparse_csr


@pytest.mark.parametrize("after", [torch.sparse.mm, lambda adj, x: adj.coalesce().t() @ x])
def test_made(after):
    compare(Maker(after), [(rows(n), ends(n, e)) for n, e in SIZES])


def test_made_and_taken_apart():
    """What has no rule is PyTorch's, with what stands for a matrix nowhere to be seen."""
    def after(adj, x):
        return adj @ x + (adj @ adj) @ x

    with pytest.warns(UserWarning, match="in PyTorch"):
        compare(Maker(after), [(rows(n), ends(n, e)) for n, e in SIZES[:3]], is_whole=False)


def test_given_back():
    class Both(Maker):
        def forward(self, x, edge_index):
            made = torch.sparse_coo_tensor(edge_index, x[edge_index[0], 0], (x.shape[0], x.shape[0]))
            return made @ self.lin(x), made

    model = Both(None).double()
    args = rows(9), ends(9, 20)
    with pytest.warns(UserWarning, match="in PyTorch"):
        out, made = rgnn.compile(model)(*args)
    assert made.is_sparse and torch.equal(made.to_dense(), model(*args)[1].to_dense())
    assert torch.equal(out, model(*args)[0])


def test_attention_over_entries():
    compare(Attention(), [(rows(n), matrix(n, e)) for n, e in SIZES])


@pytest.mark.parametrize("kind", ["coo", "csr"])
def test_gradients_of_entries(kind):
    adj, x = matrix(9, 30, kind), rows(9)
    model = Product(lambda adj, x: adj @ x).double()
    compiled = rgnn.compile(copy.deepcopy(model))
    grads = []
    for each in (model, compiled):
        leaf = adj.detach().clone().requires_grad_()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # PyTorch runs it
            each(x, leaf).square().sum().backward()
        grads.append(leaf.grad)
    assert grads[0].layout == grads[1].layout
    torch.testing.assert_close(grads[1].to_dense(), grads[0].to_dense(), rtol=1e-10, atol=1e-12)


def test_what_stands_for_a_matrix_is_found_again_and_goes_with_it():
    adj = matrix(9, 30, "csr")
    first = _sparse.stand_in(adj)
    assert _sparse.stand_in(adj) is first
    adj.values().mul_(2)
    assert _sparse.stand_in(adj).entries.equal(adj.values())
    key = id(adj)
    assert key in _sparse._known
    del adj
    gc.collect()
    assert key not in _sparse._known


def test_errors_are_those_of_pytorch():
    model = Product(lambda adj, x: adj @ x)
    for args in ((torch.randn(9, F), matrix(9, 30)), (torch.randn(7, F), matrix(9, 30).float())):
        with pytest.raises(RuntimeError) as own:
            model(*args)
        with pytest.raises(RuntimeError) as got, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rgnn.compile(model)(*args)
        assert str(got.value) == str(own.value)


ODD = {
    "a vector where a matrix is wanted": lambda adj, x: torch.mm(adj, x[:, 0]),
    "a matrix where a vector is wanted": lambda adj, x: torch.mv(adj, x),
    "three dimensions": lambda adj, x: adj @ x.view(1, -1, F),
    "a mean": lambda adj, x: torch.sparse.mm(adj, x.detach(), "mean"),
    "a maximum": lambda adj, x: torch.sparse.mm(adj, x.detach(), "amax"),
    "softmax": lambda adj, x: torch.sparse.softmax(adj, 1) @ x,
    "softmax of no dimension": lambda adj, x: torch.sparse.softmax(adj, 5) @ x,
    "indices": lambda adj, x: x[adj.indices()[0]],
    "values": lambda adj, x: x * adj.values().sum(),
    "indices of a transpose": lambda adj, x: x[adj.t().indices()[0]],
    "columns": lambda adj, x: x[adj.col_indices()],
    "offsets": lambda adj, x: x * adj.crow_indices()[1],
    "a transpose": lambda adj, x: adj.T @ x,
    "a transpose of no dimension": lambda adj, x: torch.transpose(adj, 0, 5) @ x,
    "from the left": lambda adj, x: x.t() @ adj,
    "scaled": lambda adj, x: (adj * 2) @ x,
    "scaled from the left": lambda adj, x: (2 * adj) @ x,
    "scaled by a tensor": lambda adj, x: (adj * x[0, 0].detach()) @ x,
    "by many": lambda adj, x: (adj * x[:, :1].detach()) @ x,
    "divided": lambda adj, x: (-adj / 3) @ x,
    "a divisor": lambda adj, x: (3 / adj) @ x,
    "summed": lambda adj, x: (adj + adj.t()) @ x,
    "summed with a number": lambda adj, x: (adj + 1) @ x,
    "summed with a dense one": lambda adj, x: (adj + x @ x.t()) @ x,
    "summed in place": lambda adj, x: (adj.clone().add_(adj)) @ x,
    "indices of a sum": lambda adj, x: x[(adj + adj.t())._indices()[0]],
    "whole numbers of a sum": lambda adj, x: (adj + adj).to(torch.int64).float() @ x,
    "truths of a sum": lambda adj, x: (adj + adj.t()).coalesce().to(torch.bool).float() @ x,
    "whole numbers and a fraction": lambda adj, x: torch.add(adj.long(), adj.t().long(), alpha=2.5).float() @ x,
    "no number": lambda adj, x: adj.sub(adj.t(), alpha=True) @ x,
    "a sum that is asked": lambda adj, x: x if (adj + adj.t()).is_coalesced() else -x,
    "values of a sum": lambda adj, x: x * (adj + adj).coalesce().values().sum(),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("has_autocast", [False, True])
@pytest.mark.parametrize("kind", ["unordered", "coo", "csr", "csc"])
@pytest.mark.filterwarnings("ignore")
def test_odd_uses(kind, has_autocast):
    """Values, dtypes and errors of PyTorch, whatever it does with a layout."""
    x, adj = rows(9).float(), matrix(9, 30, kind).float()
    for name, function in {**ODD, "product": torch.mm, "sum": torch.addmm}.items():
        given = (lambda adj, x: torch.addmm(x, adj, x)) if function is torch.addmm else function
        outcomes = []
        for call in (given, rgnn.compile(lambda adj, x, given=given: given(adj, x))):
            with torch.autocast("cpu", torch.bfloat16, enabled=has_autocast):
                try:
                    outcomes.append(call(adj, x))
                except Exception as error:
                    outcomes.append(f"{type(error).__name__}: {error}".split("[")[0][:60])
        own, got = outcomes
        assert type(own) is type(got), (name, own, got)
        if isinstance(own, str):
            assert own == got, name
        else:
            assert own.dtype == got.dtype and own.layout == got.layout, name
            torch.testing.assert_close(dense(got), dense(own), rtol=1e-5, atol=1e-6, msg=name)


def test_explained():
    report = rgnn.explain(Product(torch.spmm).double(), rows(9), matrix(9, 30))
    assert report.kernels and not report.fallbacks


class Summed(nn.Module):
    """A matrix whose entries are in no order, some of one place, and what is made of its own entries."""

    def __init__(self, is_dropped):
        super().__init__()
        self.lin, self.is_dropped = nn.Linear(4, 4), is_dropped

    def forward(self, x, ends, weight):
        size = x.shape[0], x.shape[0]
        matrix = torch.sparse_coo_tensor(ends, weight, size).coalesce()
        if self.is_dropped:  # these entries pass no gradient
            matrix = torch.sparse_coo_tensor(matrix._indices(), nn.functional.dropout(matrix._values(), 0.5), size)
            return torch.sparse.mm(matrix, self.lin(x))
        rows, columns = matrix.indices()
        entries = matrix.values() * matrix._values()
        return torch.zeros_like(x).index_add(0, rows, entries[:, None] * self.lin(x)[columns])


@pytest.mark.parametrize("is_dropped", [False, True])
def test_entries_that_are_added_up(is_dropped, strict):
    model = Summed(is_dropped).double()
    compiled = rgnn.compile(model, fullgraph=True)
    for count, edges in ((9, 40), (5, 0), (1, 3), (12, 90)):
        x, ends = torch.randn(count, 4, dtype=torch.float64), torch.randint(count, (2, edges))
        weight, found = torch.randn(edges, dtype=torch.float64).requires_grad_(), []
        for each in (model, compiled):
            torch.manual_seed(count)
            out = each(x, ends, weight)
            found.append((out, *torch.autograd.grad(out.sin().sum(), [weight, *model.parameters()], allow_unused=True)))
        for own, got in zip(*found, strict=True):
            assert (own is None) == (got is None) and (own is None or torch.allclose(own, got, atol=1e-12))


@pytest.mark.parametrize("again", [False, True])
def test_transposes_of_what_is_added_up(again, strict):
    """Entries of the transpose lie as those of the matrix do, until it is coalesced itself."""

    def parts(x, ends, weight):
        turned = torch.sparse_coo_tensor(ends, weight, (x.shape[0], x.shape[0])).coalesce().t()
        known = turned.is_coalesced()
        turned = turned.coalesce() if again else turned
        rows, columns = turned._indices()
        return torch.zeros_like(x).index_add(0, rows, x[columns]), turned._values(), torch.tensor(known)

    compiled = rgnn.compile(parts, fullgraph=True)
    for count, edges in ((9, 40), (5, 12), (12, 90)):  # of no entry or one, PyTorch says that it is coalesced
        args = torch.randn(count, 4), torch.randint(count, (2, edges)), torch.randn(edges)
        for own, got in zip(parts(*args), compiled(*args), strict=True):
            torch.testing.assert_close(got, own)


@pytest.mark.parametrize("aggr", ["mean", "max", "sum"])
@pytest.mark.filterwarnings("ignore:Converting sparse tensor")
def test_aggregations_of_entries_that_are_added_up(aggr, strict):
    """PyG converts to CSR, where two entries of one place are one."""
    model = gnn.SAGEConv(F, F, aggr=aggr).double()
    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges in ((6, 30), (9, 0), (1, 3), (12, 40)):
        adj = torch.sparse_coo_tensor(torch.randint(nodes, (2, edges)), torch.randn(edges, dtype=torch.float64),
                                      (nodes, nodes))  # fmt: skip
        x, found = rows(nodes), []
        for each in (model, compiled):
            with torch.set_grad_enabled(aggr != "max"):
                out = each(x, adj)
            wanted = list(model.parameters()) if aggr != "max" else []
            found.append([out, *(torch.autograd.grad(out.sin().sum(), wanted) if wanted else [])])
        torch.testing.assert_close(*found)


class Returned(nn.Module):
    """Gives back the matrix, and keeps the one of the first call."""

    def __init__(self):
        super().__init__()
        self.lin, self.kept = nn.Linear(F, F), None

    def forward(self, x, adj):
        if self.kept is None:
            self.kept = {"adj": adj}
        return {"h": adj @ self.lin(x), "adj": (adj,)}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_matrices_that_are_given_back(layout):
    compiled = rgnn.compile(Returned().double())
    first = adj = matrix(6, 11, layout)
    for _ in range(3):
        x = rows(6)
        result = compiled(x, adj)
        assert result["adj"][0] is adj and compiled.kept["adj"] is first
        torch.testing.assert_close(result["h"], adj @ compiled.lin(x))
        adj = matrix(6, 11, layout)
    assert rgnn.explain(compiled, x, adj).kernels
