"""Runs a saved module in a process of its own: saved_child.py HOW FILE INPUTS RESULTS."""

import importlib
import pathlib
import sys

import torch
from torch.utils import _pytree as pytree


def load(how, file):
    """A saved module by one of the ways to load it; ``file`` is the package for the last."""
    if how == "load":
        import rgnn

        return rgnn.load(file)
    sys.path.insert(0, str(file.parent))
    if how == "importer":
        import rgnn.importer  # noqa: F401
    module = importlib.import_module(file.stem)
    assert module.load and module.info.trains
    return module.model


def run(model, args, steps=3):
    """Results without gradients, then losses and parameters of a few training steps."""
    with torch.no_grad():
        results = pytree.tree_leaves(model(*args))
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.1), []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = sum((leaf.double() ** 2).mean() for leaf in pytree.tree_leaves(model(*args)))
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return [*results, *losses], model.state_dict()


if __name__ == "__main__":
    how, file, inputs, results = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
    args = torch.load(inputs, weights_only=True)
    torch.save(run(load(how, file), args), results)
    maps = pathlib.Path("/proc/self/maps").read_text()
    assert "_rgnn_runtime" in maps
    assert not any(name in maps for name in ("libLLVM", "libMLIR", "/_rgnn.")), "the compiler is in the process"
    assert "torch_geometric" not in sys.modules
