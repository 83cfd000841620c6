"""Compiles a model in a process of its own, and prints whether its code was in the cache, and where it is."""

import gc

import rgnn
import torch
from models import inputs, same
from pyg import R, gnn
from rgnn import _compiler


def cached_model():
    """Compiles a model and runs it; gives whether the code was in the cache, and its path."""
    gc.collect()  # of a model that is alive the code is shared
    found = []
    stock = _compiler.compile_text
    _compiler.compile_text = lambda *args, **target: found.append(stock(*args, **target)) or found[-1]
    try:
        torch.manual_seed(0)
        model = gnn.RGATConv(16, 20, R, heads=2).double().eval()
        assert same(model, rgnn.compile(model, fullgraph=True), inputs())
    finally:
        _compiler.compile_text = stock
    return found[0]["cached"], found[0]["so"]


if __name__ == "__main__":
    print(*cached_model())
