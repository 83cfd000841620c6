"""Parts of TorchDynamo's graph as graphs of their own, and as functional ATen with symbolic sizes."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import sympy
import torch
import torch.fx
from torch import Tensor, nn
from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx

from .._capture.error import CaptureError
from .._run.autocast import is_narrow
from . import private, sizes
from .expressions import expression_of, unify
from .random_draws import is_random

_aten = torch.ops.aten
DECOMPOSED = "rgnn_decomposed"  # in the ``meta`` of a captured graph: its decompositions


def value_of(node: Node) -> Any:
    """What a node of TorchDynamo's graph gives: fake tensors and symbolic sizes."""
    return node.meta.get("example_value")


@dataclass
class Subgraph:
    """Some nodes of a graph as a function of tensors alone.

    Attributes:
        module: the function, of PyTorch's own functions as TorchDynamo captured them.
        inputs: nodes of the graph whose tensors it takes, and behind them sizes that no tensor has.
        outputs: nodes of the graph that it gives, as a tuple.
        origins: of each node of the function, the one of the graph.
        nodes: of the graph, which it computes.
        widens: whether inputs of 16 bits are to be float32.
    """

    module: GraphModule
    inputs: list[Node]
    outputs: list[Node]
    origins: dict[Node, Node]
    nodes: list[Node]
    widens: bool = False

    @property
    def decompositions(self) -> dict[torch._ops.OpOverload, Callable]:
        """How operators are computed by others, of the whole graph that the nodes are of."""
        return self.module.meta[DECOMPOSED]


def extract(owner: GraphModule, nodes: Iterable[Node], outputs: list[Node], autocast: bool) -> Subgraph:
    """The nodes as a function; with autocast, inputs of 16 bits are float32, unless parameters are of 16 bits.

    Integers that they read are sizes of tensors that they read, where they can be.
    An input that is an integer gets a tensor ``[n, 0]`` instead, whose number of rows it is.
    """
    nodes = list(nodes)
    inside = set(nodes)
    read = dict.fromkeys(source for node in nodes for source in node.all_input_nodes if source not in inside)
    read |= dict.fromkeys(node for node in outputs if node not in inside)
    tensors = [node for node in read if isinstance(value_of(node), Tensor)]
    integers = [node for node in read if expression_of(value_of(node)) is not None]
    if len(tensors) + len(integers) < len(read):
        raise CaptureError("it reads what is neither a tensor nor a size")
    graph, new = Graph(), {}
    widens = autocast and not any(is_narrow(value_of(node)) and is_parameter(node) for node in tensors)
    for node in tensors:
        new[node] = graph.placeholder(node.name)
        new[node].meta = dict(node.meta)
        if widens and is_narrow(value_of(node)):
            new[node].meta["example_value"] = value_of(node).float()
    sizes = Sizes(graph)
    for node in tensors:
        sizes.add_tensor(new[node], value_of(new[node]))
    counted = dict.fromkeys(map(_counted, integers))
    carried = [node for node in counted if not sizes.has(expression_of(value_of(node)))]
    for node in carried:
        if (value_of(node).node.hint or 0) < 0:
            raise CaptureError("it reads a number that is negative, and no size")
        sizes.add_carrier(node)
    for node in integers:
        new[node] = sizes.emit(expression_of(value_of(node)))
    for node in nodes:
        new[node] = graph.node_copy(node, new.__getitem__)
    graph.output(tuple(new[node] for node in outputs))
    module = GraphModule(owner, graph)
    module.meta[DECOMPOSED] = owner.meta.get(DECOMPOSED, {})
    origins = {copy: node for node, copy in new.items()}
    return Subgraph(module, [*tensors, *carried], outputs, origins, nodes, widens)


def _counted(integer: Node) -> Node:
    """The size that an integer is the negative of, as in ``x[-n:]``, or itself."""
    negated = integer.args[0] if integer.target is operator.neg else None
    return negated if isinstance(negated, Node) and expression_of(value_of(negated)) is not None else integer


