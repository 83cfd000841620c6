"""What a network is given of a module and some of its configurations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from .graphs import ModuleGraph, NodeConfigurations
from .packing import BASE, LEAST
from .prepare import neighbours, pick, prune, spread
from .settings import Settings


def settings_for(modules: Sequence[ModuleGraph], **flags: bool | float) -> Settings:
    """Settings whose sizes are those of modules.

    Args:
        modules: to be trained on.
        flags: further fields of the settings.

    Raises:
        ValueError: there is no module, they differ in kind or number of features, or a field is wrong.
    """
    if not modules:
        raise ValueError("expected modules to be trained on, got none")
    first, highest = modules[0], BASE + LEAST - 1
    for module in modules:
        if isinstance(module.configurations, NodeConfigurations):
            highest = max(highest, module.configurations.packing.most)
        highest = max(highest, int(module.layouts.max(initial=LEAST)))
    settings = Settings(kind=first.kind, numbers=first.numbers.shape[1], layouts=first.layouts.shape[1],
                        fields=first.configurations.fields, categories=highest - LEAST + 1,
                        ops=1 + max(int(module.ops.max(initial=0)) for module in modules), **flags)  # fmt: skip
    for module in modules:
        check_fits(module, settings)
    return settings


def check_fits(module: ModuleGraph, settings: Settings) -> None:
    """Raises ValueError where a network of such settings cannot rank configurations of the module."""
    counts = {"kind": module.kind, "numbers": module.numbers.shape[1], "layouts": module.layouts.shape[1],
              "fields": module.configurations.fields}  # fmt: skip
    for name, count in counts.items():
        if count != getattr(settings, name):
            raise ValueError(f"{module.name}: {name}: expected {getattr(settings, name)}, got {count}")
    if not len(module.ops):
        raise ValueError(f"{module.name}: expected nodes, got none")
    if (op := int(module.ops.max())) >= settings.ops:
        raise ValueError(f"{module.name}: expected kinds of nodes below {settings.ops}, got {op}")
    highest = settings.categories + LEAST - 1
    if (layout := int(module.layouts.max(initial=LEAST))) > highest:
        raise ValueError(f"{module.name}: expected layouts of at most {highest}, got {layout}")


class Inputs:
    """A module as a network sees it; what does not depend on configurations is made once.

    Args:
        module: of the kind and sizes of the settings.
        settings: of the network.

    Raises:
        ValueError: the module does not fit the settings.
    """

    def __init__(self, module: ModuleGraph, settings: Settings):
        check_fits(module, settings)
        self.module = prune(module) if settings.prune else module
        self.times = torch.from_numpy(module.relative_times)
        self._highest = settings.categories + LEAST - 1
        edges = neighbours(self.module.edges) if settings.both_directions else self.module.edges
        self._edges = torch.from_numpy(np.ascontiguousarray(edges))
        self._nodes = (torch.from_numpy(self.module.numbers), torch.from_numpy(self.module.layouts),
                       torch.from_numpy(self.module.ops))  # fmt: skip
        self._pairs: dict[int, tuple[Tensor, Tensor, Tensor]] = {}

    def __len__(self) -> int:
        return len(self.module.configurations)

    @property
    def numbers(self) -> Tensor:
        """``[N, F]``, float32, of the nodes that are kept."""
        return self._nodes[0]

    def at(self, which: np.ndarray) -> tuple[Tensor, ...]:
        """The arguments of a network for some configurations, by their numbers.

        Raises:
            ValueError: a configuration has a value that the network does not know.
        """
        picked = pick(self.module, which)
        if self.module.kind == "tile":
            vectors = torch.from_numpy(np.ascontiguousarray(picked.configurations.features()))
            return (*self._nodes, vectors, *self._structure(1), torch.zeros(len(which), dtype=torch.int64))
        features = spread(picked)
        if (most := int(features.max(initial=LEAST))) > self._highest:
            raise ValueError(f"{self.module.name}: expected configurations of at most {self._highest}, got {most}")
        return (*self._nodes, torch.from_numpy(features).flatten(0, 1), *self._structure(len(which)))

    def _structure(self, count: int) -> tuple[Tensor, Tensor, Tensor]:
        """The edges of as many copies of the graph, and the node and the copy of each of their nodes."""
        if count not in self._pairs:
            nodes, copies = len(self.module.ops), torch.arange(count)
            edges = self._edges[:, None, :] + nodes * copies[None, :, None]
            self._pairs[count] = (edges.flatten(1), torch.arange(nodes).repeat(count), copies.repeat_interleave(nodes))
        return self._pairs[count]
