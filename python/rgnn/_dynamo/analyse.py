"""Finds out which nodes of a captured graph can be compiled, and why the others cannot."""

from __future__ import annotations

import itertools
import json
import operator
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import split
from torch import Tensor
from torch.fx import Graph, GraphModule, Node
from torch.utils import _pytree as pytree

from .._capture.error import CaptureError
from .._capture.places import location_of
from .._capture.serialize import target_text
from .._compiler import NOT_LIFTED
from .._ops.lowering import op_of
from .branches import check_rows_picked
from .decompositions import find_decompositions
from .decompositions.declare import ALWAYS
from .decompositions.expand import expand
from .expressions import expression_of
from .functional import DECOMPOSED, Functional, Subgraph, UntraceableError, extract, trace, value_of
from .lists_of_nodes import add_lists, counted_by, remove_lists
from .narrow import narrow
from .normalise.changes import averages_of, changed_by
from .normalise.contexts import CONTEXTS, changed_in_body, changes_without_gradients, has_body, run_checkpointed
from .normalise.draws import DRAWS
from .normalise.rows.first import BRINGS
from .normalise.rows.given import IS_GIVEN
from .partition import Partition, Reason, odd_tensor, storages
from .random_draws import is_random
from .text import write


@dataclass
class Analysis:
    """What is known of a graph.

    Attributes:
        partition: what PyTorch runs of it.
        operators: of each node, the names of its ATen operators.
        whole: all that has a form in ATen.
        functional: that form.
    """

    partition: Partition
    operators: dict[Node, list[str]]
    whole: Subgraph
    functional: Functional

    @property
    def has_lists_of_nodes(self) -> bool:
        return any(counted_by(node) for node, _ in self.functional.constants)


def analyse(module: GraphModule) -> Analysis:
    """Parts a graph into what can be compiled, as far as operators say, and what PyTorch has to run.

    Raises:
        CaptureError: nothing of the graph can be.
    """
    module.meta.setdefault(DECOMPOSED, dict(ALWAYS))
    nodes = [node for node in module.graph.nodes if node.op not in ("placeholder", "output")]
    refused = {node: Reason(why) for node in nodes if (why := _refusal(node))}
    untraceable: set[Node] = set()
    while True:
        for node in nodes:
            # What takes an operator's several results apart goes with it.
            if _is_untraceable(node) or any(source in untraceable and not isinstance(value_of(source), Tensor)
                                            and not is_integer(source) for source in node.all_input_nodes):  # fmt: skip
                untraceable.add(node)
                refused.setdefault(node, Reason())
        candidates = [node for node in nodes if node not in untraceable]
        outputs = read_elsewhere(candidates)
        if not outputs:
            raise CaptureError("it computes nothing of tensors")
        part = extract(module, candidates, outputs, has_autocast(module.graph))
        try:
            functional = trace(part)
            break
        except UntraceableError as error:
            node = part.origins.get(error.node)
            if node not in candidates:
                raise
            if found := _new_decompositions(part, [(f"aten.{_own_name(node)}", False)]):
                part.decompositions.update(found)
                continue
            untraceable.add(node)
            refused[node] = Reason(error.reason)
    functional, reasons = decompose(part, functional)
    numbered = list(part.module.graph.nodes)
    operators: dict[Node, list[str]] = {}
    drawing = []
    for node in functional.graph.nodes:
        if node.op == "call_function" and node.meta["origin"] is not None:
            origin = part.origins.get(numbered[node.meta["origin"]])
            if origin is not None:
                operators.setdefault(origin, []).append(_name(node))
                if is_random(node.target):
                    drawing.append(origin)
    changes = {part.origins[node]: [part.origins[source] for source in sources]
               for node, sources in functional.changed.items()}  # fmt: skip
    # Norms change averages unseen.
    changes |= {node: moved for node in nodes if node not in changes and (moved := averages_of(node))}
    # What gives nothing is there for what it does: PyTorch does not count each change (the size of a storage).
    silent = {node for node in candidates if value_of(node) is None and node not in changes}
    changes |= {node: changed_in_body(node) if has_body(node) else node.all_input_nodes
                for node in nodes if (node in silent or node in untraceable) and _may_change(node)}  # fmt: skip
    partition = Partition(module.graph, changes)
    partition.reasons.update(refused)
    partition.reasons.update(_look_again(module, part, functional, reasons))
    drawing = [node for node in nodes if node in drawing or node.target in DRAWS]
    partition.reasons.update((node, Reason(_why_drawing(operators.get(node, ())))) for node in drawing)
    partition.order([node for node in nodes if node in drawing or has_body(node)])  # what a body draws is not seen here
    partition.check_before_changes([node for node in nodes if node.target in (torch._assert_async, check_rows_picked)])
    partition.count_before_reads([node for node in nodes if node.target is check_rows_picked])
    for node in refused:
        if node.target in CONTEXTS:
            partition.separate(node)
    return Analysis(partition, operators, part, functional)


