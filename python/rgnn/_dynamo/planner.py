"""Decides what of a captured graph is compiled, and compiles it."""

from __future__ import annotations

import contextlib
import math
import operator
import weakref
from collections.abc import Callable, Iterable

import torch
from _rgnn import CompileError as CompilerRefusal
from torch import Tensor
from torch.fx import GraphModule, Node

from .._capture import custom_ops
from .._capture.error import CaptureError
from .._compiler import compile_region
from .._errors import CompileError, FallbackError, first_line
from .._ops.lowering import lower, restore
from .._options import Options
from .._run.memory import Budget
from .._run.region import Region
from .._run.training import Training
from .._run.trimming import Trimming
from .._target import CPU, Target, resolve
from . import private
from .analyse import NO_RULE, analyse, gives_floats, has_autocast, has_gradients, read_elsewhere, unlifted
from .assemble import Called, assemble
from .boundaries import repeat_integers, take_rows_again, take_single_rows, unfit_results
from .branches import raise_pythons_errors
from .corrections import overlaps
from .functional import Functional, Subgraph, extract, fake_mode, placeholders_of, trace, value_of
from .leading.movement import movements
from .lists_of_nodes import add_lists
from .memoize import find_groups
from .narrow import narrow
from .normalise import normalise
from .normalise.contexts import checkpointed
from .normalise.edge_index import take_plain
from .normalise.plain_calls import call_methods
from .partition import Partition, Reason, storages
from .regions import Codes, CompiledRegion, finders
from .reported import is_reported, sort_out, sort_out_registered
from .text import origin_of, path_of, write
from .trim import trim
from .version import Version

# Movement and products that kernels are made for; what is between them joins them.
_REDUCTIONS = {"rgnn.typed_linear", "rgnn.lookup", "rgnn.basis_lookup", "rgnn.aggregate", "rgnn.edge_softmax",
               "rgnn.pair_softmax", "rgnn.group_excess", "aten.scatter_add", "aten.scatter_reduce.two",
               "aten.index_add", "aten.index_reduce", "aten.index_put"}  # fmt: skip
_GATHERS = {"aten.index_select", "aten.index.Tensor", "aten.gather"}
_LEAST_WIDTH = 8  # of what gathers alone must keep out of memory, for a kernel to be faster than PyTorch's

_regions: weakref.WeakValueDictionary[tuple, Region] = weakref.WeakValueDictionary()


