"""What TorchDynamo hands graphs to."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from torch.fx import GraphModule

from .._capture.error import CaptureError
from .._capture.places import place_of_frames
from .._errors import CompileError, FallbackError, first_line
from .._options import Options
from .._run.memory import Budget
from . import private
from .branches import raise_pythons_errors
from .normalise.contexts import restore_checkpoints
from .planner import Planner
from .regions import CompiledRegion
from .text import name_inputs
from .version import Version


class Backend:
    """What TorchDynamo hands the graphs of one model to.

    Args:
        options, target, fullgraph: as of :func:`rgnn.compile`.
        names: of the positional arguments, where the function that is captured has no names for them.

    Attributes:
        versions: what was made so far.
        budget: what the code of a call may take of memory; None for any number of bytes.
        watch: called with each version that runs, of those that are made once it is set.
    """

    region_type = CompiledRegion

    def __init__(self, options: Options, target: str | None, fullgraph: bool, names: Sequence[str] = ()):
        self._options, self._target, self._fullgraph, self._names = options, target, fullgraph, names
        self.versions: list[Version] = []
        self.watch: Callable[[Version], None] | None = None
        self._few: dict[str, bool] = {}
        self.budget = None if options.memory_budget is None else Budget(options.memory_budget)

    def begin_call(self) -> None:
        """Says that what runs next is another call of the model."""
        if self.budget is not None:
            self.budget.begin_call()

    def __call__(self, module: GraphModule, inputs: list[Any]) -> Callable:
        restore_checkpoints(module)
        name_inputs(module.graph, self._names)
        try:
            planner = Planner(module, self._options, self._target, self._fullgraph, self.region_type, self._few,
                              self.budget)  # fmt: skip
            version = planner.plan()
            version.refused = planner.refused
        except (CompileError, FallbackError) as error:
            error.is_callers = True
            raise
        except CaptureError as error:
            version = self._run_in_pytorch(module, first_line(error), error)
        except Exception as error:  # a fault of RGNN's own is no fault of the model
            version = self._run_in_pytorch(module, f"{type(error).__name__}: {first_line(error)}", error)
        version.branches = module.meta.get("rgnn_branches", [])
        version.why, version.broken = module.meta.get("rgnn_why", []), _describe_break(module)
        self.versions.append(version)
        kept = weakref.ref(version)  # TorchDynamo keeps the function for longer than the model lives
        if self.watch is None:
            return lambda *inputs: kept().run(*inputs)
        return _watched(kept, self.watch)

    def _run_in_pytorch(self, module: GraphModule, reason: str, error: Exception) -> Version:
        if self._fullgraph:
            refusal = FallbackError(reason)
            refusal.is_callers = True
            raise refusal from error
        raise_pythons_errors(module)
        return Version(private.function_of(module), fallbacks=[("", reason, "")])


def _watched(kept: weakref.ref[Version], watch: Callable[[Version], None]) -> Callable:
    def run(*inputs: Any) -> Any:
        version = kept()
        watch(version)
        return version.run(*inputs)

    return run


def _describe_break(module: GraphModule) -> tuple[str, str] | None:
    """Why TorchDynamo ended a graph before the end of the call, and where."""
    found = getattr(module, "compile_subgraph_reason", None)
    if found is None or not found.graph_break:
        return None
    place = place_of_frames(found.user_stack)
    reason = first_line(ValueError(found.reason))
    if reason.startswith("generic_jump"):  # TorchDynamo's words
        reason = "it branches on numbers in a tensor"
    if called := re.search(r"module: ([\w.]+), qualname: ([\w.]+)", found.reason):
        reason = f"it calls {called[1]}.{called[2]}, which TorchDynamo does not trace"
    elif called := re.search(r"builtin operator `(\w+)`", found.reason):
        reason = f"it calls {called[1]}, which TorchDynamo does not trace"
    return reason, f"{place[0]}:{place[1]}" if place else ""
