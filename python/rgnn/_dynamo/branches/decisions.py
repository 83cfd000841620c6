"""TorchDynamo ends a graph where code branches on a tensor, and gives up a frame where it does so in a loop.

``if mask.sum() == 0: continue`` asks for what integers of the call alone decide, ``if seen < most:`` for numbers
that the model keeps. A capture takes the way that the call at hand takes, and the graph notes the condition and what it
was:

    mask = kind == 0                         mask = kind == 0
    if not mask.any():          becomes      any = mask.any(); took(any, True)
        continue                             rows = x[mask]
    rows = x[mask]
"""

from __future__ import annotations

import contextlib
import dis
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, GraphModule, Interpreter, Node
from torch.utils._python_dispatch import TorchDispatchMode

from ..._capture.error import CaptureError
from .. import private
from ..derived import is_known
from ..expressions import expression_of, is_symbolic
from ..functional import value_of
from ..normalise.changes import changed_by
from ..partition import storages
from ..random_draws import is_random
from .asserted import write_assertion, write_error, write_rows_picked
from .squeezed import squeezed

_JUMPS = [code for name, code in dis.opmap.items() if name.startswith("POP_JUMP") and name.endswith(("TRUE", "FALSE"))]


@dataclass
class Given:
    """What a condition reads: an input of the graph, or how long one is along a dimension."""

    node: Node
    dim: int | None = None

    def of(self, value: Any) -> Any:
        return value if self.dim is None else value.shape[self.dim]


def took(condition: Any, outcome: int) -> None:
    """Notes in a graph that a condition was found to be true or not, or what a number is; ``check_way`` takes it
    out."""


@contextlib.contextmanager
def decided(code: Any, picks_rows: bool) -> Iterator[None]:
    """Captures of a function go on behind branches that integers decide; those of what it calls by itself do not, since
    their calls cannot be undone.

    Args:
        code: of the function, whose graph is the first of a call.
        picks_rows: whether they go on behind branches on whether floats pick any rows, too, as if they did.
    """
    kinds = private.InstructionTranslator, private.InliningInstructionTranslator
    stock = [(kind, jump, kind.dispatch_table[jump]) for kind in kinds for jump in _JUMPS]
    number = private.SymNodeVariable
    evaluate, number.evaluate_expr = number.evaluate_expr, _counting(number.evaluate_expr, code)
    for kind, jump, run in stock:
        kind.dispatch_table[jump] = _deciding(run, code, picks_rows)
    try:
        with squeezed(lambda output, condition: _is_open(output, code) and _note_false(output, condition)):
            yield
    finally:
        number.evaluate_expr = evaluate
        for kind, jump, run in stock:
            kind.dispatch_table[jump] = run


def _deciding(run: Callable, code: Any, picks_rows: bool) -> Callable:
    def jump(translator: Any, instruction: Any) -> None:
        if _asks_data(translator):
            following = translator.instructions[translator.instruction_pointer].opname
            is_assertion, is_open = following == "LOAD_ASSERTION_ERROR", _is_open(translator.output, code)
            value = translator.stack[-1]
            outcome = _decide(translator.output, value.as_proxy().node) if is_open and not is_assertion else None
            if outcome is not None:
                translator.output.create_proxy("call_function", took, (value.as_proxy(), outcome), {})
            elif is_open:
                outcome = write_error(translator, instruction)
                if outcome is None and picks_rows:
                    outcome = write_rows_picked(translator)
            if outcome is not None:
                translator.stack[-1] = private.ConstantVariable.create(outcome)
            elif is_assertion and write_assertion(translator, instruction):
                return
        run(translator, instruction)

    return jump


def _counting(evaluate: Callable, code: Any) -> Callable:
    def evaluate_expr(self: Any, *args: Any) -> Any:
        if isinstance(self.sym_num, torch.SymInt) and private.free_unbacked_symbols(self.sym_num):
            output = private.InstructionTranslator.current_tx().output
            number = _decide(output, self.as_proxy().node, int) if _is_open(output, code) else None
            if number is not None and -_MAX_TIMES <= number <= _MAX_TIMES:
                output.create_proxy("call_function", took, (self.as_proxy(), number), {})
                return number
        return evaluate(self, *args)

    return evaluate_expr


_MAX_TIMES = 8  # that a loop of a capture runs: each is captured apart, and so is each number of times


def _asks_data(translator: Any) -> bool:
    """Whether a jump is on what data say."""
    value = translator.stack[-1]
    if isinstance(value, private.SymNodeVariable):
        return bool(private.free_unbacked_symbols(value.sym_num))
    return isinstance(value, private.TensorVariable)


