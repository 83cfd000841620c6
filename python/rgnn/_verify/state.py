"""What a call of a model reads and may write, as copies that stand in for the real things while PyTorch runs."""

from __future__ import annotations

import contextlib
import copy
import random
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from .._function import Function, Names
from .._run.modes import version_of


class State:
    """Copies of the attributes, parameters and buffers of a model's modules and of a call's arguments.

    Attributes:
        values: of each place, its names and the copies of what they stand for.
        arguments: copies of the positional arguments, and of those by name.
        twins: tensors of the real call, and their copies.
        before: what was copied first: the values and the arguments of the real call.
    """

    def __init__(
        self, places: dict[str, _Place], values: list[dict], arguments: tuple[tuple, dict], wide: bool = False
    ):
        self._places = places
        self.before = values, arguments
        modules = [place.owner for place in places.values() if isinstance(place.owner, nn.Module)]
        self._memo: dict[int, Any] = {id(module): module for module in modules}
        self._leaves: dict[int, Tensor] = {}
        copier = _Copier(self._leaves, wide)
        self.values = [{name: self._copy(value, copier) for name, value in held.items()} for held in values]
        args, kwargs = arguments
        self.arguments = (tuple(self._copy(value, copier) for value in args),
                          {name: self._copy(value, copier) for name, value in kwargs.items()})  # fmt: skip
        # Python's deepcopy keeps what it has copied alive there.
        self._pairs = [(real, self._memo[id(real)]) for real in self._memo.get(id(self._memo), ())
                       if id(real) in self._memo]  # fmt: skip
        self.twins = [(real, twin) for real, twin in self._pairs if isinstance(real, Tensor)]
        if wide:
            for _, twin in self.twins:
                if twin.is_leaf and twin.is_floating_point() and twin.layout is torch.strided:
                    twin.data = twin.data.double()
        self._versions = [version_of(real) for real, _ in self.twins]
        self._sources: dict[int, Any] = {}  # tensors and nodes of autograd that what the call gets was computed from

    @classmethod
    def take(cls, model: nn.Module, args: tuple, kwargs: dict) -> State:
        """That of a call that is about to be made."""
        places = dict(_places(model))
        state = cls(places, [place.read() for place in places.values()], (args, kwargs))
        state._sources = _sources([real for real, _ in state.twins if real.requires_grad and not real.is_leaf])
        return state

    def fresh(self, wide: bool = False) -> State:
        """The same once more, since a run changes what it gets; ``wide``: floats as float64."""
        return self._again(self.arguments, wide)

    def with_arguments(self, arguments: tuple[tuple, dict]) -> State:
        """The same for other arguments."""
        return self._again(arguments, False)

    def _again(self, arguments: tuple[tuple, dict], wide: bool) -> State:
        other = State(self._places, self.values, arguments, wide)
        found = {id(real): twin for real, twin in other.twins}
        other.twins = [(real, found.get(id(twin), twin)) for real, twin in self.twins]
        other._versions, other._sources, other.before = self._versions, self._sources, self.before
        return other

    @contextlib.contextmanager
    def installed(self) -> Iterator[tuple[tuple, dict]]:
        """The model has the copies for what it holds; gives the copied arguments."""
        real = self.read()
        try:
            self.write(self.values)
            yield self.arguments
        finally:
            self.write(real)

    def named(self, values: list[dict]) -> dict[str, dict]:
        """What the places of the model hold, or are to hold, by where it is."""
        return dict(zip(self._places, values))

    def read(self) -> list[dict]:
        """What the model holds now."""
        return [place.read() for place in self._places.values()]

    def write(self, values: list[dict]) -> None:
        """Has the model hold other things."""
        for place, new in zip(self._places.values(), values):
            old = place.read()
            if old.keys() != new.keys() or any(old[name] is not new[name] for name in new):
                place.write(new)

    def wanting(self) -> list[tuple[Tensor, Tensor]]:
        """Tensors of the real call whose gradients can be asked for after it, and the copies to ask for theirs.

        Not those that other tensors of the call were computed from: gradients come to them by these ways as well.
        """
        return [(real, self._leaves.get(id(twin), twin)) for (real, twin), version in zip(self.twins, self._versions)
                if twin.requires_grad and (real.is_leaf or version_of(real) == version)
                and id(real if real.is_leaf else real.grad_fn) not in self._sources]  # fmt: skip

    def restore(self) -> bool:
        """Gives the real things back what they were; False where that cannot be: autograd knows of the change."""
        changed = [(real, twin) for (real, twin), version in zip(self.twins, self._versions)
                   if version_of(real) != version]  # fmt: skip
        if any(real.requires_grad and not real.is_leaf for real, _ in changed):
            return False
        with torch.no_grad():
            for real, twin in changed:
                real.copy_(twin)
        back = {id(twin): real for real, twin in self._pairs}
        for real, twin in self._pairs:
            if not isinstance(real, Tensor):
                _refill(real, twin, lambda value: back.get(id(value), value))
        self.write(self.before[0])
        return True

    def _copy(self, value: Any, copier: _Copier) -> Any:
        """A copy; what has none, such as a lock or a module of Python, stands for itself."""
        try:
            with copier:
                return copy.deepcopy(value, self._memo)
        except Exception:
            return value


