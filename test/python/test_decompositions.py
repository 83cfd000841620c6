"""Operators without a rule of their own, which are compiled as others: results and gradients are PyTorch's."""

import copy
import warnings

import pytest
import rgnn
import torch
import torch.nn.functional as F
from torch import nn

# Of rows h and k of eight numbers and a vector w: what has the rows of h.
FUNCTIONS = {
    "choices": {
        "hardswish": lambda h, k, w: F.hardswish(h),
        "softshrink": lambda h, k, w: F.softshrink(h),
        "clamp": lambda h, k, w: torch.clamp(h, min=k, max=w.square()),
        "fmax": lambda h, k, w: torch.fmax(h, k) + torch.fmin(h, w),
        "glu": lambda h, k, w: F.glu(torch.cat([h, k], -1), -1),
        "logit": lambda h, k, w: torch.logit(torch.sigmoid(h)),
        "xlogy": lambda h, k, w: torch.xlogy(h, k.square() + 0.1),
        "any": lambda h, k, w: torch.where((h > 0.5).any(-1, keepdim=True), h, k),
        "all": lambda h, k, w: torch.where((h > -0.5).all(-1, keepdim=True), h, k),
        "expit": lambda h, k, w: torch.special.expit(h),
        "rounded numbers": lambda h, k, w: h * torch.full((1,), 1.7).to(h) + k * torch.full(
            (1,), 1.7, dtype=torch.bfloat16).to(h),
        "numbers of a list": lambda h, k, w: h / torch.Tensor([1.7]).to(h) + k * torch.FloatTensor([0.3] * 8).to(k),
    },
    "counts": {
        "ones": lambda h, k, w: h * (k > 0).int() + (1 - (h > w).long()) * k,
        "how many": lambda h, k, w: h * (k > 0).sum(-1, True).float() + torch.count_nonzero(h.relu(), 1)[:, None],
        "up to each": lambda h, k, w: h * (k > 0).cumsum(1) + (h > w).cumsum(1) / 3,
        "products": lambda h, k, w: torch.where((h > -1).prod(-1, keepdim=True, dtype=torch.uint8).bool(), h, k),
        "compared": lambda h, k, w: torch.where((h > 0).int().sum(1, True) > (k > 0).sum(1, True), h, k),
        "bytes": lambda h, k, w: torch.where(((h > 0).byte() * (k > 0).byte()).bool(), h, k),
        "of halves": lambda h, k, w: torch.stack([(h > 0).long(), (k > 0).long()], 1).amax(1)[:, :4].repeat(1, 2) * h,
    },
    "norms and sums": {
        "cosine": lambda h, k, w: F.cosine_similarity(h, k, dim=-1).unsqueeze(-1) * h,
        "cosine of a dimension": lambda h, k, w: F.cosine_similarity(h, k).unsqueeze(-1) * w,
        "distance": lambda h, k, w: F.pairwise_distance(h, k).unsqueeze(-1) * h,
        "norm 1": lambda h, k, w: h.norm(p=1, dim=-1, keepdim=True) * k,
        "norm 3": lambda h, k, w: h.norm(p=3, dim=-1, keepdim=True) * k,
        "greatest": lambda h, k, w: h.norm(p=float("inf"), dim=-1, keepdim=True) * k,
        "normalised by 1": lambda h, k, w: F.normalize(h, p=1, dim=-1),
        "logsumexp": lambda h, k, w: h.logsumexp(-1, keepdim=True) * k,
        "logaddexp": lambda h, k, w: torch.logaddexp(h, k),
        "std_mean": lambda h, k, w: torch.std_mean(h, -1, keepdim=True)[0] * torch.var_mean(k, -1, keepdim=True)[1],
        "up to each": lambda h, k, w: h.cumsum(1) * k[:, :5].cumprod(-1).sum(1, keepdim=True),
        "inner": lambda h, k, w: torch.inner(h, w).unsqueeze(1) * k,
        "vecdot": lambda h, k, w: torch.linalg.vecdot(h, k).unsqueeze(1) * k,
        "losses": lambda h, k, w: F.mse_loss(h, k, reduction="none") + F.smooth_l1_loss(h, k, reduction="none"),
        "cross entropy": lambda h, k, w: F.binary_cross_entropy_with_logits(h, k.sigmoid(), reduction="none"),
    },
    "losses": {
        "of truths": lambda h, k, w: h * F.binary_cross_entropy_with_logits(k.sum(1), torch.ones(h.shape[0]).to(h)),
        "of probabilities": lambda h, k, w: h * F.binary_cross_entropy(h.sigmoid(), k.sigmoid(), reduction="sum"),
        "distances": lambda h, k, w: h * (F.mse_loss(h, k) + F.l1_loss(h, k) + F.huber_loss(h, k)),
        "of shares": lambda h, k, w: h * F.kl_div(h.log_softmax(1), k.softmax(1), reduction="sum") + F.kl_div(
            h.log_softmax(1), k.log_softmax(1), log_target=True, reduction="none"),
        "of ranks": lambda h, k, w: h * F.margin_ranking_loss(h, k, w.sign().expand_as(h), margin=0.5),
        "triplets": lambda h, k, w: h * F.triplet_margin_loss(h, k, h + k + 1),
        "hinges": lambda h, k, w: h * F.hinge_embedding_loss(h, w.sign().expand_as(h)),
        "soft margins": lambda h, k, w: h * F.soft_margin_loss(h, w.detach().sign().expand_as(h)),
    },
    "orders": {
        "flip": lambda h, k, w: h.flip(-1) * k,
        "roll": lambda h, k, w: h.roll(3, -1) * k,
        "pad": lambda h, k, w: F.pad(h[:, :6], (1, 1), value=0.5) * k,
        "tile": lambda h, k, w: h[:, :2].tile(1, 4) * k,
        "repeated": lambda h, k, w: h[:, :4].repeat_interleave(2, -1) * k,
        "hstack": lambda h, k, w: torch.hstack([h[:, :4], k[:, 4:]]),
        "columns": lambda h, k, w: h[:, [3, 2, 1, 0, 0, -1, 6, 5]] * k,
        "repeated row": lambda h, k, w: w.repeat(h.shape[0], 1) * h + w.view(1, 8).repeat(h.shape[0], 1) * k,
        "repeated rows": lambda h, k, w: torch.zeros_like(h).index_add(
            0, torch.arange(h.shape[0]).repeat(2), torch.cat([h, k]) * (h + k).repeat(2, 1)),
        "repeated in front": lambda h, k, w: h[:, :2].tile(4, 1, 1).transpose(0, 1).flatten(1) * k,
        "copied": lambda h, k, w: h.index_copy(0, torch.arange(h.shape[0]).flip(0), k),
        "put in place of a copy": lambda h, k, w: (h.index_put((torch.arange(h.shape[0]),), k) + w).clamp(-9, 9),
        "put": lambda h, k, w: h.index_put((torch.arange(h.shape[0]).flip(0),), k * h),
        "of a vector": lambda h, k, w: F.linear(w, torch.diag(w) + 1, w).expand(h.shape[0], -1) * h,
        "squeeze": lambda h, k, w: (h @ w.unsqueeze(1)).squeeze().unsqueeze(-1) * k,
        "rows as columns": lambda h, k, w: torch.diag(w).mm(h.t()).t() * k,
    },
    "rows by index": {
        "greatest with what was there": lambda h, k, w: h.scatter_reduce(
            0, twice(h).view(-1, 1).expand(-1, 8), torch.cat([h * w, k]), "amax"),
        "least with what was there": lambda h, k, w: h.index_reduce(0, twice(h), torch.cat([k, h]), "amin"),
        "greatest with a number": lambda h, k, w: torch.full_like(h, 0.5).scatter_reduce(
            0, twice(h).view(-1, 1).expand(-1, 8), torch.cat([h, k]), "amax"),
        "of infinity": lambda h, k, w: torch.full_like(h, float("-inf")).index_reduce(0, twice(h)[:1], h[:1], "amax"
                                                                                     ).exp(),
        "products in space": lambda h, k, w: torch.cross(
            h[:, :6].reshape(-1, 3, 2), k[:, 2:].reshape(-1, 3, 2), dim=1).flatten(1),
    },
    "comparisons": {
        "gathered": lambda h, k, w: torch.where((h > k).index_select(0, twice(h)[::2]), h, w),
        "some gathered": lambda h, k, w: h.masked_fill(
            ~((h.sum(1) > 0)[twice(h)[::2]] & (k.sum(1) <= 0)).unsqueeze(-1), 0.5),
        "of what is broadcast": lambda h, k, w: torch.where(
            (h > k[:, :1]).view(-1, 2, 4), h.view(-1, 2, 4), 0.5).flatten(1) * torch.where((h > w)[:, :1], h, w),
        "joined": lambda h, k, w: torch.where(torch.cat([h[:, :4] > 0, k[:, :4] > w[:4]], 1), h, k),
        "stacked": lambda h, k, w: torch.where(torch.stack([h > 0, k > w], 1), torch.stack([h, k], 1), 0.1).sum(1),
        "turned round": lambda h, k, w: torch.where((h > k).flip(1) & (k > 0).roll(1, 1), h, w),
        "split": lambda h, k, w: torch.cat([h.masked_fill(part, 0) for part in (h > k).chunk(8, 1)[:2]], 1)[:, 4:12],
        "repeated": lambda h, k, w: h.masked_fill((h.sum(1) > 0).view(-1, 1).expand_as(h), 0.2),
        "multiplied": lambda h, k, w: h * ((h > 0) * (k > 0)) + k * ((h > 1) + (k < w)),
        "counted": lambda h, k, w: h * (h > 0).sum(1, keepdim=True) / ((k > w).sum(1, keepdim=True) + 1),
        "close": lambda h, k, w: torch.where(h.isclose(k, atol=0.5), h, w),
    },
    "all rows": {
        "greatest": lambda h, k, w: torch.exp(h - h.max()),
        "least": lambda h, k, w: h - h.min() * k,
        "less each": lambda h, k, w: h.amax(0, keepdim=True) - k + h[:, :1].amin(0, keepdim=True) * k[:, :1],
        "of each column": lambda h, k, w: h - h.amax(0, keepdim=True) * k.amin(0),
        "softmax": lambda h, k, w: h.softmax(0) * F.softmax(k[:, 0], 0).unsqueeze(1),
        "log_softmax": lambda h, k, w: h.log_softmax(0) * torch.log_softmax(k[:, 0], 0).unsqueeze(1),
        "norm": lambda h, k, w: h / h.norm() + k / k.norm(dim=0),
        "of columns": lambda h, k, w: h * (torch.stack([h[:, 0], k[:, 1].sin()]) @ k).amax(0),
        "of columns alone": lambda h, k, w: h * (k.t().tanh() @ torch.stack([h[:, 0], k[:, 1]]).t()).sum(1),
        "outer products": lambda h, k, w: h @ (h.t() @ k),
        "keys and values": lambda h, k, w: torch.einsum(
            "nhd,hde->nhe", h.view(-1, 2, 4), torch.einsum("nhd,nhe->hde", h.view(-1, 2, 4), k.view(-1, 2, 4))
        ).flatten(1),
    },
}  # fmt: skip