def _is_open(output: Any, code: Any) -> bool:
    """Whether a capture is of a graph that runs before all else."""
    return output.root_tx.f_code is code and len(output.tracers) == 1


def _note_false(output: Any, condition: Node) -> bool:
    """Whether a condition in the middle of a graph is false in the call at hand; the graph notes it."""
    if _decide(output, condition) is not False:
        return False
    with output.graph.inserting_after(condition):
        note = output.graph.call_function(took, (condition, False))
    note.meta = {key: value for key, value in condition.meta.items() if key != "example_value"}
    return True


def _decide(output: Any, condition: Node, kind: type = bool) -> int | None:
    """What a condition, or a number, is in the call at hand; None where other data say so, or it is an error."""
    part = conditions_of(output.graph, [condition], [kind])
    if part is None:
        return None
    given = [_given(node) for node in part[1]]
    if None in given:
        return None
    try:
        with private.unset_fake_temporarily(), torch.no_grad(), _WithoutDraws():
            return Interpreter(GraphModule({}, part[0])).run(*given)[0]
    except Exception:  # it draws; or it is the model's own error, which PyTorch raises
        return None


class _WithoutDraws(TorchDispatchMode):
    """Random numbers, on whatever device, are an error before they are drawn."""

    def __torch_dispatch__(self, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if is_random(function):
            raise CaptureError("it draws random numbers")
        return function(*args, **(kwargs or {}))


def _given(given: Given) -> Any:
    """What the call gives; None where that is not known."""
    value, argument = given.of(value_of(given.node)), given.node.meta.get("grapharg")
    if isinstance(value, torch.SymInt):
        return value.node.hint
    return value if type(value) is int else getattr(argument, "example", None)


def conditions_of(graph: Graph, conditions: list[Node], kinds: list[type]) -> tuple[Graph, list[Given]] | None:
    """The conditions as a function of what the graph is given; None where one depends on anything but integers, sizes
    and single numbers that the model keeps, or sees an input change.

    Args:
        kinds: what each is: bool, or int for a number.
    """
    changes = [(node, places) for node in graph.nodes for changed in changed_by(node) if (places := storages(changed))]
    sizes = _given_sizes(graph)
    needed: set[Node] = set()
    for condition in conditions:
        found = _needed_by(condition, [(change, places) for change, places in changes if change < condition], sizes)
        if found is None:
            return None
        needed |= found
    given = {place for node in needed if node.op == "placeholder" for place in storages(node)}
    if any(change in needed and places & given for change, places in changes):
        return None  # whoever asks must not change it
    function, new, read = Graph(), {}, []
    for node in graph.nodes:
        if node in needed and (node in sizes or node.op == "placeholder"):
            new[node] = function.placeholder(node.name)
            read.append(sizes.get(node) or Given(node))
        elif node in needed:
            new[node] = function.node_copy(node, new.__getitem__)
    function.output(tuple(function.call_function(kind, (new[node],)) for node, kind in zip(conditions, kinds)))
    return function, read


def _given_sizes(graph: Graph) -> dict[Node, Given]:
    """The nodes that are sizes of tensors that the graph is given, whatever numbers these hold."""
    sizes = [(node, expression_of(value)) for node in graph.nodes if is_symbolic(value := value_of(node))]
    places = {expression_of(size): Given(node, dim)
              for node in graph.nodes if node.op == "placeholder" and isinstance(value_of(node), Tensor)
              for dim, size in enumerate(value_of(node).shape)}  # fmt: skip
    return {node: places[size] for node, size in sizes if size in places and node.op != "placeholder"}


def _needed_by(condition: Node, changes: list[tuple[Node, set[int]]], sizes: dict[Node, Given]) -> set[Node] | None:
    """What a condition is made of, with those changes in place that it sees; None where other inputs are among it."""
    found: set[Node] = set()
    left = [condition]
    while left:
        node = left.pop()
        if node in found:
            continue
        if node in sizes:
            found.add(node)
            continue
        if not (_may_decide(value_of(node)) if node.op == "placeholder" else _is_computed(node)):
            return None
        found.add(node)
        left += node.all_input_nodes
        left += [change for change, places in changes if places & storages(node)]
    return found


def _may_decide(value: Any) -> bool:
    if isinstance(value, Tensor):
        is_single = value.dim() == 0 or (value.dim() == 1 and type(value.shape[0]) is int and value.shape[0] == 1)
        return not value.requires_grad and (not value.is_floating_point() or is_single)
    return isinstance(value, int | torch.SymInt)


def _is_computed(node: Node) -> bool:
    return node.op in ("call_function", "call_method") and is_known(node.target)