def _look_again(module: GraphModule, whole: Subgraph, functional: Functional,
                reasons: dict[Node, Reason]) -> dict[Node, Reason]:  # fmt: skip
    """The reasons that nodes are not lifted for, without those of nodes that only read what others need, too.

    Edges that are made of edges are an argument to the compiler once PyTorch makes them; until then it knows no graph
    of theirs. Views of such edges are lifted with what reads them. The size that makes an operator's result makes that
    of an aggregation, and where the one is PyTorch's, so is the size. By itself the other finds its size elsewhere.
    """
    made = {node: why for node, why in reasons.items() if why.text and not gives_floats(node) and not _is_view(node)}
    if made and any(map(gives_floats, reasons)):
        again = _unlifted_of(module, whole, functional, [node for node in whole.nodes if node not in made])
        reasons = reasons if again is None else made | again
    silent = [node for node, why in reasons.items() if not why.text and gives_floats(node)]
    if not silent:
        return reasons
    left = [node for node in whole.nodes if node not in reasons or node in silent]
    again = _unlifted_of(module, whole, functional, left)
    if again is None:
        return reasons
    return {node: why for node, why in reasons.items() if node not in silent} | {
        node: again[node] for node in silent if node in again}  # fmt: skip


def _unlifted_of(module: GraphModule, whole: Subgraph, functional: Functional,
                 nodes: list[Node]) -> dict[Node, Reason] | None:  # fmt: skip
    """Those of some nodes of a graph that the compiler does not lift by themselves; None where they have no text.

    What takes an operator's several results apart goes with it.
    """
    inside: set[Node] = set()
    for node in nodes:
        if all(source in inside or isinstance(value_of(source), Tensor) or is_integer(source)
               for source in node.all_input_nodes):  # fmt: skip
            inside.add(node)
    nodes = [node for node in nodes if node in inside]
    try:
        part = extract(module, nodes, read_elsewhere(nodes), has_autocast(module.graph))
        return _unlifted_with_lists(part, narrow(whole, functional, part) or trace(part))
    except CaptureError:
        return None


def decompose(part: Subgraph, functional: Functional, **settings: bool) -> tuple[Functional, dict[Node, Reason]]:
    """The form of a part with fewer operators that the compiler does not lift, and the nodes that it does not."""
    reasons = first = _unlifted_with_lists(part, functional)
    while True:
        told = itertools.chain.from_iterable((why, *why.others) for why in reasons.values())
        refused = {(why.op, why.text == NO_RULE) for why in told}
        found = _new_decompositions(part, refused)
        if not found:
            break
        part.decompositions.update(found)
        remove_lists(functional)
        functional = expand(functional, found, part.decompositions) or trace(part, **settings)
        reasons = _unlifted_with_lists(part, functional)
    # The operators that the model has say more than what they are made of.
    return functional, {node: first.get(node, why) if why.text else why for node, why in reasons.items()}