def twice(rows):
    return torch.arange(rows.shape[0]).repeat(2)


class Layer(nn.Module):
    """Sums over neighbours of some functions of rows and of rounded ones, of which some are equal, and zero."""

    def __init__(self, functions):
        super().__init__()
        self.functions = functions
        self.first, self.second = nn.Linear(8, 8, bias=False), nn.Linear(8, 8)
        self.w = nn.Parameter(torch.linspace(-1.5, 1, 8))

    def forward(self, x, edge_index):
        src, dst = edge_index
        h = torch.zeros_like(x).index_add(0, dst, self.first(x)[src])
        k = self.second(h).tanh()
        even = torch.zeros_like(x).index_add(0, dst, (x.sign() + (x - x.detach()))[src])
        results = []
        for function in self.functions:
            made = torch.cat([function(h, k, self.w), function(even, even * self.w.sign(), self.w)], -1)
            results.append(torch.zeros_like(made).index_add(0, dst, made[src]))
        return tuple(results)


GRAPHS = [(7, 20), (30, 12), (1, 3), (5, 0)]

BEYOND_FLOATS = {
    "one factor": lambda h, k, w: h * ((h > 0).long() * 16777217 - 16777216),
    "some factors": lambda h, k, w: h * ((k > 0).long() * 4097 * 4097 - 4097 * 4097 + 1),
}  # fmt: skip


