"""A call that was captured whole, as text and as what its arguments and results are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import Tensor, nn
from torch.fx import Node
from torch.utils import _pytree as pytree

from .._capture.captured import Captured
from .._capture.dropout_masks import DropoutMaskInputs
from .._capture.edge_lists import EdgeListInputs
from .._capture.error import CaptureError
from .._capture.inputs import InputSpec, dynamic_dim, identifier
from .._capture.places import place_of
from .._capture.serialize import live_nodes, module_text, shows_value, string_text, type_text, value_text
from .._run.autocast import is_narrow
from .functional import placeholders_of

if TYPE_CHECKING:
    from .full_graph import FullGraph


def describe_call(graph: FullGraph, model: nn.Module, inputs: InputSpec, examples: list[Tensor],
                  result: Any) -> Captured:
    """What a capture gives.

    Args:
        graph: the call, whose functional form is changed.
        model: whose parameters and buffers it reads.
        inputs: the structure of its arguments.
        examples: the tensors that it was captured with.
        result: what it returned of the graph's stand-ins.

    Raises:
        CaptureError: a result is neither a tensor nor a constant, or the text cannot say what is computed.
    """
    return _Describer(graph, model, inputs, examples).describe(result)


class _Describer:
    """Finds out what each argument of the function is.

    The keys of arguments are nodes of the functional graph; of tensors that it does not read, the tensors' ids.
    """

    def __init__(self, graph: FullGraph, model: nn.Module, inputs: InputSpec, examples: list[Tensor]):
        self._whole, self._graph, self._inputs, self._examples = graph, graph.functional.graph, inputs, examples
        named = [*model.named_parameters(), *model.named_buffers()]
        self._names = {id(tensor): name for name, tensor in named}
        held = dict(graph.functional.constants)
        read = [node for node in placeholders_of(self._graph) if node not in held]
        self._tensors: dict[Any, Tensor] = {**dict(zip(read, graph.given, strict=True)), **held}
        self._keys: dict[int, Any] = {id(tensor): node for node, tensor in self._tensors.items()}
        self._arguments: list[tuple[Any, str, str, str]] = []

    def describe(self, result: Any) -> Captured:
        graph, inputs = self._graph, [self._key_of(example) for example in self._examples]
        paths = self._inputs.paths
        mask_inputs = DropoutMaskInputs(graph, [(path, key if isinstance(key, Node) else None)
                                                for path, key in zip(paths, inputs)])  # fmt: skip
        list_inputs = EdgeListInputs(graph)
        nodes = live_nodes(graph, list_inputs.nodes)
        # Behind dropout, which is another node now.
        returned = next(node for node in graph.nodes if node.op == "output").args[0]
        self._outputs = list(returned)[len(returned) - len(self._whole.results) :]
        results, outputs, structure = self._results(result)
        for key, path in zip(inputs, paths):
            self._add(key, path, f"rgnn.input = {string_text(path)}", dynamic=True)
        used = {source for node in [*nodes, *list_inputs.computed] for source in node.all_input_nodes}
        known = {*inputs, *mask_inputs.nodes}
        others = [key for key in self._tensors if (key in used or key in results) and key not in known]
        names = [*paths]
        parameters = [key for key in others if id(self._tensors[key]) in self._names]
        for key in parameters:
            names.append(name := self._names[id(self._tensors[key])])
            self._add(key, name, f"rgnn.param = {string_text(name)}")
        constants = []
        for number, key in enumerate(key for key in others if key not in set(parameters)):
            value = self._tensors[key].detach()
            constants.append(value.float() if self._whole.part.widens and is_narrow(value) else value)
            text = f"rgnn.constant = {number}"
            if shows_value(value):
                text += f", rgnn.value = {value_text(value)}"
            names.append(f"constant_{number}")
            self._add(key, names[-1], text)
        list_inputs.bind([key for key, *_ in self._arguments], names)
        for node, name in zip(list_inputs.nodes, list_inputs.names):
            self._add(node, f"{name}_ends", f"rgnn.derived = {string_text(name)}")
        for node in mask_inputs.nodes:
            self._add(node, node.name, 'rgnn.drawn = "bernoulli"')
        return Captured(
            text=module_text(self._arguments, nodes, results, place_of), inputs=self._inputs,
            parameters=names[len(paths) : len(paths) + len(parameters)], constants=constants, lists=list_inputs.lists,
            masks=mask_inputs.masks, widens=self._whole.part.widens, dtypes=self._dtypes(results),
            out_spec=structure, outputs=outputs,
        )  # fmt: skip

    def _key_of(self, tensor: Tensor) -> Any:
        key = self._keys.setdefault(id(tensor), id(tensor))
        self._tensors.setdefault(key, tensor)
        return key

    def _add(self, key: Any, name: str, attribute: str, dynamic: bool = False) -> None:
        if isinstance(key, Node):
            kind = type_text(key.meta["val"])
        else:
            tensor = self._tensors[key]
            tensor = tensor.float() if self._whole.part.widens and is_narrow(tensor) else tensor
            kind = type_text(tensor, dynamic_dim(tensor) if dynamic else None)
        self._arguments.append((key, identifier(name), kind, attribute))

    def _results(self, result: Any) -> tuple[list[Any], list[tuple[bool, Any]], pytree.TreeSpec]:
        """Keys of the tensors that the function gives, what each leaf of the result is, and its structure."""
        made = {id(stand_in): node for stand_in, node in zip(self._whole.results, self._outputs)}
        leaves, structure = pytree.tree_flatten(result)
        results: list[Any] = []
        outputs: list[tuple[bool, Any]] = []
        for leaf in leaves:
            if isinstance(leaf, Tensor):
                outputs.append((True, len(results)))
                results.append(made[id(leaf)] if id(leaf) in made else self._key_of(leaf))
            elif isinstance(leaf, Size):
                raise CaptureError("expected tensors as results, got a size")
            else:
                outputs.append((False, leaf))
        if not results:
            raise CaptureError("expected a tensor among the results, got none")
        return results, outputs, structure

    def _dtypes(self, results: list[Any]) -> Any:
        """What PyTorch gives under autocast; None without."""
        if not self._whole.has_autocast:
            return None
        nodes = dict(zip(self._outputs, self._whole.results))
        return [(nodes[key] if key in nodes else self._tensors[key]).dtype for key in results]


class Size:
    """What stands for a number in the result of a call."""