class Planner:
    """Makes a version of one graph.

    Attributes:
        refused: texts that there is no code for.
    """

    def __init__(self, module: GraphModule, options: Options, target: str | None, fullgraph: bool, region_type: type,
                 few: dict[str, bool], budget: Budget | None):  # fmt: skip
        self._module, self._options, self._fullgraph, self._few = module, options, fullgraph, few
        self._budget = budget
        self._target, self._region_type = target, region_type
        self.refused: list[str] = []
        self._made: dict[tuple[Node, ...], tuple[CompiledRegion, Subgraph, str]] = {}

    def plan(self) -> Version:
        original, left = self._module, frozenset()
        inner = self._plan_checkpoints()
        while True:
            module = self._module = GraphModule(original, _copied(original.graph))
            unwrapped = take_plain(module.graph)
            lower(module.graph, fake_mode(map(value_of, module.graph.nodes)))
            call_methods(module.graph)
            normalise(module, left)
            self._analysis = analyse(module)
            partition = self._analysis.partition
            if (more := left | _reading_late_rows(partition)) == left:
                break
            left = more  # what is around them is compiled if they get rows where they expect them
        regions = self._settle()
        reasons, registered = sort_out_registered(partition.reasons)
        restore(partition.reasons)
        module.recompile()
        once = find_groups(partition) if regions else []
        functions = {node.args[0].target: version for node, version in inner.items()}
        names = {node.name for node in inner}
        reasons = {node: why for node, why in reasons.items() if node.name not in names}
        fallbacks, dense = sort_out(module.graph, reasons, once)
        fallbacks += [told for version in inner.values() for told in version.fallbacks]
        if self._fullgraph and fallbacks:
            told = [f"{where or 'unknown line'}: {op}: {why}" for op, why, where in fallbacks]
            raise FallbackError("; ".join(dict.fromkeys(told)))
        if not regions and self._fullgraph and not inner:
            raise FallbackError("no part of it pays to be compiled")
        for name, version in functions.items():
            setattr(module if regions else original, name, Called(version.run))
        if not regions:
            custom_ops.decompose(original.graph)
            original.recompile()
            fallbacks = fallbacks or ([] if inner else [("", "no part of it pays to be compiled", "")])
            raise_pythons_errors(original)
            return _joined(Version(private.function_of(original), [], [], fallbacks, registered, dense),
                           inner.values())  # fmt: skip
        made = [self._made[tuple(region)] for region in regions]
        run = assemble(module, partition, [(nodes, *found[:2]) for nodes, found in zip(regions, made)], once)
        run = _unwrapping(run, unwrapped) if unwrapped else run
        run = overlaps.checked(run, original)
        version = Version(run, [text for *_, text in made], [part for part, *_ in made], fallbacks, registered, dense)
        return _joined(version, inner.values())

    def _plan_checkpoints(self) -> dict[Node, Version]:
        """Of each node that runs a checkpointed function of which a part is compiled, what became of that."""
        planned: dict[Node, Version] = {}
        for node, body in checkpointed(self._module).items():
            for source, each in zip(node.args[1:], placeholders_of(body.graph), strict=True):
                if isinstance(source, Node):
                    each.meta |= {key: source.meta[key] for key in ("grapharg", "rgnn_path") if key in source.meta}
            planner = Planner(body, self._options, self._target, False, self._region_type, self._few, self._budget)
            with contextlib.suppress(CaptureError):
                version = planner.plan()
                if version.regions:
                    planned[node] = version
        return planned

    def _settle(self) -> list[list[Node]]:
        """The regions, compiled, once PyTorch runs all nodes that it has to."""
        partition = self._analysis.partition
        while True:
            _take_apart(partition)
            regions = partition.regions()
            refused = self._refuse_unpaid(regions)
            if not refused and (repeat_integers(partition) or take_rows_again(partition, regions)):
                continue  # it changes the regions
            refused = (refused or take_single_rows(regions, self._analysis.operators)
                       or self._refuse_unfit(regions) or self._refuse_uncompiled(regions))
            if not refused:
                return regions
            partition.reasons.update(refused)

    def _refuse_unpaid(self, regions: list[list[Node]]) -> dict[Node, Reason]:
        """Nodes of the regions that kernels would not be faster for."""
        unpaid = [region for region in regions if not _pays(region, self._analysis.operators)]
        return {node: Reason() for region in unpaid for node in region}

    def _refuse_unfit(self, regions: list[list[Node]]) -> dict[Node, Reason]:
        """Nodes of the regions that may not give PyTorch what they compute."""
        partition = self._analysis.partition
        return {node: why for region in regions for node, why in unfit_results(partition, region).items()}

    def _refuse_uncompiled(self, regions: list[list[Node]]) -> dict[Node, Reason]:
        """Nodes of the regions that there is no code for; compiles the regions where there are none."""
        refused: dict[Node, Reason] = {}
        for region in regions:
            if tuple(region) not in self._made:
                refused.update(self._compile(region))
        return refused

    def _compile(self, region: list[Node]) -> dict[Node, Reason]:
        """Compiles a region; where that fails, the nodes that are to blame, or all."""
        reason = ""
        try:
            part, functional = self._trace(region)
            text = write(part, functional, few=self._few)
            target = resolve(self._target, [t for node in part.inputs if isinstance(t := value_of(node), Tensor)])
            try:
                self._made[tuple(region)] = (self._make_trimmed(target, part, functional)
                                             or (self._make_region(text, target, part, functional), part, text))
            except CompilerRefusal as error:
                self.refused.append(text)
                reason = first_line(error)
                if (self._options != Options() or target != CPU) and self._compiles_plainly(text):
                    raise CompileError(f"{target}, {self._options}: {reason}") from error
                if blamed := {node: why for node, why in unlifted(part, functional).items() if node in set(region)}:
                    return blamed
            except CaptureError as error:
                self.refused.append(text)
                reason = first_line(error)
            else:
                return {}
        except CaptureError as error:
            reason = first_line(error)
        named = next(filter(is_reported, region), region[0])
        return {node: Reason(reason if node is named else "") for node in region}

    def _trace(self, region: list[Node]) -> tuple[Subgraph, Functional]:
        outputs, whole, inside = read_elsewhere(region), self._analysis.whole, set(region)
        rest = set(whole.nodes) - inside  # of no use, where it changes nothing, and the region reads none of it
        is_idle = not self._analysis.functional.changed and all(inside.isdisjoint(node.users) for node in rest)
        is_read = all(not inside.isdisjoint(node.users) for node in whole.inputs)
        if outputs == whole.outputs and (not rest or (is_idle and is_read)):
            return whole, self._analysis.functional
        part = extract(self._module, region, outputs, has_autocast(self._module.graph))
        functional = narrow(whole, self._analysis.functional, part) or trace(part)
        if self._analysis.has_lists_of_nodes:
            add_lists(functional)
        return part, functional

    def _make_trimmed(self, target: Target, part: Subgraph,
                      functional: Functional) -> tuple[CompiledRegion, Subgraph, str] | None:  # fmt: skip
        """The region without what no result depends on; None where all counts, or only all can be compiled."""
        trimmed = trim(part, functional)
        if trimmed is None:
            return None
        text = write(part, trimmed[0], few=self._few)
        try:
            return self._make_region(text, target, part, *trimmed), part, text
        except (CompilerRefusal, CaptureError):
            return None

    def _make_region(self, text: str, target: Target, function: Subgraph, functional: Functional,
                     trimming: Trimming | None = None) -> CompiledRegion:  # fmt: skip
        inputs = [node.meta["example_value"] for node in function.module.graph.nodes if node.op == "placeholder"]
        constants = [value for _, value in functional.constants]
        trains = has_gradients(self._module.graph)
        wanted = tuple(trains and value.requires_grad for value in [*inputs, *constants])
        wanted += (False,) * len(functional.lists)
        key = text, target, target.pipeline(self._options), self._options.cache
        region = _regions.get(key)
        if region is None:
            region = _regions[key] = compile_region(text, self._options, target, wanted=wanted)
        lists = {number: path_of(origin_of(node))[0] for number, node in enumerate(function.inputs)
                 if node.op != "placeholder"}  # fmt: skip

        def name_lists(region: Region, training: Training | None) -> None:
            region.name_lists(lists)
            if training is not None:
                training.forward.name_lists(lists)

        training = None
        if True in wanted:
            training = region.trainings.find(wanted)
            if not isinstance(training, Training):
                raise CaptureError(region.trainings.refusal)
        else:
            region.manifest  # noqa: B018
        name_lists(region, training)
        others = finders(Codes(text, self._options, target, wanted, name_lists), self._budget)
        results = [value_of(node) for node in function.outputs]
        autocast = has_autocast(self._module.graph)
        return self._region_type(region, training, function.module, constants, autocast, function.widens, results,
                                 trimming, others)

    def _compiles_plainly(self, text: str) -> bool:
        try:
            compile_region(text, Options(), CPU, differentiable=False)
        except CompilerRefusal:
            return False
        return True


