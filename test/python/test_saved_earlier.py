"""Files that an earlier version wrote still load, and give what the models give in PyTorch.

``data/saved`` holds one file of each model below. They were written by ``write`` when models to save were captured by
``torch.export``, and are not to be written again: a file of a later version is no test of this.
"""

import pathlib

import pytest
import rgnn
import torch
from configurations import METADATA, hetero
from models import Between, Net, inputs
from pyg import R, close, gnn
from torch import nn
from torch.utils import _pytree as pytree

FOLDER = pathlib.Path(__file__).parent / "data" / "saved"


class Numbered(nn.Module):
    """Rows of a weight by numbers, from which a list of edges is made before the code runs."""

    def __init__(self):
        super().__init__()
        self.conv = gnn.FastRGCNConv(23, 8, R)
        self.register_buffer("scale", torch.rand(8))

    def forward(self, numbers, edge_index, edge_type):
        return {"out": self.conv(numbers, edge_index, edge_type) * self.scale, "others": [numbers, (2, None)]}


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = gnn.RGATConv(16, 8, R, heads=2), gnn.RGATConv(16, 7, R)

    def forward(self, x, edge_index, edge_type):
        return self.second(self.first(x, edge_index, edge_type).relu(), edge_index, edge_type)


PAPERS = METADATA["papers"]
WIDTHS = {"paper": 33, "author": 20, "venue": 16}


def numbers():
    _, *edges = inputs()
    return torch.randperm(23, generator=torch.Generator().manual_seed(0)), *edges


class BetweenColumns(Between):
    """As the file has it: the compiler had no rule for what is between the layers."""

    def forward(self, x, edge_index, edge_type):
        return self.second(torch.cumsum(self.first(x, edge_index, edge_type), 1).relu(), edge_index, edge_type)


MODELS = {  # the model, its arguments, and the modes that it was called in
    "rgcn": (Numbered, numbers, ["eval"]),
    "rgat": (Attention, inputs, ["eval", "train"]),
    "hgt": (lambda: gnn.HGTConv(WIDTHS, 8, PAPERS, heads=2), lambda: hetero(PAPERS, WIDTHS, "awkward", torch.float64),
            ["train"]),
    "dropout": (Net, inputs, ["train"]),
    "partly": (BetweenColumns, inputs, ["train"]),
}  # fmt: skip


def step(model, args):
    """Results and gradients of a training step."""
    torch.manual_seed(1)
    results = [leaf for leaf in pytree.tree_leaves(model(*args)) if isinstance(leaf, torch.Tensor)]
    sum((leaf**2).mean() for leaf in results if leaf.requires_grad).backward()
    return [*results, *(parameter.grad for parameter in model.parameters())]


def write(name):
    make, arguments, modes = MODELS[name]
    torch.manual_seed(0)
    model = rgnn.compile(make().double())
    for mode in modes:
        model.train(mode == "train")
        with torch.no_grad():
            model(*arguments())
        if mode == "train":
            step(model, arguments())
    model.save(FOLDER / f"{name}.rgnn")


@pytest.mark.parametrize("name", MODELS)
def test_file(name):
    make, arguments, modes = MODELS[name]
    model, loaded = make().double(), rgnn.load(FOLDER / f"{name}.rgnn")
    model.load_state_dict(loaded.state_dict())
    for mode in modes:
        pairs = []
        for one in (model, loaded):
            torch.manual_seed(2)
            with torch.no_grad():
                results, structure = pytree.tree_flatten(one.train(mode == "train")(*arguments()))
            pairs.append(results + (step(one, arguments()) if mode == "train" else []) + [structure])
        for expected, got in zip(*pairs, strict=True):
            if isinstance(expected, torch.Tensor):
                close(got, expected)
            else:
                assert got == expected


if __name__ == "__main__":
    for name in MODELS:
        write(name)
