"""Runs a model and leaves it as it was."""

from __future__ import annotations

import collections
import contextlib
import random
from collections.abc import Iterator
from typing import Any

import numpy
import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree


def copied(inputs: Any) -> Any:
    """Inputs of a call, whose tensors a model may change."""
    return pytree.tree_map_only(Tensor, lambda x: x.detach().clone().requires_grad_(x.requires_grad), inputs)


@contextlib.contextmanager
def preserved(model: nn.Module) -> Iterator[None]:
    """Gives modules their attributes, parameters and buffers back, and random generators their states.

    Lists, dictionaries and sets that are attributes get their items back; other objects that a model holds are left as
    it leaves them.
    """
    attributes = [(vars(module), dict(vars(module))) for module in model.modules()]
    held = [_Container(value) for _, before in attributes for value in before.values() if type(value) in _CONTAINERS]
    tensors = {id(leaf): leaf for _, before in attributes for leaf in pytree.tree_leaves(list(before.values()))
               if isinstance(leaf, Tensor)}  # fmt: skip
    saved = [_SavedTensor(tensor) for tensor in tensors.values()]
    states = random.getstate(), numpy.random.get_state()
    try:
        with torch.random.fork_rng():
            yield
    finally:
        random.setstate(states[0])
        numpy.random.set_state(states[1])
        for current, before in attributes:
            for name in current.keys() - before.keys():
                del current[name]
            for name, value in before.items():
                if current.get(name) is not value:
                    current[name] = value
        for one in (*held, *saved):
            one.restore()


_CONTAINERS = (list, dict, set, collections.deque, collections.OrderedDict, collections.defaultdict)


class _Container:
    """What is in a list, dictionary or set, and in those in it."""

    def __init__(self, value: Any):
        self._value, self._items = value, value.copy()
        inner = value.values() if isinstance(value, dict) else value
        self._inner = [_Container(item) for item in inner if type(item) in _CONTAINERS]

    def restore(self) -> None:
        value, items = self._value, self._items
        if not _are_same(value, items):
            value.clear()
            (value.update if isinstance(value, (dict, set)) else value.extend)(items)
        for one in self._inner:
            one.restore()


def _are_same(value: Any, items: Any) -> bool:
    """Whether two containers hold the same objects in the same order."""
    if isinstance(value, set):
        return value == items
    if isinstance(value, dict):
        return list(value) == list(items) and all(value[key] is items[key] for key in items)
    return len(value) == len(items) and all(one is other for one, other in zip(value, items))


class _SavedTensor:
    """A tensor's numbers, and its gradient."""

    def __init__(self, tensor: Tensor):
        self._tensor, self._numbers = tensor, _Numbers(tensor)
        self._gradient = tensor.grad if tensor.is_leaf else None
        self._gradient_numbers = None if self._gradient is None else _Numbers(self._gradient)

    def restore(self) -> None:
        self._numbers.restore()
        if self._tensor.is_leaf and self._tensor.grad is not self._gradient:
            self._tensor.grad = self._gradient
        if self._gradient_numbers is not None:
            self._gradient_numbers.restore()


class _Numbers:
    def __init__(self, tensor: Tensor):
        self._tensor = tensor.detach()
        self._copy = self._tensor.clone()
        self._version = None if tensor.is_inference() else self._tensor._version

    def restore(self) -> None:
        # Batch normalisation changes its averages without a word to the version.
        is_changed = self._version is None or self._tensor._version != self._version
        is_sparse = self._tensor.layout is not torch.strided  # no operator compares those
        if is_changed or not is_sparse and not torch.equal(self._tensor, self._copy):
            with torch.inference_mode(self._version is None), torch.no_grad():
                self._tensor.copy_(self._copy)