@pytest.mark.parametrize("name", BEYOND_FLOATS)
def test_counts_that_floats_cannot_hold(name):
    """PyTorch computes them: as floats of 32 bits they would be rounded."""
    torch.manual_seed(0)
    model = Layer([BEYOND_FLOATS[name]])
    compiled = rgnn.compile(copy.deepcopy(model))
    x, edge_index = torch.randn(7, 8), torch.randint(7, (2, 20))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (own,), (got,) = model(x, edge_index), compiled(x, edge_index)
    torch.testing.assert_close(got, own, rtol=1e-5, atol=1e-5)


@pytest.mark.sample(4)
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_same_as_pytorch(kind):
    torch.manual_seed(0)
    names, functions = zip(*FUNCTIONS[kind].items())
    model = Layer(functions).double()
    whole = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges in GRAPHS:
        # What has one row may be squeezed to none.
        compiled = rgnn.compile(model) if nodes == 1 else whole
        x = torch.randn(nodes, 8, dtype=torch.float64)
        edge_index = torch.randint(nodes, (2, edges))
        for number, name in enumerate(names):
            outcomes = []
            for each in (model, compiled):
                wanting = x.clone().requires_grad_()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore" if nodes == 1 else "error")
                    warnings.filterwarnings("ignore", message="index_reduce.. is in beta")
                    out = each(wanting, edge_index)[number]
                found = torch.autograd.grad(out.sin().sum(), [wanting, *each.parameters()], allow_unused=True)
                outcomes.append([out.detach(), *found])
            for own, got in zip(*outcomes, strict=True):
                assert (own is None) == (got is None), name
                if own is not None:
                    assert torch.equal(own.isnan(), got.isnan()), name
                    own, got = own.nan_to_num(), got.nan_to_num()
                    assert not own.numel() or (own - got).abs().max() <= 1e-9 * max(1, own.abs().max()), name
