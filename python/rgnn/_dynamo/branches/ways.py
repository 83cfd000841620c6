"""Which version a call runs, of those that took different ways through the branches of the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.fx import Graph, GraphModule, Node

from ..._capture.places import location_of
from ..functional import value_of
from ..memoize import Memoized
from .asserted import ModelError, NoRowsError
from .decisions import conditions_of, took

_MAX_WAYS = 16  # that a model is compiled for; PyTorch runs calls that go others
_MAX_TOLD = 4  # outcomes of one line
_MAX_WITHOUT_ROWS = 4  # calls, if they are more than a tenth, in which floats pick no rows


class OtherWayError(BaseException):
    """A call takes another way than the version that it was given to, of which nothing has run."""


class Ways:
    """A function that is captured anew for calls that take other ways through its branches.

    Args:
        function: as PyTorch runs it.
        make: makes the function as TorchDynamo runs it, with captures of its own.
        tell: is told that there are too many ways, and what to do; raises that where PyTorch may run nothing.
        give_up: has captures end where the model asks whether floats pick any rows; None where they may not.
    """

    def __init__(self, function: Callable, make: Callable[[], Callable], tell: Callable[[str], None],
                 give_up: Callable[[], None] | None):  # fmt: skip
        self._function, self._make, self._tell, self._give_up = function, make, tell, give_up
        self._calls = self._without_rows = 0
        self._ways = [make()]  # the last one that fitted is the first
        self._is_full = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._calls += 1
        try:
            return self._run(*args, **kwargs)
        except ModelError as error:
            if isinstance(error, NoRowsError):
                self._note_no_rows()
        return self._function(*args, **kwargs)

    def _note_no_rows(self) -> None:
        self._without_rows += 1
        if self._give_up is not None and self._without_rows > max(_MAX_WITHOUT_ROWS, self._calls / 10):
            self._give_up()
            self._ways, self._calls, self._without_rows = [self._make()], 0, 0

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        for way in self._ways:
            try:
                result = way(*args, **kwargs)
            except OtherWayError:
                continue
            if way is not self._ways[0]:
                self._ways.remove(way)
                self._ways.insert(0, way)
            return result
        if len(self._ways) < _MAX_WAYS:
            self._ways.insert(0, self._make())
            return self._ways[0](*args, **kwargs)
        if not self._is_full:
            self._tell(f"calls have gone {_MAX_WAYS} ways through the model's branches on integers, and each is "
                       "compiled apart: PyTorch runs those that go others; without the branches one version does")
            self._is_full = True
        return self._function(*args, **kwargs)


def check_way(module: GraphModule) -> tuple[Callable[[Callable], Callable], list[str]]:
    """Takes the noted conditions out of a graph.

    Returns:
        What makes of the graph as a function one that raises OtherWayError where a condition is not as noted, and the
        conditions for the report, ``"model.py:7: False, True"`` of a loop that runs twice.
    """
    graph = module.graph
    notes = [node for node in graph.nodes if node.target is took]
    if not notes:
        return lambda run: run, []
    conditions, expected = [note.args[0] for note in notes], tuple(note.args[1] for note in notes)
    function, read = conditions_of(graph, conditions, list(map(type, expected)))
    module_of_conditions = GraphModule({}, function)
    # Numbers that a model keeps may be set so that PyTorch does not count it, and are read in each call.
    reads_numbers = any(isinstance(value := given.of(value_of(given.node)), Tensor) and value.is_floating_point()
                        for given in read)  # fmt: skip
    compute = module_of_conditions if reads_numbers else Memoized(module_of_conditions)
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    positions = [(inputs.index(given.node), given) for given in read]
    outcomes: dict[str, list[int]] = {}
    for note in notes:
        outcomes.setdefault(location_of(note) or "unknown line", []).append(note.args[1])
    for note in notes:
        graph.erase_node(note)
    _erase_unused(graph, conditions)
    module.recompile()

    def checked(run: Callable) -> Callable:
        def run_where_it_fits(*given: Any) -> Any:
            if compute(*[what.of(given[position]) for position, what in positions]) != expected:
                raise OtherWayError
            return run(*given)

        return run_where_it_fits

    return checked, [f"{place}: {_tell(found)}" for place, found in outcomes.items()]


def _tell(outcomes: list[int]) -> str:
    are_told = len(outcomes) <= _MAX_TOLD or not all(type(outcome) is bool for outcome in outcomes)
    return ", ".join(map(str, outcomes)) if are_told else f"{sum(outcomes)} of {len(outcomes)} True"


def _erase_unused(graph: Graph, nodes: list[Node]) -> None:
    """Erases nodes, and what they alone are made of, where nothing else reads it."""
    left = list(dict.fromkeys(nodes))
    while left:
        node = left.pop()
        if node.users or node.op == "placeholder" or node.is_impure():
            continue
        read = node.all_input_nodes
        graph.erase_node(node)
        left += [source for source in read if source not in left]