def _new_decompositions(part: Subgraph, refused: Iterable[tuple[str, bool]]) -> dict:
    """Those of operators that the part has none of yet."""
    return {operator: how for operator, how in find_decompositions(refused).items()
            if operator not in part.decompositions}  # fmt: skip


def _unlifted_with_lists(part: Subgraph, functional: Functional) -> dict[Node, Reason]:
    """The nodes that are not lifted, once rows that are joined are nodes of graphs, where that helps."""
    reasons = unlifted(part, functional)
    if reasons and add_lists(functional):
        again = unlifted(part, functional)
        if len(again) < len(reasons):
            return again
        remove_lists(functional)
    return reasons


def gives_floats(node: Node) -> bool:
    return any(isinstance(leaf, Tensor) and leaf.is_floating_point() for leaf in pytree.tree_leaves(value_of(node)))


def _is_view(node: Node) -> bool:
    return any(storages(node) & storages(source) for source in node.all_input_nodes)


def read_elsewhere(nodes: Iterable[Node]) -> list[Node]:
    """Those of the nodes that nodes outside read, but for what has no value."""
    inside = set(nodes)
    return [node for node in nodes if any(user not in inside for user in node.users)]


def unlifted(part: Subgraph, functional: Functional) -> dict[Node, Reason]:
    """The nodes of the graph that the compiler does not lift, and why; of a part of the graph.

    Raises:
        CaptureError: the part has no text.
    """
    nodes = {f"node:{number}": part.origins.get(node) for number, node in enumerate(part.module.graph.nodes)}
    text = write(part, functional, lambda node: ("node", node.meta["origin"] or 0))
    try:
        described, remarks = split(text)
    except CompilerRefusal as error:
        raise CaptureError(str(error).strip().split("\n", 1)[0]) from error
    reasons = {step["where"]: Reason() for step in json.loads(described)["steps"] if "torch" in step}
    for remark in remarks:
        if remark.name == NOT_LIFTED:
            first, why = reasons.get(remark.where, Reason()), Reason(remark.text, remark.op)
            reasons[remark.where] = first._replace(others=(*first.others, why)) if first.text else why
    return {node: reasons[place] for place, node in nodes.items()
            if place in reasons and node is not None and node.op not in ("placeholder", "output")}  # fmt: skip


def _is_untraceable(node: Node) -> bool:
    """Whether a node has no form in ATen, or one that is of no use."""
    if node.op not in ("call_function", "call_method") or isinstance(node.target, torch._ops.HigherOrderOperator):
        return True
    if IS_GIVEN in node.meta or node.target in (*CONTEXTS, *DRAWS, run_checkpointed, check_rows_picked, *BRINGS):
        return True
    return any(map(_is_fraction, node.all_input_nodes)) or _gives_number(node) or bool(odd_tensor(node))


def is_integer(node: Node) -> bool:
    return expression_of(value_of(node)) is not None


def _is_fraction(node: Node) -> bool:
    """Whether a node is a number that is no integer, and differs from call to call."""
    return isinstance(value_of(node), torch.SymFloat)


def _gives_number(node: Node) -> bool:
    value = value_of(node)
    return value is not None and not any(isinstance(leaf, Tensor) for leaf in pytree.tree_leaves(value))


def _may_change(node: Node) -> bool:
    """Whether a node that is not traced may change what it reads."""
    if node.target in CONTEXTS or node.target in (*DRAWS, *BRINGS) or _gives_number(node) or op_of(node) is not None:
        return False
    if node.op == "call_method" or isinstance(node.target, torch._ops.OpOverload):
        return bool(changed_by(node))
    return bool(changed_by(node)) or not _changes_nothing(node.target)


