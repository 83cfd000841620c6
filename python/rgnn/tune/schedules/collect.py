"""Compiles modules with many configurations and measures them on graphs: ``python -m rgnn.tune schedules``."""

from __future__ import annotations

import fcntl
import functools
import json
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from ..._run.region import Region
from ..graphs import GraphSpec
from ..work import Function as Works
from . import features, files
from .journal import Entry, Journal
from .lower import Lowered, Module, RefusedError
from .modules import cases
from .search import STRATEGIES, propose
from .space import COLLECTIONS, Configuration
from .timing import Times, clock_for, measure

BATCH = 16
"""Configurations that are measured beside each other, and beside the compiler's own."""

REFERENCES = 3
"""So many times is the compiler's own measured among them; the median is what others are compared with."""

DUPLICATES = 6
"""So many times as many configurations as are wanted are looked at, at most: some are refused or become the same
code."""


@dataclass(frozen=True)
class Plan:
    """What is measured, and how.

    Attributes:
        out: the folder of the files.
        modules: names, as of :func:`~rgnn.tune.schedules.modules.names`.
        graphs: that each is measured on.
        configurations: of each module that differ in their code, where there are as many.
        collection: what configurations choose, ``"schedule"`` or ``"layout"``.
        strategy: which ones are taken, ``"uniform"`` or ``"search"``.
        dtype: of rows and weights.
        threads: that kernels run on.
        jobs: compilations at a time.
        seconds: to spend; the batch that is under way then is finished.
        seed: of what is drawn.
        resume: whether to go on with what is there.

    Raises:
        ValueError: a number or word is none that there is.
    """

    out: Path
    modules: tuple[str, ...]
    graphs: tuple[GraphSpec, ...]
    configurations: int = 200
    collection: str = "schedule"
    strategy: str = "uniform"
    dtype: torch.dtype = torch.float32
    threads: int = field(default_factory=torch.get_num_threads)
    jobs: int = field(default_factory=lambda: len(os.sched_getaffinity(0)))
    seconds: float = float("inf")
    seed: int = 0
    resume: bool = False

    def __post_init__(self) -> None:
        for name in ("configurations", "threads", "jobs", "seconds"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name}: expected a positive number, got {getattr(self, name)}")
        for name, known in (("collection", COLLECTIONS), ("strategy", STRATEGIES)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name}: expected {' or '.join(known)}, got {getattr(self, name)!r}")
        for name in ("modules", "graphs"):
            if not getattr(self, name):
                raise ValueError(f"{name}: expected at least one, got none")

    @property
    def folder(self) -> Path:
        """Of the files of this collection."""
        return self.out / f"{self.collection}-{self.strategy}"

    @property
    def fixed(self) -> dict[str, Any]:
        """What has to be the same where a collection is gone on with."""
        return {"graphs": [graph.name for graph in self.graphs], "dtype": str(self.dtype).removeprefix("torch."),
                "threads": self.threads, "seed": self.seed, "processor": features.processor_name()}  # fmt: skip


@dataclass(frozen=True)
class Summary:
    """What came of a collection.

    Attributes:
        done: modules that all configurations were measured of.
        files: written.
        configurations: measured in this run.
        noise: the median of all configurations and graphs of the modules that this run measured.
    """

    done: int
    files: list[Path]
    configurations: int
    noise: float


