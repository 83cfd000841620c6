"""What a function of the language was traced to, by the signatures of its calls."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from .._errors import InputError
from .._options import Options
from .arguments import Reader, Signature
from .code import Code
from .elements import GraphItem, Result
from .embed import register
from .evaluate import Ends, evaluate, evaluate_shared
from .graphs import Lists, count_nodes, prepare
from .joint import Joint, find_joint
from .places import Place, refuse
from .program import leave_shared
from .text import ELEMENTS, INTEGERS, GraphForm, write
from .tracer import Tracer


class Versions:
    """Traces a function once for each signature."""

    def __init__(self, function: Callable, signature: Signature, options: Options, target: str | None):
        self._function, self._signature = function, signature
        self._options, self._target = options, target
        self.made: dict[tuple, list[Version]] = {}

    def find(self, lists: Lists, values: list[Any]) -> Version:
        """The version of a call, made where there is none.

        Raises:
            LanguageError: the function has what the language has not.
            InputError, TypeError: an argument is not what it should be.
        """
        key = (*lists.key, lists.edge_index.device.type, *self._signature.key(values))
        try:
            versions = self.made.setdefault(key, [])
        except TypeError:
            self._refuse_unhashable(values)
        for version in versions:
            if version.reader.holds(values):
                return version
        lists.check()
        self._signature.check(values)
        versions.append(Version(self._function, self._signature, lists, values, self._options, self._target))
        return versions[-1]

    def _refuse_unhashable(self, values: list[Any]) -> None:
        for name, value in zip(self._signature.names, values):
            try:
                hash(value)
            except TypeError:
                raise TypeError(f"{self._function.__name__}() argument '{name}': expected a tensor, a module or a "
                                f"value that can be hashed, got {type(value).__name__}") from None  # fmt: skip


class Version:
    """A function, traced for one signature.

    Attributes:
        program: what it does.
        reader: reads the program's arguments of a call's.
        spec: the structure of the result.
        form: how the code gets its graph.
        dtype: of all tensors.
        first_nodes: the place among the tensors of data of nodes; None where there is none.
        handle: a number for it.
        code: what runs.
    """

    def __init__(self, function: Callable, signature: Signature, lists: Lists, values: list[Any], options: Options,
                 target: str | None):
        tracer, self.reader, self.spec = _trace(function, signature, values)
        self.program = tracer.program
        given = [values[place] for place in self.reader.inputs]
        nodes = [number for number, data in enumerate(self.program.inputs) if not data.on_edges]
        self.first_nodes = nodes[0] if nodes else None
        weights = self.reader.read(values)
        self.reader.guards += [(place, path, (weight.dtype, weight.shape)) for (place, path), weight
                               in zip(self.reader.weights, weights) if path]  # fmt: skip
        names = [*(data.name for data in self.program.inputs), *self.program.weights]
        self.dtype = _common_dtype(names, [*given, *weights])
        self._like = torch.empty(0, dtype=self.dtype, device=lists.edge_index.device)
        leave_shared(self.program)
        self.joint = _find_joint(tracer)
        self.form = _form(tracer, lists, self.joint)
        self._check_loops(function, signature, values)
        self.handle = register(self)
        self.code = Code(self.program, self.form, self.dtype, options, target, self.joint)

    def _check_loops(self, function: Callable, signature: Signature, values: list[Any]) -> None:
        """Refuses a function whose program depends on how many times Python runs the bodies of its loops."""
        tracer = _trace(function, signature, values, visits=2)[0]
        leave_shared(tracer.program)
        again = write(tracer.program, self.form, self.dtype, _find_joint(tracer))
        if again != write(self.program, self.form, self.dtype, self.joint):
            refuse(f"{function.__name__} counts or collects in Python what its loops visit; a body is run once for all "
                   'nodes or edges. A number of edges is a sum of data, n["degree"] += 1.0; the number of a node or an '
                   "edge is data that is given",
                   Place(function.__code__.co_filename, function.__code__.co_firstlineno))  # fmt: skip

    def run(self, lists: Lists, values: list[Any]) -> Any:
        """What the function returns."""
        tensors = [*(values[place] for place in self.reader.inputs), *self.reader.read(values)]
        return pytree.tree_unflatten(self.compute(lists, tensors), self.spec)

    def compute(self, lists: Lists, tensors: list[Tensor]) -> list[Tensor]:
        """The results of the program.

        Args:
            lists: the graph.
            tensors: data, then weights.
        """
        rows = [(one.name, tensor) for one, tensor in zip(self.program.inputs, tensors) if not one.on_edges]
        graph = prepare(self.form, lists, count_nodes(lists, rows), self._like, self.joint)
        weights = tensors[len(self.program.inputs) :]
        if self.joint is not None:
            tensors = [*tensors, *self.joint.expand(weights)]
        if self.program.made:
            tensors = [*tensors, *evaluate_shared(self.program, weights)]
        if graph.order is None:
            return list(self.code([*graph.tensors, *tensors]))
        count = len(self.program.inputs)
        data = [tensor if one.on_edges else tensor.index_select(0, graph.order)
                for tensor, one in zip(tensors, self.program.inputs)]  # fmt: skip
        results = self.code([*graph.tensors, *data, *tensors[count:]])
        return [result if one.on_edges else result.index_select(0, graph.places)
                for result, one in zip(results, self.program.outputs)]  # fmt: skip

    def evaluate(self, ends: Ends, tensors: list[Tensor]) -> list[Tensor]:
        """The same by PyTorch's operators, in idioms that the compiler knows."""
        count = len(self.program.inputs)
        return evaluate(self.program, ends, tensors[:count], tensors[count:], has_idioms=True)