def is_parameter(node: Node) -> bool:
    return node.op == "placeholder" and ("_parameters" in node.name or isinstance(value_of(node), nn.Parameter))


class Sizes:
    """Sizes of a graph's inputs by the symbols in them."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._values: dict[Node, Tensor] = {}
        self._places: dict[sympy.Expr, tuple[Node, int]] = {}
        self._made: dict[sympy.Expr, Any] = {}

    def add_tensor(self, node: Node, value: Tensor) -> None:
        self._values[node] = value
        for dim, size in enumerate(value.shape):
            if isinstance(size, torch.SymInt):
                self._places.setdefault(size.node.expr, (node, dim))

    def add_carrier(self, integer: Node) -> None:
        size = value_of(integer)
        node = self._graph.placeholder(f"{integer.name}_rows")
        with fake_mode(map(value_of, self._graph.nodes)):
            node.meta = {"example_value": torch.empty((size, 0))}
        self._values[node] = value_of(node)
        self._places[expression_of(size)] = (node, 0)

    def has(self, size: sympy.Expr) -> bool:
        if size in self._places or size.is_Integer or self._parts(size):
            return True
        return (size.is_Add or size.is_Mul) and all(map(self.has, size.args))

    def _parts(self, size: sympy.Expr) -> list[sympy.Expr]:
        """Sizes of inputs that a size is the sum of, where these are sums: first rows of several types, joined.

        They say more than the numbers of all rows and of those that are left out do.
        """
        rest, parts = size, []
        if size.is_Add:
            for known in self._sums:
                count = _count_terms(known)
                while _count_terms(rest) >= count and _count_terms(rest - known) == _count_terms(rest) - count:
                    parts.append(known)
                    rest = rest - known
        if not parts or rest.is_Integer and rest != 0 or not self.has(rest):
            return []
        return parts if rest == 0 else [*parts, rest]

    @property
    def _sums(self) -> list[sympy.Expr]:
        return sorted((size for size in self._places if size.is_Add), key=_count_terms, reverse=True)

    def emit(self, size: sympy.Expr) -> Any:
        if size.is_Integer:
            return int(size)
        if size not in self._made:
            if size in self._places:
                node, dim = self._places[size]
                self._made[size] = self._call(_aten.sym_size.int, (node, dim), self._values[node].shape[dim])
            else:
                first, *others = map(self.emit, self._parts(size) or size.args)
                function = operator.mul if size.is_Mul else operator.add
                for other in others:
                    first = self._call(function, (first, other), function(_value(first), _value(other)))
                self._made[size] = first
        return self._made[size]

    def _call(self, function: Callable, args: tuple, value: Any) -> Node:
        node = self._graph.call_function(function, args)
        node.meta = {"val": value, "origin": None}
        return node


def _value(size: Node | int) -> Any:
    return size.meta["val"] if isinstance(size, Node) else size


def _count_terms(size: sympy.Expr) -> int:
    """Of how many sizes another is the sum, besides a number."""
    return sum(not term.is_Integer for term in (size.args if size.is_Add else (size,)))


def fake_mode(values: Iterable[Any]) -> Any:
    """The mode that tensors without data are of."""
    modes = (value.fake_mode for value in values if isinstance(value, private.FakeTensor))
    return next(modes, None) or private.TracingContext.get().fake_mode


def carry(size: int, like: torch.device | str) -> Tensor:
    """A tensor without data that has ``size`` rows."""
    return torch.empty((size, 0), device=like)


@dataclass
class Functional:
    """A subgraph as functional ATen.

    Attributes:
        graph: its nodes have fake tensors as ``meta["val"]``, and ``meta["origin"]``: the number of the node of the
            subgraph that they come from.
        outputs: of the subgraph's results, in order.
        constants: of placeholders behind the subgraph's inputs, their values.
        changed: the nodes of the subgraph that change a tensor in place, and those whose tensors they change.
        written: positions of the subgraph's inputs that are changed in place.
        lists: placeholders behind all others, that ``trim`` adds.
        values: of the nodes of the subgraph that give a tensor, the node that is it in the end.
    """

    graph: Graph
    outputs: list[Node]
    constants: list[tuple[Node, Tensor]]
    changed: dict[Node, list[Node]]
    written: list[int]
    lists: list[Node] = field(default_factory=list)
    values: dict[Node, Node] = field(default_factory=dict)


class _Interpreter(torch.fx.Interpreter):
    """Runs a graph and notes what each node makes and changes."""

    def __init__(self, module: GraphModule):
        super().__init__(module, garbage_collect_values=False)
        for number, node in enumerate(module.graph.nodes):
            node.meta["custom"] = {**(node.meta.get("custom") or {}), "rgnn": number}
        self.changed: dict[Node, list[Node]] = {}
        self.current: Node | None = None  # the node that runs

    def run_node(self, node: Node) -> Any:
        self.current = node
        sources = [(source, value) for source in node.all_input_nodes if isinstance(value := self.env[source], Tensor)]
        before = [_changes_of(value) for _, value in sources]
        result = super().run_node(node)
        changed = [source for (source, value), count in zip(sources, before) if _changes_of(value) != count]
        if changed:
            self.changed[node] = changed
        return result


def _changes_of(tensor: Tensor) -> Any:
    """What differs once a tensor's numbers, or its storage, have changed."""
    if not isinstance(tensor, private.FunctionalTensor):
        return tensor._version
    counters = (torch._functionalize_mutation_counter, torch._functionalize_storage_changed_counter,
                torch._functionalize_inductor_storage_resized_counter)  # fmt: skip
    return tuple(counter(tensor.elem) for counter in counters)


