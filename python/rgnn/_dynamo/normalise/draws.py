"""Random numbers are drawn for sizes alone: PyTorch draws them in front of what is compiled, in the model's order.

What is done with them are other operators: ``gumbel_softmax``, ``alpha_dropout`` and ``dropout1d`` are written out.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.fx import Graph, Node

from ..functional import value_of
from .changes import name_of
from .dropout import draw_mask, order_of
from .emit import call


def draw_numbers(method: str, parameters: tuple, named: dict[str, Any], dtype: torch.dtype, device: torch.device,
                 order: tuple[int, ...], *shape: int) -> Tensor:  # fmt: skip
    """What a method of tensors, such as ``normal_``, fills a new one with.

    Args:
        method: its name.
        parameters: what it is given besides.
        named: by names.
        order: the dimensions, from the one whose entries are furthest apart in memory; numbers are drawn in this order.
    """
    made = torch.empty([shape[dim] for dim in order], dtype=dtype, device=device)
    return getattr(made.permute(*map(order.index, range(len(order)))), method)(*parameters, **named)


DRAWS = (draw_mask, draw_numbers)


def draw_by_sizes(graph: Graph) -> None:
    """``rand_like(h)``, ``empty_like(h).normal_()`` and the like need no numbers of ``h``."""
    for node in list(graph.nodes):
        with graph.inserting_before(node):
            if node.target in _LIKE:
                _replace(node, _draw(graph, node, node.args[0], _LIKE[node.target]))
            elif node.op == "call_method" and node.target in FILLS:
                _draw_anew(graph, node)
            elif node.target is F.gumbel_softmax:
                _write_gumbel(graph, node)
            elif node.target in _DROPOUTS:
                _write_dropout(graph, node)


_LIKE = {torch.rand_like: "uniform_", torch.randn_like: "normal_"}
FILLS = ("uniform_", "normal_", "exponential_", "log_normal_", "cauchy_", "geometric_", "random_", "bernoulli_")
"""Methods that fill a tensor with random numbers."""
_NEW = {"empty_like", "zeros_like", "ones_like", "full_like", "empty", "zeros", "ones", "full", "new_empty",
        "new_zeros", "new_ones", "new_full"}  # fmt: skip
_DROPOUTS = {F.alpha_dropout: (True, False), F.feature_alpha_dropout: (True, True), F.dropout1d: (False, True),
             F.dropout2d: (False, True), F.dropout3d: (False, True)}  # fmt: skip
"""Whether what is dropped becomes the least value of ``selu``, and whether channels are dropped whole."""


def _draw(graph: Graph, node: Node, like: Node, method: str, parameters: tuple = (),
          named: dict[str, Any] | None = None, order: tuple[int, ...] | None = None,
          ones: tuple[int, ...] = ()) -> Node | None:  # fmt: skip
    """Numbers for a tensor of the shape of ``like``; None where there are gaps between those of ``node``.

    Args:
        order: in which they are drawn; by itself that in which the numbers of ``node`` lie in memory.
        ones: dimensions along which all are the same.
    """
    value = value_of(like)
    order = order or order_of(value_of(node))
    named = named or {}
    if order is None or any(isinstance(parameter, Node) for parameter in (*parameters, *named.values())):
        return None
    shape = [1 if dim in ones else size for dim, size in enumerate(value.shape)]
    sizes = [size if type(size) is int else call(graph, node, torch.ops.aten.sym_size.int, like, dim)
             for dim, size in enumerate(shape)]  # fmt: skip
    drawn = graph.call_function(draw_numbers, (method, parameters, named, value.dtype, value.device, order, *sizes))
    drawn.meta = {"example_value": value.new_empty(shape).detach(), "stack_trace": node.meta.get("stack_trace")}
    return drawn


def _replace(node: Node, new: Node | None) -> None:
    if new is not None:
        node.replace_all_uses_with(new)
        node.graph.erase_node(node)


def _draw_anew(graph: Graph, node: Node) -> None:
    """A tensor that is made to be filled is not made; what it is used for later is what it was filled with."""
    made = node.args[0]
    if not made.op.startswith("call") or name_of(made) not in _NEW:
        return
    if min(made.users) is not node or "generator" in node.kwargs:
        return
    new = _draw(graph, node, made, node.target, node.args[1:], node.kwargs)
    if new is not None:
        new.meta["example_value"] = value_of(node)  # which later changes in place change
        made.meta = {**made.meta, "example_value": value_of(made).new_empty(value_of(made).shape)}  # of sizes alone
        made.replace_all_uses_with(new, lambda user: user.target is not torch.ops.aten.sym_size.int)
        _replace(node, new)


def _write_gumbel(graph: Graph, node: Node) -> None:
    named = dict(zip(("logits", "tau", "hard", "eps", "dim"), node.args), **node.kwargs)
    given = {"tau": 1, "hard": False, "dim": -1, **named}
    logits, dim, tau = given["logits"], given["dim"], given["tau"]
    drawn = _draw(graph, node, logits, "exponential_", order=tuple(range(value_of(logits).dim())))
    if drawn is None:
        return
    noise = call(graph, node, operator.neg, call(graph, node, torch.log, drawn))
    noisy = call(graph, node, operator.truediv, call(graph, node, operator.add, logits, noise), tau)
    soft = call(graph, node, torch.softmax, noisy, dim)
    if given["hard"]:
        index = call(graph, node, torch.argmax, soft, dim, True)
        hard = call(graph, node, "scatter", call(graph, node, torch.zeros_like, soft), dim, index, 1.0)
        soft = call(graph, node, operator.add,
                    call(graph, node, operator.sub, hard, call(graph, node, "detach", soft)), soft)  # fmt: skip
    _replace(node, soft)


def _write_dropout(graph: Graph, node: Node) -> None:
    is_alpha, of_channels = _DROPOUTS[node.target]
    named = dict(zip(("input", "p", "training", "inplace"), node.args), **node.kwargs)
    given = {"p": 0.5, "training": node.target in _BY_ITSELF, "inplace": False, **named}
    x, rate = given["input"], given["p"]
    rank = value_of(x).dim()
    if given["inplace"] or isinstance(rate, Node) or isinstance(given["training"], Node):
        return
    if not given["training"] or rate == 0:
        _replace(node, x)
        return
    if rate == 1:  # PyTorch draws nothing
        _replace(node, call(graph, node, operator.mul, x, 0.0))
        return
    # Without a batch, the first dimension counts channels.
    channels = 0 if (node.target, rank) in ((F.dropout1d, 2), (F.dropout3d, 4)) else 1
    ones = tuple(range(channels + 1, rank)) if of_channels else ()
    order = tuple(range(rank)) if of_channels else None
    noise = _draw(graph, node, x, "bernoulli_", (1 - rate,), order=order, ones=ones)
    if noise is None:
        return
    if not is_alpha:
        _replace(node, call(graph, node, operator.mul, x, call(graph, node, operator.truediv, noise, 1 - rate)))
        return
    scale = 1 / math.sqrt((_ALPHA * _ALPHA * rate + 1) * (1 - rate))
    added = call(graph, node, operator.mul, call(graph, node, operator.sub, noise, 1), _ALPHA * scale)
    added = call(graph, node, operator.add, added, _ALPHA * scale * rate)
    kept = call(graph, node, operator.mul, x, call(graph, node, operator.mul, noise, scale))
    _replace(node, call(graph, node, operator.add, kept, added))


_BY_ITSELF = (F.dropout1d, F.dropout2d, F.dropout3d)  # of which ``training`` is true by itself
_ALPHA = 1.7580993408473766
"""Minus the least value of ``selu``."""
