"""Parameters and buffers of saved modules."""

from __future__ import annotations

import torch
from _rgnn_runtime import Model
from torch import Tensor, nn

from .._errors import InputError
from .structures import dtype_named


def slots_of(model: nn.Module) -> list[tuple[str, str, Tensor]]:
    """Qualified name, ``_parameters`` or ``_buffers``, and tensor of all that a model has."""
    return [
        (f"{prefix}.{name}" if prefix else name, slots, tensor)
        for prefix, module in model.named_modules(remove_duplicate=False)
        for slots in ("_parameters", "_buffers")
        for name, tensor in getattr(module, slots).items()
    ]


def add_parameters(root: nn.Module, file: Model, entries: list[dict]) -> None:
    """Gives a module the parameters and buffers of a file, in submodules by their names.

    Raises:
        ValueError: a tensor is not what the manifest says.
    """
    made: dict[str, Tensor] = {}
    names = set(file.names)
    for entry in entries:
        name, shape, dtype = entry["name"], entry["shape"], dtype_named(entry["dtype"])
        if entry.get("same_as") is not None:
            tensor = made[entry["same_as"]]
        else:
            tensor = file.read(name) if name in names else torch.empty(shape, dtype=dtype, device="meta")
            if list(tensor.shape) != shape or tensor.dtype != dtype:
                raise ValueError(f"{name}: expected {dtype} {shape}, got {tensor.dtype} {list(tensor.shape)}")
            if entry["kind"] == "parameter":
                tensor = nn.Parameter(tensor, requires_grad=entry["requires_grad"])
        made[name] = tensor
        owner, _, leaf = name.rpartition(".")
        module = root
        for part in owner.split(".") if owner else ():
            if part not in module._modules:
                module.add_module(part, nn.Module())
            module = module._modules[part]
        if entry["kind"] == "parameter":
            module.register_parameter(leaf, tensor)
        else:
            module.register_buffer(leaf, tensor, persistent=entry.get("persistent", True))


def check_parameters(model: nn.Module, entries: list[dict]) -> None:
    """Raises InputError where a model does not have the parameters and buffers that a file names."""
    found = {name: tensor for name, _, tensor in slots_of(model)}
    for entry in entries:
        tensor = found.get(entry["name"])
        expected = f"{entry['name']}: expected {entry['dtype']} {entry['shape']}"
        if tensor is None:
            raise InputError(f"{expected} in the model, got none")
        got = f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"
        if list(tensor.shape) != entry["shape"] or got.partition(" ")[0] != entry["dtype"]:
            raise InputError(f"{expected}, got {got}")