class UntraceableError(CaptureError):
    """An operator has no form in ATen.

    Attributes:
        node: of the subgraph; None where it is not known.
    """

    def __init__(self, node: Node | None, error: Exception):
        lines = [line for line in str(error).splitlines() if line.strip()]
        if isinstance(error, private.GuardOnDataDependentSymNode):
            lines = ["what it computes depends on sizes that only data say"]
        super().__init__(f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}")
        self.node, self.reason = node, lines[0] if lines else str(self)


def trace(subgraph: Subgraph, keeps_detached: bool = False) -> Functional:
    """The subgraph as functional ATen, as it computes without autocast.

    Args:
        subgraph: some nodes of a graph.
        keeps_detached: whether it is to say what no gradient would pass where there is none now.

    Raises:
        UntraceableError: an operator has no such form.
    """
    placeholders = [node for node in subgraph.module.graph.nodes if node.op == "placeholder"]
    values = [value_of(node) for node in placeholders]
    interpreter = _Interpreter(subgraph.module)
    try:
        with torch.no_grad(), private.preserve_node_meta(), _without_autocast():
            module, written, made = _make_functional(interpreter, list(map(_settled, values)), subgraph.decompositions)
    except Exception as error:
        raise UntraceableError(interpreter.current, error) from error
    graph = module.graph
    numbered = list(subgraph.module.graph.nodes)
    for node in graph.nodes:
        node.meta["origin"] = (node.meta.get("custom") or {}).get("rgnn")
        if node.target is _aten.detach.default and not keeps_detached and not _stops_gradient(node, numbered):
            node.replace_all_uses_with(node.args[0])
            made = {known: node.args[0] if value is node else value for known, value in made.items()}
    outputs = list(next(node for node in graph.nodes if node.op == "output").args[0])[len(written) :]
    _name_replayed_views(outputs, numbered)
    for node, value in made.items():
        if isinstance(value_of(node), Tensor) and isinstance(value.meta.get("val"), Tensor):
            unify(value_of(node), value.meta["val"])
    constants = _lift_constants(module)
    return Functional(graph, outputs, constants, interpreter.changed, written, values=made)


def _name_replayed_views(outputs: list[Any], numbered: list[Node]) -> None:
    """Gives an origin to views of what was changed in place, which are made again for the results."""
    for node, result in zip(outputs, numbered[-1].args[0], strict=True):
        while isinstance(node, Node) and node.op == "call_function" and node.meta["origin"] is None:
            node.meta["origin"] = numbered.index(result)
            node = node.args[0]


