"""Lists of rows that are written out for each number of a row, and what PyG puts in the place of torch's functions."""

import subprocess
import sys

import pytest
import rgnn
import torch
from lifting import rows
from pyg import error

WIDTH = 8


def tensor_times(index, like):
    times = torch.prod(torch.tensor(like.shape[1:])).long()
    return index.repeat_interleave(times).view(index.shape[0], *like.shape[1:]).to(like.device)


TABLES = {
    "repeated each": lambda index, like: index.repeat_interleave(WIDTH).view(-1, WIDTH),
    "repeated by a size": lambda index, like: torch.repeat_interleave(index, like.shape[1]).reshape(like.shape),
    "repeated by a tensor": tensor_times,
    "expanded again": lambda index, like: tensor_times(index, like).expand(like.size()),
    "repeated column": lambda index, like: index.view(-1, 1).repeat(1, WIDTH).contiguous(),
    "repeated row": lambda index, like: index.repeat(WIDTH, 1).t(),
    "transposed": lambda index, like: index.unsqueeze(0).repeat(WIDTH, 1).transpose(0, 1).clone(),
    "stacked": lambda index, like: torch.stack([index] * WIDTH, dim=1),
    "stacked rows": lambda index, like: torch.stack([index] * WIDTH).t(),
    "joined": lambda index, like: torch.cat([index[:, None]] * WIDTH, -1),
    "tiled": lambda index, like: index[:, None].tile(1, WIDTH),
    "broadcast": lambda index, like: index.unsqueeze(-1).broadcast_to(like.shape),
}


@pytest.mark.sample(3)
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("adds", [True, False], ids=["added", "greatest"])
def test_equal_pytorchs(table, adds):
    def model(x, edge_index):
        messages = x[edge_index[0]].tanh()
        index, out = table(edge_index[1], messages), torch.zeros_like(x)
        if adds:
            return out.scatter_add_(0, index, messages)
        return out.scatter_reduce(0, index, messages, "amax", include_self=False)

    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges in ((9, 30), (WIDTH, WIDTH), (14, 0)):
        x, edge_index = rows(nodes, WIDTH).requires_grad_(), torch.randint(nodes, (2, edges))
        right, got = (run(x, edge_index) for run in (model, compiled))
        assert error(got, right) <= 1e-12
        (right,), (got,) = (torch.autograd.grad(out.pow(2).sum(), x) for out in (right, got))
        assert error(got, right) <= 1e-12


def test_tables_that_are_none():
    """Another number in each place, other rows than those of the list, and a list that is changed between."""

    def model(x, edge_index):
        messages = x[edge_index[0]]
        each = edge_index[1].unsqueeze(1).repeat(1, WIDTH) * torch.arange(WIDTH).clamp(max=1)
        halves = torch.zeros_like(x).scatter_add(0, edge_index.flatten().repeat_interleave(4).view(-1, WIDTH), messages)
        changed = edge_index[1].clone()
        table = changed.unsqueeze(1).repeat(1, WIDTH)
        changed.zero_()
        return torch.zeros_like(x).scatter_add(0, each, messages) + halves + changed.sum() + torch.zeros_like(
            x).scatter_add(0, table, messages)  # fmt: skip

    compiled = rgnn.compile(model)
    x, edge_index = rows(9, WIDTH), torch.randint(9, (2, 30))
    assert error(compiled(x, edge_index), model(x, edge_index)) <= 1e-12


OTHERS = {
    "rows of a square": lambda x, index: x[:4].gather(0, torch.arange(4).repeat(4, 1)),
    "stacked rows of a square": lambda x, index: x[:4].gather(0, torch.stack([torch.arange(4)] * 4)),
    "changed before it is copied": lambda x, index: x.gather(0, changed(index.view(-1, 1).repeat(1, 4)).clone()),
    "of floats": lambda x, index: x.gather(0, (index * 0.5).view(-1, 1).repeat(1, 4).long()),
    "of truths": lambda x, index: x.gather(0, (index > 2).view(-1, 1).repeat(1, 4).long()),
    "of bytes": lambda x, index: x.gather(0, (index + 256).view(-1, 1).repeat(1, 4).to(torch.uint8).long()),
}


def changed(table):
    table[:, 0] = 0
    return table


@pytest.mark.filterwarnings("ignore:rgnn. ")
@pytest.mark.parametrize("pick", OTHERS.values(), ids=OTHERS)
def test_other_tables(pick):
    def model(x, edge_index):
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        return pick(h, edge_index[0])

    compiled = rgnn.compile(model)
    for nodes in (9, 12):
        x, edge_index = rows(nodes, 4), torch.randint(nodes, (2, 30))
        assert error(compiled(x, edge_index), model(x, edge_index)) <= 1e-12


@pytest.mark.parametrize("first", ["torch_geometric.nn", "rgnn", "torch._dynamo"])
def test_whatever_is_imported_first(first):
    """PyG has its own ``torch.index_select`` and ``torch.select``, functions of torch to TorchDynamo where
    PyG is first."""
    program = f"""
import torch, {first}, torch_geometric.nn, rgnn
def model(x, edge_index, near):
    h = torch.index_select(x, dim=0, index=torch.select(edge_index, 0, 0))
    h = torch.zeros_like(x).index_add(0, edge_index[1], h)
    return torch.index_select(input=h, index=near.view(-1), dim=0).view(*near.shape, -1).tanh().sum(1)
compiled = rgnn.compile(model, fullgraph=True)
for nodes, near in ((9, 3), (11, 4), (7, 5)):
    inputs = torch.randn(nodes, 4), torch.randint(nodes, (2, 30)), torch.randint(nodes, (6, near))
    assert torch.allclose(compiled(*inputs), model(*inputs), atol=1e-5)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and "in PyTorch" not in run.stderr, run.stderr


@pytest.mark.parametrize("count", [lambda batch: batch.max().int() + 1, lambda batch: int(batch.max()) + 1,
                                   lambda batch: int(batch.max() + 1)])  # fmt: skip
def test_readouts_with_counted_rows(count, strict):
    """As Chemprop writes them. An index may be shorter than what is scattered: nothing says that this one is not."""

    def model(x, edge_index, batch):
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]].relu())
        index = batch.unsqueeze(1).repeat(1, WIDTH)
        into = torch.zeros(count(batch), WIDTH, dtype=h.dtype)
        return into.scatter_reduce_(0, index, h, reduce="mean", include_self=False)

    compiled = rgnn.compile(model, fullgraph=True)
    for nodes, edges, graphs in ((9, 30, 3), (20, 50, 4), (2, 3, 1)):
        batch = torch.arange(nodes) * graphs // nodes
        x, edge_index = rows(nodes, WIDTH).requires_grad_(), torch.randint(nodes, (2, edges))
        right, got = (run(x, edge_index, batch) for run in (model, compiled))
        assert error(got, right) <= 1e-12
        (right,), (got,) = (torch.autograd.grad(out.pow(2).sum(), x) for out in (right, got))
        assert error(got, right) <= 1e-12


def test_index_that_is_shorter():
    def model(x, index):
        return torch.zeros_like(x).scatter_add(0, index.view(-1, 1).repeat(1, WIDTH), x.relu())

    compiled = rgnn.compile(model)
    for nodes, picked in ((9, 9), (9, 5), (7, 7), (20, 1), (3, 0)):
        x, index = rows(nodes, WIDTH), torch.randint(nodes, (picked,))
        assert error(compiled(x, index), model(x, index)) <= 1e-12
