"""The arguments of a function of the language: who is the graph, and what is read of the others."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from .annotations import Edge, Node, Weight, kind_of
from .elements import Argument
from .graphs import GRAPH_ARGUMENTS, Lists
from .places import refuse
from .program import Data, Value
from .rows import Row
from .tracer import Tracer

_MISSING = object()


class Signature:
    """The parameters of a function but for its graph.

    Attributes:
        names: in order.
        kinds: Node, Edge, Weight; None for modules and fixed values.
        graph: the place of the graph among all parameters.
        positional: how many of them can be given by place.
    """

    def __init__(self, function: Callable):
        parameters = list(_signature_of(function).parameters.values())
        self._name = function.__name__
        for parameter in parameters:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise TypeError(f"{self._name}: expected parameters with names, got {parameter}")
        self.graph = 1 if parameters and parameters[0].name == "self" else 0
        if len(parameters) <= self.graph:
            raise TypeError(f"{self._name}: expected the graph as its first parameter, got none")
        self._graph_name = parameters.pop(self.graph).name
        self.names = [parameter.name for parameter in parameters]
        self.kinds = [kind_of(parameter.annotation) for parameter in parameters]
        self._places = {name: number for number, name in enumerate(self.names)}
        self._defaults = [_MISSING if parameter.default is parameter.empty else parameter.default
                          for parameter in parameters]  # fmt: skip
        self.positional = [parameter.kind != parameter.KEYWORD_ONLY for parameter in parameters].count(True)

    def bind(self, args: tuple, kwargs: dict[str, Any]) -> tuple[Lists, list[Any]]:
        """The graph and the other arguments of a call, in order.

        Raises:
            TypeError: one is missing, or there is none of that name.
        """
        values = list(self._defaults)
        own, given, graph = args, {}, None
        if len(args) > self.graph:
            graph, own = args[self.graph], args[: self.graph] + args[self.graph + 1 :]
        if len(own) > self.positional:
            raise TypeError(f"{self._name}() takes {self.positional} arguments by place and a graph, got {len(own)}")
        values[: len(own)] = own
        for name, value in kwargs.items():
            place = self._places.get(name)
            if place is not None:
                if place < len(own):
                    raise TypeError(f"{self._name}() got several values for argument '{name}'")
                values[place] = value
            elif name in GRAPH_ARGUMENTS:
                given[name] = value
            elif name == self._graph_name:
                graph = value
            else:
                raise TypeError(f"{self._name}() has no argument '{name}', expected {', '.join(self.names)}")
        for name, value in zip(self.names, values):
            if value is _MISSING:
                raise TypeError(f"{self._name}() misses argument '{name}'")
        return Lists.make(graph, given), values

    def key(self, values: list[Any]) -> tuple:
        """What arguments share whose calls are traced once: dtypes, and sizes but for those of the graph."""
        return tuple([_key(kind, value) for kind, value in zip(self.kinds, values)])

    def check(self, values: list[Any]) -> None:
        """Raises TypeError for what is not what the annotation says."""
        for name, kind, value in zip(self.names, self.kinds, values):
            if kind is None and isinstance(value, Tensor):
                raise TypeError(f"{self._name}() argument '{name}': expected an annotation for a tensor, {name}: "
                                "rgnn.Node, rgnn.Edge or rgnn.Weight, got none")  # fmt: skip
            if kind is not None and value is not None and not isinstance(value, Tensor):
                raise TypeError(f"{self._name}() argument '{name}': expected a tensor, got {type(value).__name__}")
            if kind in (Node, Edge) and value is not None and value.dim() == 0:
                raise TypeError(f"{self._name}() argument '{name}': expected rows, got a tensor of one number")


def _signature_of(function: Callable) -> inspect.Signature:
    """With annotations that were kept as text evaluated, where they can be."""
    try:
        return inspect.signature(function, eval_str=True)
    except Exception:  # whatever evaluating them raises
        return inspect.signature(function)


def _key(kind: type | None, value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.dtype, value.shape if kind is Weight else value.shape[1:]
    if isinstance(value, (nn.Module, *_CONTAINERS)):
        return type(value)
    return type(value), value


_CONTAINERS = (list, tuple, dict)


class Reader:
    """Reads what a function took of its arguments.

    Attributes:
        inputs: places of the arguments that are data, in the order of the program.
        weights: of each weight of the program, the place of an argument, and what was taken of it.
        guards: the same of fixed values, with the values.
    """

    def __init__(self, tracer: Tracer):
        self._tracer = tracer
        self.inputs: list[int] = []
        self.weights: list[tuple[int, tuple]] = []
        self.guards: list[tuple[int, tuple, Any]] = []
        self._known: dict[tuple[int, tuple], Row] = {}

    def add(self, place: int, name: str, kind: type | None, value: Any) -> Any:
        """What stands for an argument while the function is traced."""
        if value is None:
            return None
        if kind in (Node, Edge):
            data = Data(name, kind is Edge, tuple(value.shape[1:]), given=True)
            self._tracer.program.data[data.on_edges, name] = data
            self.inputs.append(place)
            return Argument(data)
        return self.take(place, (), name, value)

    def take(self, place: int, path: tuple, name: str, value: Any) -> Any:
        """What stands for a part of an argument."""
        if isinstance(value, Tensor):
            if not value.is_floating_point():
                refuse(f"{name}: expected a tensor of floats, got {value.dtype}")
            if (place, path) not in self._known:
                made = self._tracer.program.weights[name] = Value(tuple(value.shape))
                self.weights.append((place, path))
                self._known[place, path] = Row(self._tracer, made)
            return self._known[place, path]
        if isinstance(value, (nn.Module, *_CONTAINERS)):
            return Part(self, place, path, name, value)
        if isinstance(value, types.MethodType):
            return types.MethodType(value.__func__, Part(self, place, path[:-1], name, value.__self__))
        if path and isinstance(value, (int, float, str, bool, type(None))):
            self.guards.append((place, path, value))
        return value

    def read(self, values: list[Any]) -> list[Tensor]:
        """The weights of a call."""
        return [follow(values[place], path) for place, path in self.weights]

    def holds(self, values: list[Any]) -> bool:
        """Whether what was taken of the arguments is of the same kind now."""
        try:
            return all(same(follow(values[place], path), known) for place, path, known in self.guards)
        except (AttributeError, KeyError, IndexError):
            return False


def same(value: Any, known: Any) -> bool:
    """Whether a fixed value, or the dtype and shape of a weight, are the same."""
    if isinstance(known, tuple):
        return isinstance(value, Tensor) and (value.dtype, value.shape) == known
    return type(value) is type(known) and value == known


def follow(value: Any, path: tuple) -> Any:
    """What a path leads to: steps are names of attributes, and keys, each in a tuple of one."""
    for step in path:
        value = value[step[0]] if isinstance(step, tuple) else getattr(value, step)
    return value


class Part:
    """A module, or another thing that holds parameters, which are read at each call, while a function is traced."""

    def __init__(self, reader: Reader, place: int, path: tuple, name: str, value: Any):
        vars(self).update(_reader=reader, _place=place, _path=path, _name=name, _value=value)

    @property
    def __class__(self) -> type:
        return type(self._value)

    def __getattr__(self, name: str) -> Any:
        if name in ("keys", "values", "items") and hasattr(self._value, name):
            pairs = [(key, self[key]) for key in self._value.keys()]  # noqa: SIM118 - of modules, too
            return lambda: {"keys": list(dict(pairs)), "values": list(dict(pairs).values()), "items": pairs}[name]
        value = getattr(self._value, name)
        return self._reader.take(self._place, (*self._path, name), f"{self._name}.{name}", value)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, Row) or not isinstance(key, (int, str)):
            refuse(f"{self._name}[...]: expected a fixed number or name, got {type(key).__name__}: types pick entries "
                   "of one tensor, [types, ...]; torch.stack makes one")  # fmt: skip
        return self._reader.take(self._place, (*self._path, (key,)), f"{self._name}[{key!r}]", self._value[key])

    def __setattr__(self, name: str, value: Any) -> None:
        refuse(f"{self._name}.{name} = ...: a function changes nothing: expected data, n[\"{name}\"] = ..., or a "
               "variable")  # fmt: skip

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Any:
        keys = hasattr(self._value, "keys")
        return iter(self.keys()) if keys else (self[number] for number in range(len(self._value)))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return type(self._value).forward(self, *args, **kwargs)
