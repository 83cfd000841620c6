"""Attention among the hops of each node, by PyTorch's own layers and functions, is compiled with what is around it."""

import copy

import pytest
import rgnn
import torch
import torch.nn.functional as F
from checks import seeded
from pyg import error, random_graph, rows
from rgnn._runner import runner_of
from torch import nn

WIDTH = 8
TRUTHS = torch.tensor([[0, 1, 0], [0, 0, 1], [1, 0, 0]]).bool()


def multi_head(**settings):
    return nn.MultiheadAttention(WIDTH, 2, **{"batch_first": True, **settings})


def pad(hops):
    padding = hops.sum(-1) < -2
    return padding & ~padding.all(1, keepdim=True)


def split(hops):
    return hops.unflatten(-1, (2, WIDTH // 2)).transpose(1, 2)


def read_entries_first(layer, hops):
    entries = hops.transpose(0, 1)
    return layer(entries, entries, entries)[0].transpose(0, 1)


def encoder(**settings):
    return nn.TransformerEncoderLayer(WIDTH, 2, 16, batch_first=True, **settings)


# A layer, and how it reads the hops, [N, 3, WIDTH], of all nodes; each gives rows [N, L, any width].
WAYS = {
    "itself": (multi_head(), lambda layer, h: layer(h, h, h, need_weights=False)[0]),
    "weights": (multi_head(), lambda layer, h: torch.cat(layer(h, h, h), -1)),
    "weights of heads": (multi_head(bias=False), lambda layer, h: layer(h, h, h, average_attn_weights=False)[1].sum(2)),
    "entries first": (multi_head(batch_first=False), read_entries_first),
    "other widths": (multi_head(kdim=4, vdim=6), lambda layer, h: layer(h[:, :1], h[..., :4], h[..., 2:])[0]),
    "added": (multi_head(), lambda layer, h: layer(h, h, h, attn_mask=-TRUTHS.to(h.dtype))[0]),
    "masked": (multi_head(), lambda layer, h: layer(h, h, h, attn_mask=TRUTHS, need_weights=False)[0]),
    "padded": (multi_head(), lambda layer, h: layer(h, h, h, key_padding_mask=pad(h))[0]),
    "dropped": (multi_head(dropout=0.5), lambda layer, h: layer(h, h, h)[0]),
    "twice": (multi_head(), lambda layer, h: layer(*[layer(h, h, h)[0] + h] * 3)[0]),
    "function": (None, lambda _, h: F.scaled_dot_product_attention(*[split(h)] * 3).transpose(1, 2).flatten(2)),
    "scaled": (None, lambda _, h: F.scaled_dot_product_attention(*[split(h)] * 3, scale=0.3, attn_mask=TRUTHS).sum(1)),
    "causal": (None, lambda _, h: F.scaled_dot_product_attention(h, h, h, is_causal=True)),
    "encoder": (encoder(dropout=0.0), lambda layer, h: layer(h)),
    "encoder of norms": (encoder(dropout=0.5, norm_first=True, activation="gelu"), lambda layer, h: layer(h)),
    "encoders": (nn.TransformerEncoder(encoder(), 2), lambda layer, h: layer(h)),
}


class Hops(nn.Module):
    def __init__(self, layer, read):
        super().__init__()
        self.layer, self.read = layer, read

    def forward(self, x, edge_index):
        hops = [x]
        for _ in range(2):
            hops.append(torch.zeros_like(x).index_add(0, edge_index[1], hops[-1][edge_index[0]]).tanh())
        return self.read(self.layer, torch.stack(hops, 1)).mean(1)


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.sample(4)
@pytest.mark.parametrize("name", WAYS)
def test_like_pytorch(name, float64, tmp_path):
    """Values and gradients, with the same draws of dropout, for several sizes; in evaluation, too; and saved."""
    layer, read = WAYS[name]
    model = Hops(copy.deepcopy(layer), read).double()
    compiled = rgnn.compile(copy.deepcopy(model), fullgraph=True)
    for nodes, edges in ((7, 20), (5, 9), (9, 0), (1, 3)):
        outcomes = []
        given, edge_index = rows(nodes, WIDTH), random_graph(nodes, edges)[1]
        for call in (model, compiled):
            x = given.clone().requires_grad_()
            out = seeded(call)(x, edge_index)
            outcomes.append((out, *torch.autograd.grad(out.tanh().sum(), [x, *call.parameters()], allow_unused=True)))
        for own, got in zip(*outcomes, strict=True):
            assert (own is None) == (got is None)
            assert own is None or error(got.detach(), own.detach()) <= 1e-10
    versions = runner_of(compiled).versions
    assert all(len(version.regions) == 1 for version in versions) and len(versions) == 1
    model.eval(), compiled.eval()
    with torch.no_grad():
        for nodes in (7, 4):
            x, edge_index = rows(nodes, WIDTH), random_graph(nodes, 3 * nodes)[1]
            assert error(compiled(x, edge_index), model(x, edge_index)) <= 1e-10
    compiled.save(tmp_path / "hops.rgnn")
    assert error(rgnn.load(tmp_path / "hops.rgnn").eval()(x, edge_index), model(x, edge_index)) <= 1e-10