def collect(plan: Plan, *, progress: bool = False) -> Summary:
    """Measures until all is done or the time is up.

    What was measured is kept in ``plan.out/journal`` batch by batch, so that an interruption costs the one that was
    under way. Files are written when a module is done, or the time is up.

    Raises:
        ValueError: the folder has measurements, and the plan does not say to go on; they are of another plan; or
            another program writes them.
    """
    end, written, noises, done, before = time.monotonic() + plan.seconds, [], [], 0, torch.get_num_threads()
    torch.set_num_threads(plan.threads)
    try:
        with _locked(plan) as processor, ThreadPoolExecutor(plan.jobs) as pool, torch.no_grad(), \
                tqdm(total=len(plan.modules) * plan.configurations, disable=not progress, unit="configuration",
                     smoothing=0.05) as bar:  # fmt: skip
            for name in plan.modules:
                if time.monotonic() > end:
                    break
                bar.set_description(name)
                one = _Collector(plan, name, pool, processor)
                bar.update(len(one.journal.measured))
                before_this = len(one.journal.measured)
                done += one.run(end, bar)
                if len(one.journal.measured) > before_this or not one.has_files:
                    written += one.write()
                noises += [noise for entry in list(one.journal.measured.values())[before_this:]
                           for noise in entry.noise.values()]  # fmt: skip
    finally:
        torch.set_num_threads(before)
    return Summary(done, written, len(noises) // len(plan.graphs), float(np.median(noises)) if noises else 0.0)


class _Collector:
    """Of one module."""

    def __init__(self, plan: Plan, name: str, pool: Executor, processor: Sequence[float]):
        self._plan, self._pool, self._name, self._processor = plan, pool, name, processor
        with torch.enable_grad():
            captured = list(cases(name, plan.graphs, plan.dtype))
        self._inputs = [case.tensors for case in captured]
        self._module = Module(name, captured[0].text, plan.collection)
        dimensions = [[one.name, one.kernels, one.values] for one in self._module.space.dimensions]
        path = plan.out / "journal" / plan.folder.name / f"{name}.jsonl"
        self.journal = Journal(path, {"module": name, "rules": self._module.own.key, "dimensions": dimensions})

    @functools.cached_property
    def _own(self) -> Region:
        return self._module.compile(self._module.own)

    @property
    def has_files(self) -> bool:
        return all((self._plan.folder / graph.name / f"{self._name}.npz").exists() for graph in self._plan.graphs)

    def run(self, end: float, bar: tqdm) -> bool:
        """Measures until there is enough, or the time is up; whether there is."""
        most = self._plan.configurations
        while (have := len(self.journal.measured)) < most and len(self.journal.entries) < DUPLICATES * most:
            if time.monotonic() > end and have:
                return False
            seed = [self._plan.seed, zlib.crc32(self._name.encode())]
            count = min(BATCH, most - have)
            batch = propose(self._plan.strategy, self._module.space, self.journal.costs, count, seed)
            if not batch:
                break
            self.journal.add(list(self._measure(batch)))
            bar.update(len(self.journal.measured) - have)
            bar.set_postfix(best=f"{min(self.journal.costs.values()):.3f}")
        bar.update(max(most - len(self.journal.measured), 0))
        return True

    def _measure(self, batch: list[Configuration]) -> Iterator[Entry]:
        known, codes, others = self.journal.measured, {}, []
        for configuration, lowered in zip(batch, self._pool.map(self._lower, batch)):
            if isinstance(lowered, RefusedError):
                yield Entry(configuration, refused=str(lowered))
            elif lowered.key in known or lowered.key in codes:
                others.append(Entry(configuration, lowered.key))
            else:
                codes[lowered.key] = configuration, lowered
        regions = {}
        for key, region in zip(codes, self._pool.map(self._compile, [lowered for _, lowered in codes.values()])):
            if isinstance(region, RefusedError):
                yield Entry(codes[key][0], refused=str(region))
                others = [entry for entry in others if entry.key != key]
            else:
                regions[key] = region
        times = self._times(list(regions.values())) if regions else {}
        for place, key in enumerate(regions, REFERENCES):
            own = {graph: float(np.median(one.seconds[:REFERENCES])) for graph, one in times.items()}
            seconds, noise = ({graph: float(getattr(one, what)[place]) for graph, one in times.items()}
                              for what in ("seconds", "noise"))  # fmt: skip
            yield Entry(codes[key][0], key, seconds=own if key == self._module.own.key else seconds, own=own,
                        noise=noise)  # fmt: skip
        yield from others

    def _times(self, regions: list[Region]) -> dict[str, Times]:
        """On each graph, behind those of the compiler's own."""
        clock, times = clock_for(self._plan.threads), {}
        for graph, tensors in zip(self._plan.graphs, self._inputs):
            programs = [functools.partial(region.run, tensors) for region in [self._own] * REFERENCES + regions]
            times[graph.name] = measure(programs, clock=clock)
        return times

    def _lower(self, configuration: Configuration) -> Lowered | RefusedError:
        try:
            return self._module.lower(configuration)
        except RefusedError as refused:
            return refused

    def _compile(self, lowered: Lowered) -> Region | RefusedError:
        if lowered.key == self._module.own.key:
            return self._own
        try:
            return self._module.compile(lowered)
        except RefusedError as refused:
            return refused

    def write(self) -> list[Path]:
        """The files, of each graph; none where all configurations are the same code, and there is nothing to rank."""
        plan, space, written = self._plan, self._module.space, []
        if len(self.journal.measured) < 2:
            return written
        about = {"module": self._name, "collection": plan.collection, "strategy": plan.strategy, **plan.fixed,
                 "date": time.strftime("%Y-%m-%d"), "space": len(space)}  # fmt: skip
        for graph, tensors in zip(plan.graphs, self._inputs):
            works = Works(space.function.manifest, tensors)
            module = files.module_of(self._name, space, self.journal, works, graph, self._processor)
            written.append(files.write(plan.folder, module, self.journal, graph, about))
        return written


@contextmanager
def _locked(plan: Plan) -> Iterator[list[float]]:
    """Makes the folder, says in it what is fixed, and keeps other programs out. Gives numbers of the processor, which
    are measured once for a collection."""
    plan.out.mkdir(parents=True, exist_ok=True)
    path = plan.out / f"{plan.folder.name}.json"
    with path.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(f"{path}: expected a file that nobody uses, got one that another program does") from None
        file.seek(0)
        text = file.read()
        if text and not plan.resume:
            raise ValueError(f"{plan.out}: expected a folder without a {plan.folder.name} collection, or --resume to "
                             f"go on with it")  # fmt: skip
        if not text:
            text = json.dumps(plan.fixed | {"numbers": features.measure_processor(plan.threads)}) + "\n"
            file.write(text)
            file.flush()
        known = json.loads(text)
        for name, value in plan.fixed.items():
            if known.get(name) != value:
                raise ValueError(f"{path}: {name}: expected {known.get(name)}, as it was before, got {value}")
        yield known["numbers"]