def _stops_gradient(node: Node, numbered: list[Node]) -> bool:
    """Whether one of the subgraph's nodes, which ``node`` is of, reads something that wants a gradient."""
    origin = node.meta["origin"]
    return origin is not None and any(isinstance(value := value_of(source), Tensor) and value.requires_grad
                                      for source in numbered[origin].all_input_nodes)  # fmt: skip


def placeholders_of(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if node.op == "placeholder"]


def is_settled(value: Any) -> bool:
    """Whether no guard has made a size of a tensor a number since the tensor was made."""
    return not isinstance(value, Tensor) or all(isinstance(_number(size), int) is isinstance(size, int)
                                                for size in value.shape)  # fmt: skip


def _settled(value: Any) -> Any:
    """A tensor whose sizes are numbers where guards have made them numbers."""
    if is_settled(value):
        return value
    with fake_mode([value]):
        return torch.empty_strided(list(map(_number, value.shape)), list(map(_number, value.stride())),
                                   dtype=value.dtype, device=value.device)  # fmt: skip


def _number(size: Any) -> Any:
    expression = expression_of(size)
    return int(expression) if expression is not None and expression.is_Integer else size


def _make_functional(interpreter: _Interpreter, values: list[Any],
                     decompositions: dict) -> tuple[GraphModule, list[int], dict[Node, Node]]:  # fmt: skip
    """A graph of ATen's operators that change nothing in place, the positions of inputs that would have changed, and
    the nodes that are what the interpreter's nodes are in the end.

    As ``aot_export_module`` makes it, but in one run in the place of two, and without a copy of each input: both take
    seconds where hundreds of inputs have sizes of their own.
    """

    written: list[int] = []
    made: list[Node] = []

    def run(*inputs: Any) -> tuple:
        with private.maybe_enable_thunkify(), private.without_functionalize():
            given = [private.to_fun(value) for value in inputs]
            before = [_changes_of(value) for value in given]
            results = interpreter.run(*given)
            written.extend(number for number, value in enumerate(given) if _changes_of(value) != before[number])
            made.extend(node for node, value in interpreter.env.items() if isinstance(value, Tensor))
        # What inputs are afterwards is a result too, so that what computes it is no dead code.
        values = *(given[number] for number in written), *results, *(interpreter.env[node] for node in made)
        return torch.utils._pytree.tree_map(private.from_fun, values)

    functional = private.FunctionalTensorMode(pre_dispatch=True, export=True, _allow_token_discovery=True)
    with fake_mode(values), private.enable_python_dispatcher(), functional, sizes.layouts_unasked():
        module = make_fx(run, decomposition_table=decompositions, record_module_stack=True, pre_dispatch=True)(*values)
    output = next(iter(reversed(module.graph.nodes)))
    values = output.args[0]
    output.args = (values[: len(values) - len(made)],)
    module.graph.eliminate_dead_code(lambda node: node.is_impure() or is_random(node.target))
    left = set(module.graph.nodes)
    return module, written, {node: value for node, value in zip(made, values[len(values) - len(made) :])
                             if value in left}  # fmt: skip


def _without_autocast() -> contextlib.ExitStack:
    stack = contextlib.ExitStack()
    for device in ("cpu", "cuda"):
        if torch.is_autocast_enabled(device):
            stack.enter_context(torch.autocast(device, enabled=False))
    return stack


def _lift_constants(module: GraphModule) -> list[tuple[Node, Tensor]]:
    """Makes tensors that the graph holds arguments."""
    constants = []
    first = next(iter(module.graph.nodes))
    for node in list(module.graph.nodes):
        if node.op == "get_attr" and isinstance(getattr(module, node.target, None), Tensor):
            with module.graph.inserting_before(first):
                argument = module.graph.placeholder(node.name)
            argument.meta = {**node.meta}
            node.replace_all_uses_with(argument)
            module.graph.erase_node(node)
            value = getattr(module, node.target)
            if isinstance(value, private.FakeTensor):
                raise CaptureError(f"{node.name}: a tensor that is made while the model is captured has no data")
            constants.append((argument, value))
    return constants