def _trace(function: Callable, signature: Signature, values: list[Any],
           visits: int = 1) -> tuple[Tracer, Reader, Any]:  # fmt: skip
    """The program of a function, what reads its arguments, and the structure of its result."""
    tracer = Tracer(function.__name__, visits)
    program, reader = tracer.program, Reader(tracer)
    with tracer:
        parameters = [reader.add(place, *one) for place, one
                      in enumerate(zip(signature.names, signature.kinds, values))]  # fmt: skip
        parameters.insert(signature.graph, GraphItem(tracer))
        count = signature.positional
        result = function(*parameters[: count + 1], **dict(zip(signature.names[count:], parameters[count + 1 :])))
        tracer.check_left()
    leaves, spec = pytree.tree_flatten(result)
    for leaf in leaves:
        if not isinstance(leaf, Result):
            got = "nothing" if leaf is None else type(leaf).__name__
            refuse(f'{function.__name__} returns {got}: expected data of the graph, such as return g.ndata["y"]',
                   Place(function.__code__.co_filename, function.__code__.co_firstlineno))  # fmt: skip
    program.outputs = [leaf.data for leaf in leaves]
    for data in program.data.values():
        data.shape = () if data.shape is None else data.shape
    return tracer, reader, spec


def _find_joint(tracer: Tracer) -> Joint | None:
    return find_joint(tracer.program, {of_edge: size for of_edge, (size, _) in tracer.types.items()})


def _common_dtype(names: list[str], tensors: list[Tensor]) -> torch.dtype:
    for name, tensor in zip(names, tensors):
        if tensor.dtype not in ELEMENTS:
            raise InputError(f"{name}: expected a tensor of float64, float32, bfloat16 or float16, got {tensor.dtype}")
        if tensor.dtype != tensors[0].dtype:
            raise InputError(f"{name}: expected {tensors[0].dtype} as of {names[0]}, got {tensor.dtype}")
    return tensors[0].dtype if tensors else torch.get_default_dtype()


def _form(tracer: Tracer, lists: Lists, joint: Joint | None) -> GraphForm:
    edge_types, node_types = (tracer.types[of_edge][0] if of_edge in tracer.types else 0 for of_edge in (True, False))
    reads_types = edge_types > 1 or (edge_types and lists.edge_type is not None)
    if joint is not None:
        edge_types, reads_types = joint.count, True
        lists = dataclasses.replace(lists, edge_type=torch.empty(0, dtype=torch.int64))
    nodes = [data.name for data in tracer.program.inputs if not data.on_edges]
    return GraphForm(
        edge_index=INTEGERS[lists.edge_index.dtype],
        edge_type=("i64" if lists.edge_type is None else INTEGERS[lists.edge_type.dtype]) if reads_types else "",
        edge_types=edge_types, node_types=node_types, rows_of=nodes[0] if nodes and node_types < 2 else "",
    )  # fmt: skip
