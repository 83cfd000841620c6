"""Takes dropout out of a captured program: what it draws becomes an argument.

Dropout multiplies by a mask of zeros and ``1 / (1 - p)``. The product is captured, the mask is drawn before.
"""

from __future__ import annotations

import sympy
import torch
import torch.fx
from torch import Tensor

from .._run.masks import Draw, Masks, Polynomial
from .error import CaptureError
from .places import location_of
from .serialize import live_nodes, target_text

_aten = torch.ops.aten


class DropoutMaskInputs:
    """Takes dropout out of a captured program; see the top of the file.

    What is drawn by another operator, or in another layout than rows, is left to PyTorch, and all that is drawn after
    it: the order stays.

    Args:
        graph: the program, which is changed.
        inputs: of each input its name, and its node if it has sizes of its own.

    Attributes:
        nodes: the arguments that the masks become.
        masks: draws them; None where there are none.

    Raises:
        CaptureError: numbers are drawn whose order a model that runs in parts would not keep.
    """

    def __init__(self, graph: torch.fx.Graph, inputs: list[tuple[str, torch.fx.Node | None]]):
        self.nodes: list[torch.fx.Node] = []
        self._draws: list[Draw] = []
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
        places = list(self._sources.values())
        self.masks = Masks([name for name, _ in inputs], places, self._draws) if self.nodes else None

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

    def _shape(self, value: Tensor) -> list[Polynomial] | None:
        """The shape of a tensor from sizes of inputs; None where its numbers lie in another order, or more matters."""
        if not torch.empty_like(value).is_contiguous():  # then numbers are drawn in another order
            return None
        sizes = [size.node.expr if isinstance(size, torch.SymInt) else sympy.Integer(size) for size in value.shape]
        if not all(size.free_symbols <= self._sources.keys() and size.is_polynomial() for size in sizes):
            return None
        polynomials = [sympy.Poly(size, *self._sources) if size.free_symbols else size for size in sizes]
        if any(not factor.is_Integer for polynomial in polynomials for _, factor in _terms(polynomial)):
            return None
        return [[(int(factor), numbers) for numbers, factor in _terms(polynomial)] for polynomial in polynomials]


def _terms(polynomial: sympy.Poly | sympy.Integer) -> list[tuple[list[int], sympy.Expr]]:
    """The numbers of the symbols in each product, as often as it has them, and its factor."""
    if not isinstance(polynomial, sympy.Poly):
        return [([], polynomial)]
    return [([n for n, power in enumerate(powers) for _ in range(power)], factor) for powers, factor in
            polynomial.terms()]


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
