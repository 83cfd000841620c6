"""rgnn.load: a model from a file, without the compiler."""

from __future__ import annotations

import json
import os
from typing import Any

import torch
from _rgnn_runtime import Model
from torch import Tensor, nn

from .._run.call import run_in_mode
from .calls import make_calls
from .file import opened
from .parameters import add_parameters, check_parameters, slots_of


def load(path: str | os.PathLike, *, model: nn.Module | None = None) -> LoadedModule:
    """Loads a model that ``compiled.save`` wrote, on a machine that needs no compiler.

    This runs code of the file: load what you trust. :func:`rgnn.inspect` runs nothing.

    Args:
        path: the file.
        model: a module whose parameters and buffers, of the names in the file, are used and followed live; by default
            the file's own weights are copied. From a file without weights, parameters are on the ``meta`` device until
            ``load_state_dict(..., assign=True)``.

    Returns:
        A module with the call, the parameters and, if it was compiled for it, the training of the model that was saved.

    Raises:
        LoadError: the file is no saved module, is damaged, or is for another machine or version.
        InputError: ``model`` lacks a parameter, or has one of another shape or dtype.
        FileNotFoundError: there is no such file.
    """
    with opened(path) as file:
        if file.target is None:
            file.load(0)  # fails, and says why
        return LoadedModule(file, model)


class LoadedModule(nn.Module):
    """A model that was loaded; see :func:`load`.

    ``model.train()`` and ``model.eval()`` choose among the modes that it was compiled in before it was saved.
    """

    def __init__(self, file: Model, model: nn.Module | None = None):
        super().__init__()
        self._file, manifest = file, json.loads(file.manifest)
        self._name = manifest["name"]
        if model is None:
            add_parameters(self, file, manifest["parameters"])
        else:
            check_parameters(model, manifest["parameters"])
        # Not a submodule: its names are those of the file, with nothing in front.
        self._live = (self if model is None else model,)
        self._calls = make_calls(file, manifest, self._live[0])
        self.training = self._calls[0].training

    @torch.compiler.disable
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the model that was saved returns.

        Raises:
            InputError: it was not compiled for such arguments or this mode, or a tensor does not fit.
        """
        return run_in_mode(self._calls, self.training, args, kwargs, "saved")

    def extra_repr(self) -> str:
        return f"{self._name}, code for {self._file.target}"

    def __deepcopy__(self, memo: dict) -> LoadedModule:
        memo[id(self)] = other = LoadedModule(self._file)
        # Copied one by one, tied ones together, so that dtypes and whether they want gradients stay.
        for name, slots, value in slots_of(self._live[0]):
            if value is not None:
                owner, _, leaf = name.rpartition(".")
                target = other.get_submodule(owner)
                getattr(target, slots)[leaf] = memo.setdefault(id(value), _copied(value))
        return other.train(self.training)

    def __reduce__(self) -> Any:
        raise TypeError("expected no pickling of a loaded module: its file and its state_dict are what to keep")


def _copied(tensor: Tensor) -> Tensor:
    copy = tensor.detach().clone()
    return nn.Parameter(copy, tensor.requires_grad) if isinstance(tensor, nn.Parameter) else copy
