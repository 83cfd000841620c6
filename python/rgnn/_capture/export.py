"""Captures a model as MLIR text by exporting it with made-up inputs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import sympy
import torch
import torch.fx
from torch import Tensor, nn
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils import _pytree as pytree

from .._run.autocast import autocast_dtype, is_narrow, widened
from .._run.device import common_device
from . import autocast, overrides
from .captured import Captured
from .derived import DerivedInputs
from .drawn import DrawnInputs
from .error import CaptureError
from .inputs import InputSpec, dynamic_dim, identifier, made_up, size_groupings
from .leaves import edge_sets
from .serialize import live_nodes, module_text, shows_value, string_text, type_text, value_text
from .surroundings import attributes_kept, conditions, frames, silence

_INNER = "inner"  # name of the model inside the exported wrapper


class _Flat(nn.Module):
    """The model as a module of a flat list of tensors."""

    def __init__(self, inner: Callable, inputs: InputSpec, groups: list[list[int]], count: int):
        super().__init__()
        setattr(self, _INNER, inner)  # registers a module's parameters
        self._inputs, self._groups, self._count = inputs, groups, count
        grouped = {position for group in groups for position in group}
        self._single = [position for position in range(count) if position not in grouped]

    def carriers(self, tensors: list[Tensor]) -> list[Tensor]:
        """What to pass: every single input, then one stand-in per group of edge sets."""
        return [tensors[p] for p in self._single] + [tensors[group[0]] for group in self._groups]

    def forward(self, *carriers: Tensor) -> Any:
        tensors: list[Any] = [None] * self._count
        for position, tensor in zip(self._single, carriers):
            tensors[position] = tensor
        for group, stand_in in zip(self._groups, carriers[len(self._single) :]):
            for position, tensor in zip(group, edge_sets(stand_in, len(group))):
                tensors[position] = tensor
        return self.call(tensors)

    def call(self, tensors: list[Tensor]) -> Any:
        """What the model gives for all of its inputs."""
        args, kwargs = self._inputs.unflatten(tensors)
        inner = getattr(self, _INNER)
        # Not __call__: that may lead to a compiled version of the model, which is being made here.
        return (inner._call_impl if isinstance(inner, nn.Module) else inner)(*args, **kwargs)


def capture(
    module_or_fn: nn.Module | Callable, args: tuple, kwargs: dict[str, Any] | None = None
) -> Captured:
    """Captures what ``module_or_fn(*args, **kwargs)`` computes, for graphs of any size.

    Args:
        module_or_fn: a model, or a function of tensors.
        args: positional arguments: tensors, None, numbers, strings, or lists, tuples and
            dictionaries of them. Only structure, widths and dtypes matter: rows of tensors and
            columns of ``[2, E]`` integer tensors are the sizes that may change.
        kwargs: keyword arguments.

    Raises:
        CaptureError: the model branches on values of tensors, depends on the sizes of its inputs,
            changes its buffers, or takes or returns what is not a tensor.
    """
    kwargs = kwargs or {}
    is_module = isinstance(module_or_fn, nn.Module)
    inputs = InputSpec(module_or_fn.forward if is_module else module_or_fn, args, kwargs)
    tensors = inputs.flatten(args, kwargs)
    own = [*module_or_fn.parameters(), *module_or_fn.buffers()] if is_module else []
    for tensor in own:
        if isinstance(tensor, nn.parameter.UninitializedTensorMixin):
            raise CaptureError("the model has uninitialized parameters: call it once before")
    avoid = {size for tensor in own for size in tensor.shape}
    given = [tensor.dtype for tensor in tensors]
    device = common_device(tensors) or "cpu"
    widens = autocast_dtype(device) is not None and not any(map(is_narrow, own))
    if widens:
        tensors = widened(tensors)

    groups = inputs.edge_set_groups(tensors)
    reason = ""
    for grouping in [groups, []] if groups else [[]]:
        for keys in size_groupings(inputs.paths, tensors):
            flat = _Flat(module_or_fn, inputs, grouping, len(tensors))
            fakes = made_up(tensors, keys, avoid)
            try:
                with conditions() as places, autocast.ignored(device) as ignored:
                    program = _export(flat, flat.carriers(fakes))
                captured = _describe(program, flat, inputs, list(places))
                if not ignored:
                    return captured
                zeros = [fake.zero_().to(dtype) for fake, dtype in zip(fakes, given)]
                with silence(), attributes_kept(flat):
                    dtypes = autocast.result_dtypes(flat.call, zeros, captured.outputs)
                return dataclasses.replace(captured, widens=widens, dtypes=dtypes)
            except CaptureError as error:
                reason = reason or str(error)
    raise CaptureError(reason)


def _export(flat: _Flat, carriers: list[Tensor]) -> torch.export.ExportedProgram:
    sizes = tuple(
        {} if (dim := dynamic_dim(tensor)) is None else {dim: torch.export.Dim.DYNAMIC}
        for tensor in carriers
    )
    with overrides.active(), overrides.without_segment_matmul(), silence(), frames(), attributes_kept(flat):
        try:
            program = torch.export.export(
                flat, tuple(carriers), strict=False, dynamic_shapes=(sizes,)
            )
            if _mutates(program.graph):
                program = program.run_decompositions({})  # to values only; keeps the operators
            return program
        except Exception as error:
            lines = [line for line in str(error).splitlines() if line.strip()]
            raise CaptureError(
                f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}"
            ) from error


def _mutates(graph: torch.fx.Graph) -> bool:
    return any(
        isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable
        for node in graph.nodes
    )


def _check_conditions(carriers: list[torch.fx.Node]) -> None:
    """Fails where the program holds only for sizes that meet a condition.

    Equal sizes are no such condition: they come from operations on rows of the same graph.
    """
    for carrier in carriers:
        mode = getattr(carrier.meta["val"], "fake_mode", None)
        for guard in () if mode is None else mode.shape_env.guards:
            parts = guard.expr.args
            if guard.expr.func is sympy.Eq and all(part.is_Symbol for part in parts):
                continue
            place = getattr(getattr(guard, "sloc", None), "maybe_user_loc", None)
            where = f" at {place}" if place else ""
            raise CaptureError(
                f"the model branches on the sizes of its inputs{where}: {guard.expr}"
            )


# Describing the exported program


def _describe(
    program: torch.export.ExportedProgram, flat: _Flat, inputs: InputSpec, places: list[str]
) -> Captured:
    graph, signature = program.graph, program.graph_signature
    placeholders = {node.name: node for node in graph.nodes if node.op == "placeholder"}
    user = [s for s in signature.input_specs if s.kind is InputKind.USER_INPUT]
    carriers = [placeholders[spec.arg.name] for spec in user]
    _check_conditions(carriers)
    keys: list[Any] = [None] * len(inputs.paths)
    for position, node in zip(flat._single, carriers):
        keys[position] = node
    stand_ins = []
    for group, node in zip(flat._groups, carriers[len(flat._single) :]):
        stand_in = _only_as_edge_sets(program, node)
        stand_ins.append(stand_in)
        for i, position in enumerate(group):
            keys[position] = (stand_in, i)

    drawn = DrawnInputs(
        graph, [(path, None if isinstance(key, tuple) else key) for path, key in zip(inputs.paths, keys)]
    )
    derived = DerivedInputs(graph)
    nodes = [node for node in live_nodes(graph, derived.nodes) if node not in stand_ins]
    arguments, classes = [], []
    symbols: dict[Any, int] = {}
    for path, key in zip(inputs.paths, keys):
        value = key.meta["val"] if isinstance(key, torch.fx.Node) else key[0].meta["val"][key[1]]
        arguments.append(
            (key, identifier(path), type_text(value), f"rgnn.input = {string_text(path)}")
        )
        dim = dynamic_dim(value)
        size = None if dim is None else value.shape[dim]
        if isinstance(key, tuple):
            classes.append(len(symbols))
            symbols[key] = len(symbols)
        elif isinstance(size, torch.SymInt):
            classes.append(symbols.setdefault(size.node.expr, len(symbols)))
        else:
            classes.append(None)

    lifted = {s.arg.name: s for s in signature.input_specs if s.kind is not InputKind.USER_INPUT}
    parameters, constants, constant_arguments = [], [], []
    for node in _first_uses([*nodes, *derived.computed], signature.user_outputs, placeholders):
        spec = lifted.get(node.name)
        if spec is None:
            continue
        type_name = type_text(node.meta["val"])
        if spec.kind in (InputKind.PARAMETER, InputKind.BUFFER):
            name = spec.target.removeprefix(f"{_INNER}.")
            parameters.append(name)
            text = f"rgnn.param = {string_text(name)}"
            arguments.append((node, identifier(name), type_name, text))
        elif spec.kind is InputKind.CONSTANT_TENSOR:
            constants.append(program.constants[spec.target])
            text = f"rgnn.constant = {len(constants) - 1}"
            if shows_value(constants[-1]):
                text += f", rgnn.value = {value_text(constants[-1])}"
            constant_arguments.append((node, f"constant_{len(constants) - 1}", type_name, text))
        else:
            raise CaptureError(f"cannot express an input of kind {spec.kind.name}")

    arguments += constant_arguments
    names = [*inputs.paths, *parameters, *(name for _, name, *_ in constant_arguments)]
    derived.bind([key for key, *_ in arguments], names)
    for node, name in zip(derived.nodes, derived.names):
        text = f"rgnn.derived = {string_text(name)}"
        arguments.append((node, f"{identifier(name)}_ends", type_text(node.meta["val"]), text))
    for node in drawn.nodes:
        arguments.append((node, node.name, type_text(node.meta["val"]), 'rgnn.drawn = "bernoulli"'))
    results, outputs = _outputs(program)
    text = module_text(arguments, nodes, results)
    return Captured(
        text=text,
        inputs=inputs,
        input_paths=inputs.paths,
        size_classes=classes,
        parameters=parameters,
        constants=constants,
        lists=derived.lists,
        masks=drawn.masks,
        widens=False,
        dtypes=None,
        out_spec=program.call_spec.out_spec,
        outputs=outputs,
        conditions=places,
        program=program,
    )


def _only_as_edge_sets(
    program: torch.export.ExportedProgram, carrier: torch.fx.Node
) -> torch.fx.Node:
    """The node that makes edge sets of ``carrier``; fails where their common size could matter.

    The sets share one made-up size though each has its own. That is right where they are only
    joined to one graph, and their size occurs nowhere else, in conditions neither.
    """
    value = carrier.meta["val"]
    size = value.shape[1].node.expr
    makers = [user for user in carrier.users if user.target is edge_sets]
    entries = {entry for maker in makers for entry in maker.users}
    joins = {join for entry in entries for join in entry.users}
    joined_only = len(makers) == len(carrier.users) == 1 and all(
        join.target is torch.ops.rgnn.hetero_edges.default for join in joins
    )
    others = [node for node in program.graph.nodes if node not in {carrier, *makers, *entries}]
    used = any(size in symbols for node in others for symbols in _symbols(node))
    equal = any(size in guard.expr.free_symbols for guard in value.fake_mode.shape_env.guards)
    if used or equal or not joined_only:
        raise CaptureError("edge sets are used each on its own")
    return makers[0]


def _symbols(node: torch.fx.Node) -> Iterator[set]:
    """The symbols in each size of a node's values."""
    for value in pytree.tree_leaves(node.meta.get("val")):
        for size in value.shape if isinstance(value, Tensor) else [value]:
            if isinstance(size, torch.SymInt):
                yield size.node.expr.free_symbols


