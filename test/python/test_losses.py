"""Losses of class numbers inside of a model, and of training steps: compiled with what is around them."""

import copy

import pytest
import rgnn
import torch
import torch.nn.functional as F
from torch import nn

W = 8
CLASS_WEIGHTS = {classes: torch.rand(classes, dtype=torch.float64) for classes in (3, 20)}


class Step(nn.Module):
    """A layer, a head of some classes, and a loss of them."""

    def __init__(self, loss, classes):
        super().__init__()
        self.lin, self.head, self.loss = nn.Linear(W, W), nn.Linear(W, classes), loss

    def forward(self, x, edge_index, y, kept):
        h = x.new_zeros(x.size(0), W).index_add(0, edge_index[1], self.lin(x)[edge_index[0]])
        return self.loss(self.head(h), y, kept)


LOSSES = {
    "mean": lambda h, y, kept: F.cross_entropy(h, y),
    "sum": lambda h, y, kept: F.nll_loss(h.log_softmax(-1), y, reduction="sum"),
    "none": lambda h, y, kept: F.cross_entropy(h, y, reduction="none"),
    "of some": lambda h, y, kept: F.cross_entropy(h[kept], y[kept]),
    "of a list": lambda h, y, kept: F.cross_entropy(h[torch.arange(h.size(0)).flip(0)], y),
    "chosen from a list": lambda h, y, kept: F.nll_loss(h.log_softmax(1)[torch.arange(h.size(0)).flip(0)], y),
    "left out": lambda h, y, kept: F.cross_entropy(h, torch.where(kept, y, -100)),
    "weights": lambda h, y, kept: F.cross_entropy(h, y, CLASS_WEIGHTS[h.size(1)], ignore_index=1),
    "smoothed": lambda h, y, kept: F.cross_entropy(h, y, label_smoothing=0.2, ignore_index=1),
    "smoothed, weights": lambda h, y, kept: F.cross_entropy(
        h, y, CLASS_WEIGHTS[h.size(1)], label_smoothing=0.2, reduction="sum"
    ),
    "gather": lambda h, y, kept: h.softmax(-1).gather(1, y[:, None]).squeeze(1).log().mean(),
    "batchmean": lambda h, y, kept: F.kl_div(h.log_softmax(1), F.one_hot(y, h.size(1)) * 0.9, reduction="batchmean"),
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("classes", [3, 20])
@pytest.mark.parametrize("name", LOSSES)
def test_equal(name, classes):
    torch.manual_seed(0)
    model = Step(LOSSES[name], classes).double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges in ((9, 30), (4, 0), (1, 2), (20, 41), (0, 0)):
        x = torch.randn(nodes, W, dtype=torch.float64)
        edge_index, y = torch.randint(max(nodes, 1), (2, edges)), torch.randint(classes, (nodes,))
        outcomes = []
        for each in (model, compiled):
            wanting = x.clone().requires_grad_()
            loss = each(wanting, edge_index, y, torch.arange(nodes) % 3 != 1)
            outcomes.append([loss.detach(), *torch.autograd.grad(loss.sum(), [wanting, *each.parameters()])])
        for own, got in zip(*outcomes, strict=True):
            assert torch.allclose(own, got, rtol=1e-10, atol=1e-12, equal_nan=True)
    assert len(compiled._compiled_call_impl.runner.versions) == 1


@pytest.mark.parametrize("wrong", [-1, 3])
def test_no_such_class(wrong):
    model = Step(LOSSES["mean"], 3).double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    args = torch.randn(5, W, dtype=torch.float64), torch.randint(5, (2, 9)), torch.tensor([0, 1, 2, 0, wrong]), None
    with pytest.raises(IndexError):
        model(*args)
    with pytest.raises(rgnn.InputError, match=rf"expected classes in \[0, 3\), got {wrong}"):
        compiled(*args)


class Links(nn.Module):
    """Scores of given pairs and of others, in one loss."""

    def __init__(self, joins_edges):
        super().__init__()
        self.lin, self.joins_edges = nn.Linear(W, W), joins_edges

    def forward(self, x, edge_index, others):
        h = x.new_zeros(x.size(0), W).index_add(0, edge_index[1], self.lin(x)[edge_index[0]])
        ones, zeros = x.new_ones(edge_index.size(1)), x.new_zeros(others.size(1))
        if self.joins_edges:
            pairs = torch.cat([edge_index, others], dim=-1)
            scores = (h[pairs[0]] * h[pairs[1]]).sum(-1)
        else:
            scores = torch.cat([(h[ends[0]] * h[ends[1]]).sum(-1) for ends in (edge_index, others)])
        return F.binary_cross_entropy_with_logits(scores, torch.cat([ones, zeros]))


@pytest.mark.parametrize("joins_edges", [False, True])
def test_pairs_of_two_lists(joins_edges):
    torch.manual_seed(0)
    model = Links(joins_edges).double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges, others in ((9, 30, 12), (4, 3, 3), (20, 1, 41), (5, 0, 2), (3, 2, 0)):
        x = torch.randn(nodes, W, dtype=torch.float64)
        args = torch.randint(nodes, (2, edges)), torch.randint(nodes, (2, others))
        outcomes = []
        for each in (model, compiled):
            wanting = x.clone().requires_grad_()
            loss = each(wanting, *args)
            outcomes.append([loss.detach(), *torch.autograd.grad(loss, [wanting, *each.parameters()])])
        for own, got in zip(*outcomes, strict=True):
            assert torch.allclose(own, got, rtol=1e-10, atol=1e-12)
    assert len(compiled._compiled_call_impl.runner.versions) == 1
