"""Attention over neighbours whose heads are joined in front of rows, ``[H * B, L, d]``."""

import copy
import math

import pytest
import rgnn
import torch
import torch.nn.functional as F
from checks import compare, outcome
from rgnn._runner import runner_of
from torch import nn

HEADS, DIM, NEAR = 2, 6, 5


def permuted(q, k, v, mask, drop):
    def join(x):
        return x.permute(2, 0, 1, 3).contiguous().view(-1, x.shape[1], DIM)

    scores = torch.bmm(join(q), join(k).transpose(1, 2)) / math.sqrt(DIM)
    weights = drop(F.softmax(scores.masked_fill(mask.repeat(HEADS, 1, 1), -1e10), dim=2))
    parted = torch.bmm(weights, join(v)).view(HEADS, q.shape[0], 1, DIM)
    return parted.permute(1, 2, 0, 3).contiguous().view(q.shape[0], 1, -1)


def transposed(q, k, v, mask, drop):
    def join(x):
        return x.transpose(1, 2).transpose(0, 1).reshape(HEADS * x.shape[0], x.shape[1], DIM)

    scores = join(q).matmul(join(k).transpose(-2, -1)).mul(0.5).tanh()
    weights = drop(torch.softmax(scores, -1))
    parted = (weights @ join(v)).reshape(HEADS, q.shape[0], 1, DIM)
    return parted.transpose(0, 1).transpose(1, 2).flatten(2)


def added_up(q, k, v, mask, drop):
    def join(x):
        return x.permute(2, 0, 1, 3).reshape(-1, x.shape[1], DIM)

    gates = torch.sigmoid(join(q) * join(k) + 0.5)
    parted = (gates * join(v)).sum(1, keepdim=True).view(HEADS, q.shape[0], 1, DIM)
    return parted.permute(1, 2, 0, 3).reshape(q.shape[0], 1, -1)


def read_otherwise(q, k, v, mask, drop):
    """What is read as rows of heads: PyTorch does it."""
    joined = (q + k.mean(1, keepdim=True)).permute(2, 0, 1, 3).contiguous().view(-1, 1, DIM)
    parted = (joined.relu() + joined.cumsum(0)).view(HEADS, q.shape[0], 1, DIM)
    return parted.permute(1, 2, 0, 3).contiguous().view(q.shape[0], 1, -1)


class Attention(nn.Module):
    def __init__(self, attend, p=0.0):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(DIM, HEADS * DIM) for _ in range(3))
        self.out, self.attend, self.drop = nn.Linear(HEADS * DIM, DIM), attend, nn.Dropout(p)

    def forward(self, x, near, missing):
        count, width = near.shape
        q = self.q(x.unsqueeze(1)).view(count, 1, HEADS, DIM)
        k, v = (lin(x[near]).view(count, width, HEADS, DIM) for lin in (self.k, self.v))
        found = self.attend(q, k, v, missing.unsqueeze(1), self.drop)
        return self.out(found).squeeze(1) + x


def calls(*sizes):
    for count in sizes:
        yield (torch.randn(count, DIM, requires_grad=True), torch.randint(count, (count, NEAR)),
               torch.rand(count, NEAR) < 0.3)  # fmt: skip


WAYS = {each.__name__: each for each in (permuted, transposed, added_up, read_otherwise)}


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("p", [0.0, 0.4])
@pytest.mark.filterwarnings("ignore:rgnn")
def test_equal_pytorchs(name, p, float64):
    torch.manual_seed(0)
    model = Attention(WAYS[name], p)
    compiled = rgnn.compile(copy.deepcopy(model))
    for training in (True, False):
        model.train(training), compiled.train(training)
        for args in calls(30, 17, 1, 2, HEADS):
            found = []
            for each in (model, compiled):
                torch.manual_seed(3)
                found.append(outcome(each, args))
            compare(found[1], found[0])
    versions = [version for version in runner_of(compiled).versions if not any("!= 1" in why for why in version.why)]
    if name != "read_otherwise":  # TorchDynamo may have one row for a constant
        assert versions[0].regions and not any(version.fallbacks for version in versions)


def join(x):
    return x.permute(2, 0, 1, 3).contiguous().view(-1, x.shape[1], DIM)


def part(joined, rows):
    return joined.view(HEADS, rows, joined.shape[1], DIM).permute(1, 2, 0, 3)


def changed_behind(k, mask):
    joined = join(k)
    k.zero_()
    return part(joined.tanh(), k.shape[0])


def mask_changed_behind(k, mask):
    spread = mask.repeat(HEADS, 1, 1)
    mask.fill_(True)
    return part(join(k).masked_fill(spread.transpose(1, 2), 0.0), k.shape[0])


def result_changed(k, mask):
    found = part(join(k), k.shape[0])
    found.mul_(0)
    return k + found


def in_place(k, mask):
    return part(F.relu(join(k), True), k.shape[0]) + k


def dropped_as_it_lies(k, mask):
    return part(F.dropout(join(k).transpose(1, 2), 0.5).transpose(1, 2).tanh(), k.shape[0])


def named_out_of_order(k, mask):
    one = join(k).transpose(1, 2) @ join(k)
    return part(join(k) @ torch.bmm(mat2=one, input=one.cos()), k.shape[0])


def named(k, mask):
    return part(F.dropout(input=F.softmax(input=join(k), dim=-1), p=0.5), k.shape[0])


def other_heads(k, mask):
    doubled = torch.cat([k, k], 2).permute(2, 0, 1, 3).reshape(-1, k.shape[1], DIM)
    return part(join(k) + doubled[: HEADS * k.shape[0]], k.shape[0])


ODD = (changed_behind, mask_changed_behind, result_changed, in_place, dropped_as_it_lies, named_out_of_order, named,
       other_heads)  # fmt: skip


@pytest.mark.parametrize("way", ODD)
@pytest.mark.filterwarnings("ignore:rgnn")
def test_what_would_be_another_value_behind_rows(way, float64):
    def model(x, near, mask):
        k = x + x[near].mean(1)
        return way(k, mask), mask

    compiled = rgnn.compile(model)
    for rows in (9, 5):
        x, near = torch.randn(rows, NEAR, HEADS, DIM), torch.randint(rows, (rows, NEAR))
        mask, found = torch.rand(rows, 1, NEAR) < 0.3, []
        for each in (model, compiled):
            torch.manual_seed(1)
            given = x.clone().requires_grad_()
            out, left = each(given, near, mask.clone())
            found.append((out, left, *torch.autograd.grad(out.sin().sum(), given)))
        for own, got in zip(*found, strict=True):
            torch.testing.assert_close(got, own)
