"""Lists of edges that are computed before compiled code runs, once for the tensors that they come from."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import graphs
from .plan import Plan, RegionStep, TorchStep


class EdgeLists:
    """Computes the lists from other arguments of compiled code.

    Args:
        sources: positions of these arguments.
        source_names: what they are called.
        plan: the operators, all PyTorch's.

    Attributes:
        names: of each list, an argument that it comes from.
    """

    def __init__(self, sources: list[int], source_names: list[str], plan: Plan):
        self.sources, self.source_names, self.plan = sources, source_names, plan
        self._makers: dict[int, TorchStep | RegionStep] = {n: step for step in plan.steps for n in step.outputs}
        self.names = [self._origin(number) or "edge_index" for number in plan.results]
        self._kept: graphs.Cache = {}

    def find(self, arguments: list[Tensor]) -> list[Tensor]:
        """The lists, computed where they have not been for these tensors.

        Raises:
            IndexError: a number that picks a row is out of range.
        """
        sources = [arguments[position] for position in self.sources]
        key = tuple(map(id, sources))
        lists = graphs.lookup(self._kept, key, sources)
        if lists is None:
            lists = self._compute(sources)
            graphs.keep(self._kept, key, sources, lists)
        return lists

    def _compute(self, sources: list[Tensor]) -> list[Tensor]:
        # Kept for later calls: what inference mode makes could not be.
        with torch.inference_mode(False), torch.no_grad():
            values = self.plan.start(sources)
            for step in self.plan.steps:
                try:
                    step.run(values)
                except (IndexError, RuntimeError) as error:
                    raise IndexError(self._wrong_number(step, values) or str(error)) from error
            return [values[number] for number in self.plan.results]

    def _origin(self, number: int) -> str | None:
        """The argument that a value comes from; for rows that are picked, that of the rows."""
        step = self._makers.get(number)
        if step is None:
            return self.source_names[number]
        return next((name for source in step.inputs if (name := self._origin(source))), None)

    def _wrong_number(self, step: TorchStep, values: list[Any]) -> str:
        """Names the argument that a number out of range is in; empty where it is something else that failed."""
        if step.name != "aten.index_select":
            return ""
        rows, dim, index = step.fill(values)
        count = rows.shape[dim]
        wrong = index[(index < 0) | (index >= count)]
        name = self._origin(step.inputs[-1])
        return f"{name}: expected node indices in [0, {count}), got {wrong[0]}" if len(wrong) else ""