def _changes_nothing(function: Callable) -> bool:
    """Whether a function is Python's own, or one of PyTorch's operators that says that it changes no argument."""
    if not isinstance(function, types.BuiltinFunctionType):
        return False
    module = (getattr(function, "__module__", None) or "").split(".")[0]
    if module in ("_operator", "builtins"):
        return True
    packet = getattr(torch.ops.aten, function.__name__, None) if module == "torch" else None
    # Normalisations store averages, which their schemas do not say.
    return packet is not None and "norm" not in function.__name__ and not any(
        getattr(packet, name)._schema.is_mutable for name in packet.overloads() if "out" not in name)


def _refusal(node: Node) -> str:
    """Why PyTorch runs a node whatever its operator; empty where that is open."""
    if node.target in CONTEXTS or isinstance(node.target, torch._ops.HigherOrderOperator) or node.op == "call_module":
        is_function = getattr(node.target, "__name__", "") == "autograd_function_apply"
        return ("it is an autograd.Function whose backward does more than scale (rgnn.register_op takes such operators)"
                if is_function else "it is no operator on tensors")  # fmt: skip
    if node.target is run_checkpointed:
        return "its results are computed again for the backward"
    if changes_without_gradients(node):
        return "it changes what gradients pass"
    if any(map(_is_fraction, node.all_input_nodes)):
        return "it reads a number that differs from call to call"
    if node.target in DRAWS:
        return "it draws random numbers"
    if averages_of(node):
        return "it changes averages that the model makes"
    value = value_of(node)
    leaves = pytree.tree_leaves(value)
    if not leaves or not all(isinstance(leaf, Tensor) for leaf in leaves):
        return "it gives a number" if _gives_number(node) else "it gives no tensor"
    if odd := odd_tensor(node):
        return odd
    read = [value_of(source) for source in (node.args[:1] if _own_name(node) in _SHAPED else node.all_input_nodes)]
    floats = [leaf for leaf in leaves if leaf.is_floating_point()]
    wanting = any(isinstance(leaf, Tensor) and leaf.requires_grad for leaf in pytree.tree_leaves(read))
    passes = any(leaf.requires_grad for leaf in floats) or _own_name(node) in _FILLS
    picks = node.target is operator.getitem and not isinstance(read[0], Tensor)  # one of an operator's results
    if wanting and floats and not passes and not picks and _own_name(node) != "detach" and has_gradients(node.graph):
        return "no gradient passes it"
    return ""


def has_gradients(graph: Graph) -> bool:
    """Whether autograd is on, at least for a part of the graph."""
    return torch.is_grad_enabled() or any(node.target is torch._C._set_grad_enabled and node.args[0] is True
                                          for node in graph.nodes)  # fmt: skip


def has_autocast(graph: Graph) -> bool:
    """Whether autocast is on, at least for a part of the graph."""
    enter = torch.amp.autocast_mode._enter_autocast
    return any(map(torch.is_autocast_enabled, ("cpu", "cuda"))) or any(node.target is enter for node in graph.nodes)


NO_RULE = "no rule for it"
# They read no numbers of a tensor, but its sizes.
_FILLS = {"new_zeros", "new_ones", "new_full", "new_empty", "zeros_like", "ones_like", "full_like", "empty_like"}
# What they read beside their first argument has the shape that they give it.
_SHAPED = {"expand_as", "view_as", "reshape_as"}


def _why_drawing(operators: Iterable[str]) -> str:
    """Why PyTorch runs a node of some operators that draw random numbers, or may."""
    is_recurrent = any(name.startswith(("aten.lstm", "aten.gru", "aten.rnn")) for name in operators)
    return "no rule for it" if is_recurrent else "it draws random numbers"  # recurrent layers do for dropout


def _name(node: Node) -> str:
    try:
        return target_text(node)
    except CaptureError:
        return str(node.target)


def describe(node: Node, reason: Reason) -> tuple[str, str, str]:
    """Operator, reason and source line of a node that PyTorch runs."""
    return reason.op or _own_name(node), reason.text, location_of(node)


def _own_name(node: Node) -> str:
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))