def _first_uses(
    nodes: list[torch.fx.Node], results: Any, placeholders: dict[str, torch.fx.Node]
) -> list[torch.fx.Node]:
    """Placeholders in the order in which ``nodes``, then ``results``, use them."""
    order: dict[torch.fx.Node, None] = {}
    for node in nodes:
        for source in node.all_input_nodes:
            if source.op == "placeholder":
                order.setdefault(source)
    for name in results:
        if name in placeholders:
            order.setdefault(placeholders[name])
    return list(order)


def _outputs(
    program: torch.export.ExportedProgram,
) -> tuple[list[torch.fx.Node], list[tuple[bool, Any]]]:
    """Nodes of the tensor results, and what each leaf of the model's result is."""
    returned = next(node for node in program.graph.nodes if node.op == "output").args[0]
    results: list[torch.fx.Node] = []
    outputs: list[tuple[bool, Any]] = []
    for spec, value in zip(program.graph_signature.output_specs, returned):
        if spec.kind is not OutputKind.USER_OUTPUT:
            what = (spec.target or "an input").removeprefix(f"{_INNER}.")
            raise CaptureError(f"the model changes {what}")
        if isinstance(value, torch.fx.Node):
            if not isinstance(value.meta["val"], Tensor):
                raise CaptureError("expected tensors as results, got a size")
            outputs.append((True, len(results)))
            results.append(value)
        else:
            outputs.append((False, value))
    if not results:
        raise CaptureError("expected a tensor among the results, got none")
    return results, outputs