class _Copier(TorchFunctionMode):
    """Copies also tensors that autograd has computed, as such; ``leaves`` gets the leaf of each."""

    def __init__(self, leaves: dict[int, Tensor], wide: bool):
        super().__init__()
        self._leaves, self._wide = leaves, wide

    def __torch_function__(self, function: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if function is not Tensor.__deepcopy__ or args[0].is_leaf:
            return function(*args, **(kwargs or {}))
        tensor, memo = args
        if id(tensor) not in memo:
            leaf = tensor.detach().clone()
            leaf = (leaf.double() if self._wide else leaf).requires_grad_(tensor.requires_grad)
            with torch.enable_grad():
                memo[id(tensor)] = leaf.clone()
            self._leaves[id(memo[id(tensor)])] = leaf
        return memo[id(tensor)]


def _sources(tensors: list[Tensor]) -> dict[int, Any]:
    """The leaves, and nodes of autograd, that tensors were computed from, by identity."""
    found: dict[int, Any] = {}
    left = [node for tensor in tensors for node, _ in tensor.grad_fn.next_functions]
    while left:
        node = left.pop()
        if node is not None and id(node) not in found:
            leaf = getattr(node, "variable", node)
            found |= {id(node): node, id(leaf): leaf}
            left += [before for before, _ in node.next_functions]
    return found


def _refill(real: Any, twin: Any, back: Callable) -> None:
    """Gives a container or an object what its copy holds."""
    if type(real) in (list, deque):
        values = [back(value) for value in twin]
        real.clear()
        real.extend(values)
    elif type(real) is set:
        values = {back(value) for value in twin}
        real.clear()
        real.update(values)
    elif isinstance(real, dict):
        values = {back(key): back(value) for key, value in twin.items()}
        real.clear()
        real.update(values)
    elif hasattr(real, "__dict__") and not isinstance(real, type):
        values = {name: back(value) for name, value in vars(twin).items()}
        vars(real).clear()
        vars(real).update(values)


# Where a model keeps things

_HOOKS = {name for name in vars(nn.Module()) if "hook" in name}  # no part of a state


class _Place:
    """The attributes of an object."""

    def __init__(self, owner: Any, held: dict | None = None, names: list[str] | None = None):
        self.owner, self._held, self._names = owner, vars(owner) if held is None else held, names

    def read(self) -> dict[str, Any]:
        names = self._held if self._names is None else self._names
        return {name: self._held[name] for name in names if name not in _HOOKS and name in self._held}

    def write(self, values: dict[str, Any]) -> None:
        for name in self.read().keys() - values.keys():
            del self._held[name]
        self._held.update(values)


class _Cells(_Place):
    """The variables that a function has from the one around it."""

    def __init__(self, cells: list[types.CellType]):
        super().__init__(None, {})
        self._cells = cells

    def read(self) -> dict[str, Any]:
        return {f"variable {number}": cell.cell_contents for number, cell in enumerate(self._cells)}

    def write(self, values: dict[str, Any]) -> None:
        for cell, value in zip(self._cells, values.values()):
            cell.cell_contents = value


def _places(model: nn.Module) -> Iterator[tuple[str, _Place]]:
    for name, module in model.named_modules():
        if not isinstance(module, Function):
            yield name, _Place(module)
    if not isinstance(model, Function):
        return
    names = Names(model.forward)
    for number, value in enumerate(names.fixed):
        if hasattr(value, "__dict__") and not isinstance(value, nn.Module | type):
            yield f"object {number}", _Place(value)
    for number, (known, name) in enumerate(names.globals):
        if not isinstance(known.get(name), _CODE):
            yield f"global {number}", _Place(None, known, [name])
    yield "function", _Cells([cell for cell in names.cells if not isinstance(cell.cell_contents, _CODE)])


_CODE = (types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, nn.Module)


def remember_random_states() -> Callable[[], None]:
    """What gives the generators of PyTorch, Python and NumPy their present state back."""
    import numpy

    torch_state, python_state, numpy_state = torch.get_rng_state(), random.getstate(), numpy.random.get_state()
    gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []

    def restore() -> None:
        torch.set_rng_state(torch_state)
        random.setstate(python_state)
        numpy.random.set_state(numpy_state)
        if gpus:
            torch.cuda.set_rng_state_all(gpus)

    return restore
