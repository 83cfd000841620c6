"""Files of what was measured, in the layout of TpuGraphs: a folder for each graph, a file for each module."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..graphs import GraphSpec
from ..rank import tpugraphs
from ..rank.graphs import ModuleGraph, NodeConfigurations
from ..work import Function as Works
from . import features
from .fields import COLUMNS
from .journal import Journal
from .space import Space


def module_of(name: str, space: Space, journal: Journal, works: Works, graph: GraphSpec,
              processor: Sequence[float]) -> ModuleGraph:  # fmt: skip
    """What was measured of a module on a graph.

    Of configurations that become the same code there is one, with the least time. Times are in nanoseconds, and
    corrected by those of the compiler's own configuration: a time is its quotient by what that one took beside it,
    times the median of that.

    Args:
        name: of the module.
        space: its configurations.
        journal: what was measured.
        works: what its kernels do on the graph.
        graph: one of those of the journal.
        processor: numbers of the machine, as of :func:`~rgnn.tune.schedules.features.measure_processor`.

    Raises:
        ValueError: nothing was measured.
    """
    entries = list(journal.measured.values())
    if not entries:
        raise ValueError(f"{name}: expected measured configurations, got none")
    typical = float(np.median([entry.own[graph.name] for entry in entries]))
    times = np.array([entry.seconds[graph.name] / entry.own[graph.name] * typical * 1e9 for entry in entries])
    codes = np.stack([space.codes(entry.configuration) for entry in entries])
    return ModuleGraph(
        name=name, numbers=features.numbers_of(space, works, graph, processor), layouts=features.schemes_of(space),
        ops=features.kinds_of(space), edges=features.edges_of(space),
        configurable=np.array([space.function.kernels[place].op for place in space.kernels], np.int64),
        configurations=NodeConfigurations.of(codes), times=times)  # fmt: skip


def write(folder: Path, module: ModuleGraph, journal: Journal, graph: GraphSpec, about: dict[str, Any]) -> Path:
    """Writes ``folder/graph/module.npz``, and gives its path. Readers see the whole file or what was there before.

    Beside what TpuGraphs has, a file has ``config_noise`` ``[C]``, ``config_of_rules``, the number of the compiler's
    own configuration, and ``about``: JSON that says where, when and how it was made, and what features and columns are.
    """
    entries = list(journal.measured.values())
    names = {"columns": COLUMNS, "numbers": features.NUMBERS, "categories": features.SCHEMES, "kinds": features.OPS}
    more = {"config_noise": np.array([entry.noise[graph.name] for entry in entries], np.float32),
            "config_of_rules": np.array(0),
            "about": np.array(json.dumps(about | {"graph": graph.name} | names))}  # fmt: skip
    path = folder / graph.name / f"{module.name}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        tpugraphs.write(file, module, **more)
    part.replace(path)
    return path
