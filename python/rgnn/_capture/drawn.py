"""Random numbers that PyTorch draws before the captured function runs: the masks of dropout.

Dropout multiplies by a mask of zeros and ``1 / (1 - p)``. The product is captured, the mask becomes an argument: drawn
anew at each call, in the order in which the model draws, so that equal seeds give what the model gives in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy
import torch
import torch.fx
from torch import Tensor

from .error import CaptureError
from .serialize import live_nodes, location_of, target_text

_aten = torch.ops.aten


@dataclass(frozen=True)
class Draw:
    """One drawn tensor: its dtype, how probable a one is, what it is divided by, and its shape from sizes of inputs."""

    dtype: torch.dtype
    keep: float
    divisor: float | None
    shape: Callable[..., list[int]]

    def __call__(self, sizes: list[int]) -> Tensor:
        shape = self.shape(*sizes)
        if self.divisor == 0:  # all is dropped: PyTorch draws nothing
            return torch.zeros(shape, dtype=self.dtype, device="cpu")
        ones = torch.empty(shape, dtype=self.dtype, device="cpu").bernoulli_(self.keep)
        return ones if self.divisor is None else ones.div_(self.divisor)


class DrawnInputs:
    """Takes dropout out of a captured program; see the top of the file.

    What is drawn by another operator, or in another layout than rows, is left to PyTorch, and all that is drawn after
    it: the order stays.

    Args:
        graph: the program, which is changed.
        inputs: of each input its name, and its node if it has sizes of its own.

    Attributes:
        nodes: the arguments that the masks become.

    Raises:
        CaptureError: numbers are drawn whose order a model that runs in parts would not keep.
    """

    def __init__(self, graph: torch.fx.Graph, inputs: list[tuple[str, torch.fx.Node | None]]):
        self.nodes: list[torch.fx.Node] = []
        self._draws: list[Draw] = []
        self._names = [name for name, _ in inputs]
        self._sources: dict[sympy.Symbol, tuple[int, int]] = {}  # position and dimension of an input of this size
        for position, (_, node) in enumerate(inputs):
            for dim, size in enumerate(() if node is None else node.meta["val"].shape):
                if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
                    self._sources.setdefault(size.node.expr, (position, dim))
        random = [node for node in graph.nodes if _is_random(node)]
        while random and self._take(graph, random[0]):
            random.pop(0)
        if len(random) > 1 or not set(random).issubset(live_nodes(graph)):
            where = location_of(random[0]) or "model"
            raise CaptureError(f"{where}: {target_text(random[0])}: it draws random numbers out of turn")

    def _take(self, graph: torch.fx.Graph, node: torch.fx.Node) -> bool:
        """Makes a mask an argument, if it can be drawn before."""
        target, (source, rate, *_) = node.target, (*node.args, None, None)
        shape = self._shape(source.meta["val"]) if isinstance(source, torch.fx.Node) else None
        if shape is None or node.kwargs:
            return False
        dtype = source.meta["val"].dtype
        if target is _aten.bernoulli.p:  # what dropout in place becomes
            draw, result = Draw(dtype, rate, None, shape), node
        elif target is _aten.dropout.default:
            draw, result = Draw(dtype, 1 - rate, 1 - rate, shape), node
        elif target is _aten.native_dropout.default and all(user.args[1] == 0 for user in node.users):
            draw, result = Draw(dtype, 1 - rate, 1 - rate, shape), next(iter(node.users), node)
        else:
            return False
        with graph.inserting_before(node):
            mask = product = graph.placeholder(f"dropout_mask_{len(self.nodes)}")
            mask.meta["val"] = source.meta["val"]
            if target is not _aten.bernoulli.p:
                product = graph.call_function(_aten.mul.Tensor, (source, mask))
                product.meta = {**result.meta, "val": source.meta["val"]}
        result.replace_all_uses_with(product)
        self.nodes.append(mask)
        self._draws.append(draw)
        return True

    def _shape(self, value: Tensor) -> Callable[..., list[int]] | None:
        """The shape of a tensor from sizes of inputs; None where its numbers lie in another order, or more matters."""
        if not torch.empty_like(value).is_contiguous():  # then numbers are drawn in another order
            return None
        sizes = [size.node.expr if isinstance(size, torch.SymInt) else sympy.Integer(size) for size in value.shape]
        if not all(size.free_symbols <= self._sources.keys() and size.is_polynomial() for size in sizes):
            return None
        return sympy.lambdify(list(self._sources), sizes)

    def draw(self, inputs: list[Tensor]) -> list[Tensor]:
        """The masks of one call.

        Raises:
            IndexError: an input has no rows to count.
        """
        for position, dim in self._sources.values():
            if inputs[position].dim() <= dim:
                raise IndexError(f"input '{self._names[position]}': expected rows, got shape []")
        sizes = [inputs[position].shape[dim] for position, dim in self._sources.values()]
        return [draw(sizes) for draw in self._draws]


def _is_random(node: torch.fx.Node) -> bool:
    """Whether an operator draws from PyTorch's generator."""
    if not isinstance(node.target, torch._ops.OpOverload) or torch.Tag.nondeterministic_seeded not in node.target.tags:
        return False
    schema = node.target._schema.arguments
    arguments = {argument.name: argument.default_value for argument in schema}
    arguments.update(zip(arguments, node.args), **node.kwargs)
    if arguments.get("train", arguments.get("training")) is False:
        return False
    return arguments.get("p" if "train" in arguments else "dropout_p") != 0
