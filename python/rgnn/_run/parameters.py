"""Parameters and buffers of a model by name."""

from __future__ import annotations

from torch import Tensor, nn


class ParameterReader:
    """Reads parameters and buffers of a model by name, at each call anew.

    The tensors are looked up in the model each time, so that optimizer steps, ``load_state_dict``
    and replaced parameters or submodules are seen.
    """

    def __init__(self, module: nn.Module, names: list[str]):
        self._module = module
        owners: dict[str, int] = {}
        self._slots: list[tuple[int, str]] = []
        for name in names:
            owner, _, leaf = name.rpartition(".")
            self._slots.append((owners.setdefault(owner, len(owners)), leaf))
        self._owners = [tuple(owner.split(".")) if owner else () for owner in owners]

    def __call__(self) -> list[Tensor]:
        owners = []
        for path in self._owners:
            module = self._module
            for name in path:
                module = module._modules[name]
            owners.append((module._parameters, module._buffers))
        out = []
        for owner, name in self._slots:
            parameters, buffers = owners[owner]
            value = parameters.get(name)
            out.append(buffers[name] if value is None else value)
        return out