def _joined(version: Version, inner: Iterable[Version]) -> Version:
    """A version, and what became of the functions that it calls."""
    for each in inner:
        version.texts += each.texts
        version.regions += each.regions
        version.registered += each.registered
        version.dense += each.dense
    return version


def _copied(graph: torch.fx.Graph) -> torch.fx.Graph:
    copy = torch.fx.Graph()
    copy.output(copy.graph_copy(graph, {}))
    for node, source in zip(copy.nodes, graph.nodes):
        node.meta = dict(source.meta)
    return copy


def _take_apart(partition: Partition) -> None:
    """Leaves to PyTorch what takes several results of a node apart that it runs."""
    for node in partition.nodes:
        source = node.args[0] if node.target is operator.getitem else None
        if source in partition.reasons and isinstance(value_of(source), (tuple, list)):
            partition.reasons.setdefault(node, Reason())


def _unwrapping(run: Callable, positions: list[int]) -> Callable:
    """The function, which also gets the tensors in some of its inputs, behind all others."""
    return lambda *inputs: run(*inputs, *(inputs[position]._data for position in positions))


def _reading_late_rows(partition: Partition) -> set[str]:
    """Names of nodes that PyTorch runs for want of a rule, of a graph that moves rows behind other dimensions."""
    if all(dim == 0 for _, dim, _ in movements(partition.graph)):
        return set()
    return {node.name for node, why in partition.reasons.items() if why.text == NO_RULE and gives_floats(node)}


def _pays(region: list[Node], operators: dict[Node, list[str]]) -> bool:
    """Whether a kernel is faster than what it replaces."""
    names = [name for node in region for name in operators.get(node, ())]
    if _REDUCTIONS.intersection(names):
        return True
    if _GATHERS.isdisjoint(names):
        return False
    results = set(read_elsewhere(region))
    return sum(_width(node) for node in region if node not in results) >= _LEAST_WIDTH


def _width(node: Node) -> int:
    """How many numbers a node computes for each row, or the like: the product of the sizes that are known."""
    value = value_of(node)
    given = {place for source in node.all_input_nodes for place in storages(source)}
    if not isinstance(value, Tensor) or not value.is_floating_point() or storages(node) & given:
        return 0
    return math.prod(size for size in value.shape if isinstance(size, int))
