"""All configurations of a module."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from _rgnn import CompileError as CompilerRefusal
from _rgnn import run_pipeline

from .fields import LAYOUTS, codes, fields_of, schedule_of
from .ir import Function, Value, attribute

COLLECTIONS = ("schedule", "layout")
"""What configurations say something of: the schedules of all kernels, or the layout of data."""

FEW = 4096
"""So many configurations are listed; of more, some are drawn."""

Configuration = tuple[int, ...]
"""The place of a value for each dimension of a space."""


@dataclass(frozen=True)
class Dimension:
    """What a configuration chooses.

    Attributes:
        name: of the field.
        kernels: that have the value, by their places; those that share a view of tiles have its rows together. None
            for a field of the layout.
        values: what there is to choose from.
        own: the place of what the compiler's rules choose.
    """

    name: str
    kernels: tuple[int, ...]
    values: tuple[Value, ...]
    own: int


class Space:
    """The configurations of a module, legal or not.

    Args:
        function: the module with the schedules that the compiler's rules choose.
        collection: one of :data:`COLLECTIONS`.

    Attributes:
        kernels: places of configurable kernels: those whose rows are the graph's. Of others, which compute on weights
            alone, schedules stay.
        dimensions: what there is to choose.

    Raises:
        ValueError: another collection.
    """

    def __init__(self, function: Function, collection: str = "schedule"):
        if collection not in COLLECTIONS:
            raise ValueError(f"collection: expected {' or '.join(COLLECTIONS)}, got {collection!r}")
        self.function = function
        listed = function.manifest["kernels"]
        self.kernels = [place for place, kernel in enumerate(function.kernels)
                        if kernel.number < 0 or listed[kernel.number].get("traffic", {}).get("sizes")]  # fmt: skip
        if collection == "layout":
            self.dimensions = [Dimension(name, (), values, 0) for name, values in LAYOUTS.items()]
        else:
            self.dimensions = list(self._of_kernels())

    def _of_kernels(self) -> Iterator[Dimension]:
        kernels, views = self.function.kernels, {}
        for place in self.kernels:
            views.setdefault(kernels[place].tiles, []).append(place)
        for place in self.kernels:
            kernel = kernels[place]
            own = schedule_of(kernel)
            for field in fields_of(kernel):
                together = views[kernel.tiles] if field.name == "tile_rows" and kernel.tiles >= 0 else [place]
                if together[0] != place or not field.matters(self.function, kernel):
                    continue
                values = field.values if own[field.name] in field.values else (*field.values, own[field.name])
                yield Dimension(field.name, tuple(together), values, values.index(own[field.name]))

    def __len__(self) -> int:
        """How many there are, legal or not; more than 2^62 count as that."""
        return min(math.prod(len(dimension.values) for dimension in self.dimensions), 2**62)

    @property
    def own(self) -> Configuration:
        """What the compiler's rules choose."""
        return tuple(dimension.own for dimension in self.dimensions)

    def all(self) -> Iterator[Configuration]:
        """The legal ones."""
        return filter(self.is_legal, itertools.product(*(range(len(one.values)) for one in self.dimensions)))

    def is_legal(self, configuration: Configuration) -> bool:
        """Whether the compiler's verifier takes the schedules."""
        return all(map(_is_legal, map(attribute, (kernel.kind for kernel in self.function.kernels),
                                      self.schedules(configuration))))  # fmt: skip

    def draw(self, random: np.random.Generator) -> Configuration:
        """One at random, legal or not; each value of a field is as likely as the others."""
        return tuple(int(random.integers(len(dimension.values))) for dimension in self.dimensions)

    def change(self, configuration: Configuration, which: Sequence[int], random: np.random.Generator) -> Configuration:
        """The same with another value in some dimensions, by their numbers, where these have another one."""
        changed = list(configuration)
        for number in which:
            count = len(self.dimensions[number].values)
            changed[number] = (changed[number] + int(random.integers(1, max(count, 2)))) % count
        return tuple(changed)

    def schedules(self, configuration: Configuration) -> list[dict[str, Value]]:
        """Of each kernel, all fields."""
        schedules = [schedule_of(kernel) for kernel in self.function.kernels]
        for dimension, place in zip(self.dimensions, configuration, strict=True):
            for kernel in dimension.kernels:
                schedules[kernel][dimension.name] = dimension.values[place]
        return schedules

    def layout(self, configuration: Configuration) -> dict[str, Value]:
        """What is not the default of it."""
        chosen = {dimension.name: dimension.values[place]
                  for dimension, place in zip(self.dimensions, configuration, strict=True)
                  if not dimension.kernels}  # fmt: skip
        return {name: value for name, value in chosen.items() if value != LAYOUTS[name][0]}

    def codes(self, configuration: Configuration) -> np.ndarray:
        """``[K, D]``, int64: of each configurable kernel, :data:`~rgnn.tune.schedules.fields.COLUMNS`."""
        schedules, layout = self.schedules(configuration), self.layout(configuration)
        return np.array([codes(self.function.kernels[place], schedules[place], layout) for place in self.kernels],
                        np.int64).reshape(len(self.kernels), -1)  # fmt: skip


@functools.lru_cache(maxsize=1 << 16)
def _is_legal(schedule: str) -> bool:
    """Whether an attribute can be made."""
    try:
        run_pipeline(f"func.func private @kernel() attributes {{schedule = {schedule}}}", "canonicalize")
    except CompilerRefusal:
        return False
    return True
