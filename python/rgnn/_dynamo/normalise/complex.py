"""Complex numbers as pairs of real ones, as models of knowledge graphs turn and correlate rows with them.

A Fourier transform of rows is a product with a matrix. If one operator on complex numbers has no rule here, all stay
PyTorch's.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.fx import Graph, Node, map_arg

from ..expressions import is_symbolic
from ..functional import value_of
from .changes import changed_by, name_of
from .emit import call

Pair = tuple[Node, Node]


def write_complex(graph: Graph) -> None:
    """``view_as_real(view_as_complex(x) * view_as_complex(r))`` is two differences and sums of products of numbers."""
    touching = [node for node in graph.nodes if _is_complex(node) or any(map(_is_complex, node.all_input_nodes))]
    if not touching or not all(name_of(node) in _RULES and _is_plain(node) for node in touching):
        return
    pairs: dict[Node, Pair] = {}
    for node in touching:
        with graph.inserting_before(node):
            made = _RULES[name_of(node)](_Maker(graph, node, pairs))
        if isinstance(made, tuple):
            pairs[node] = made
        else:
            node.replace_all_uses_with(made)
    for node in reversed(touching):
        graph.erase_node(node)


def _is_complex(node: Node) -> bool:
    return isinstance(value_of(node), Tensor) and value_of(node).is_complex()


def _is_plain(node: Node) -> bool:
    """Whether a node computes a tensor that has a rule here: of rows, and where it is a transform, of whole rows."""
    if not node.op.startswith("call") or changed_by(node) or not isinstance(value_of(node), Tensor):
        return False
    if not node.args and not name_of(node).startswith("fft_") or name_of(node) in ("truediv", "div") and 0 in node.args:
        return False
    if name_of(node) == "view_as_complex":  # kernels read no parts of each number of a weight
        return any(map(is_symbolic, value_of(node).shape))
    if name_of(node) == "getattr":
        return node.args[1] in ("real", "imag")
    if name_of(node) in _OF_TWO:  # `alpha` is a factor of both parts, where there are two
        return not node.kwargs or name_of(node) in ("add", "sub") and all(
            isinstance(arg, Node) and _is_complex(arg) for arg in node.args)
    if name_of(node) in _FILLED:
        is_number = isinstance(_filling(node), (int, float, complex))
        return _is_complex(node) and is_number and node.kwargs.keys() <= {"dtype", "device"}
    if name_of(node) == "pow":
        return node.args[1:] == (2,)
    if not name_of(node).startswith("fft_"):
        return True
    given = _given(node)
    sizes = [value_of(each).shape[-1] for each in (node, given["input"])]
    whole = given["n"] in (None, sizes["irfft" not in name_of(node)])
    return given["dim"] in (-1, value_of(node).dim() - 1) and given["norm"] is None and whole and all(
        type(size) is int and 0 < size <= _WIDEST for size in sizes)  # fmt: skip


_OF_TWO = ("add", "sub", "mul", "truediv", "div")
_FILLED = {"new_full": None, "new_zeros": 0, "new_ones": 1, "full_like": None, "zeros_like": 0, "ones_like": 1}
"""What makes tensors full of one number, by that number."""


def _filling(node: Node) -> Any:
    number = _FILLED[name_of(node)]
    return node.args[-1] if number is None else number


_WIDEST = 400
"""Of rows that are transformed by a product, whose matrix has as many rows: wider ones take PyTorch less time."""


def _given(node: Node) -> dict[str, Any]:
    named = dict(zip(("input", "n", "dim", "norm"), node.args), **node.kwargs)
    return {"n": None, "dim": -1, "norm": None, **named}


class _Maker:
    """Makes the pair of real nodes of a node, or the one of a real node."""

    def __init__(self, graph: Graph, node: Node, pairs: dict[Node, Pair]):
        self._graph, self.node, self.pairs = graph, node, pairs

    def __call__(self, target: Callable | str, *args: Any, **settings: Any) -> Node:
        return call(self._graph, self.node, target, *args, **settings)

    def part(self, number: int) -> Node:
        """The node itself, of one part of each complex number that it reads."""

        def chosen(source: Node) -> Node:
            return self.pairs[source][number] if source in self.pairs else source

        return self(self.node.target, *map_arg(self.node.args, chosen), **map_arg(self.node.kwargs, chosen))

    def pair(self, value: Any) -> tuple[Any, Any]:
        """Both parts of an argument; of a real one the second is None."""
        if isinstance(value, complex):
            return value.real, value.imag
        return self.pairs.get(value, (value, None))


def _both(make: _Maker) -> Pair:
    return make.part(0), make.part(1)


def _added(make: _Maker) -> Pair:
    if make.node.kwargs:
        return _both(make)
    a, b = map(make.pair, make.node.args[:2])
    function = operator.sub if name_of(make.node) == "sub" else operator.add
    return make(function, a[0], b[0]), make(function, *(_imaginary(make, part) for part in (a, b)))


def _imaginary(make: _Maker, part: tuple[Any, Any]) -> Any:
    if part[1] is not None:
        return part[1]
    return make(torch.zeros_like, part[0]) if isinstance(part[0], Node) else 0


def _joined(make: _Maker) -> Pair:
    parts, rest = [make.pair(part) for part in make.node.args[0]], make.node.args[1:]
    return (make(make.node.target, [part[0] for part in parts], *rest, **make.node.kwargs),
            make(make.node.target, [_imaginary(make, part) for part in parts], *rest, **make.node.kwargs))  # fmt: skip


def _product(make: _Maker, one: tuple[Any, Any], other: tuple[Any, Any]) -> Pair:
    (a, b), (c, d) = one, other
    if b is None or d is None:
        return make(operator.mul, a, c), make(operator.mul, *((a, d) if b is None else (b, c)))
    return (make(operator.sub, make(operator.mul, a, c), make(operator.mul, b, d)),
            make(operator.add, make(operator.mul, a, d), make(operator.mul, b, c)))  # fmt: skip


def _multiplied(make: _Maker) -> Pair:
    return _product(make, *map(make.pair, make.node.args[:2]))


def _divided(make: _Maker) -> Pair:
    """Times the conjugate, by the square of its length, of which none overflows where the quotient does not."""
    one, (c, d) = map(make.pair, make.node.args[:2])
    if d is None:
        return make(operator.truediv, one[0], c), make(operator.truediv, one[1], c)
    if not isinstance(c, Node):
        inverse = 1 / complex(c, d)
        return _product(make, one, (inverse.real, inverse.imag))
    size = make("detach", make(torch.maximum, make("abs", c), make("abs", d)))
    is_zero = make(operator.eq, size, 0)  # then PyTorch divides both parts by zero
    c = make(torch.where, is_zero, 1.0, make(operator.truediv, c, size))
    d = make(torch.where, is_zero, 0.0, make(operator.truediv, d, size))
    scale = make(operator.mul, size, make(operator.add, make(operator.mul, c, c), make(operator.mul, d, d)))
    parts = _product(make, one, (c, make(operator.neg, d)))
    return make(operator.truediv, parts[0], scale), make(operator.truediv, parts[1], scale)


def _squared(make: _Maker) -> Pair:
    part = make.pairs[make.node.args[0]]
    return _product(make, part, part)


def _exponential(make: _Maker) -> Pair:
    real, imaginary = make.pairs[make.node.args[0]]
    return _on_circle(make, make(torch.exp, real), imaginary)


def _on_circle(make: _Maker, length: Node, angle: Node) -> Pair:
    return make(operator.mul, length, make(torch.cos, angle)), make(operator.mul, length, make(torch.sin, angle))


def _angle(make: _Maker) -> Node:
    real, imaginary = make.pairs[make.node.args[0]]
    return make(torch.atan2, imaginary, real)


def _filled(make: _Maker) -> Pair:
    like, *sizes = make.node.args
    if _FILLED[name_of(make.node)] is None:
        sizes.pop()
    number = complex(_filling(make.node))
    target = torch.full_like
    if name_of(make.node).startswith("new"):
        is_list = [isinstance(value_of(size) if isinstance(size, Node) else size, (tuple, list)) for size in sizes]
        target, sizes = "new_full", sizes if is_list == [True] else [tuple(sizes)]
    kind = {name: value.to_real() if name == "dtype" else value for name, value in make.node.kwargs.items()
            if value is not None}  # fmt: skip
    like = make.pair(like)[0]
    return tuple(make(target, like, *sizes, part, **kind) for part in (number.real, number.imag))


def _conjugate(make: _Maker) -> Pair:
    real, imaginary = make.pairs[make.node.args[0]]
    return real, make(operator.neg, imaginary)


def _absolute(make: _Maker) -> Node:
    return make(torch.linalg.vector_norm, make(torch.stack, list(make.pairs[make.node.args[0]]), -1), dim=-1)


def _turned(make: _Maker) -> Pair:
    return _on_circle(make, *make.node.args)


def _waves(make: _Maker, width: int, columns: int, kind: dict[str, Any]) -> Pair:
    """Cosines and sines of ``2 pi j k / width``, as ``[width, columns]``."""
    rows, places = (make(torch.arange, size, device=kind["device"]) for size in (width, columns))
    steps = make(operator.mod, make(operator.mul, make("unsqueeze", rows, 1), places), width)
    angle = make(operator.mul, make("to", steps, torch.float64), 2 * math.pi / width)
    cosines, sines = (make("to", make(wave, angle), kind["dtype"]) for wave in (torch.cos, torch.sin))
    return cosines, sines


def _forward(make: _Maker) -> Pair:
    x = _given(make.node)["input"]
    real, imaginary = make.pair(x)
    value = value_of(real)
    cosines, sines = _waves(make, value.shape[-1], value_of(make.node).shape[-1],
                            {"dtype": value.dtype, "device": value.device})  # fmt: skip
    parts = make(torch.matmul, real, cosines), make(operator.neg, make(torch.matmul, real, sines))
    if imaginary is None:
        return parts
    return (make(operator.add, parts[0], make(torch.matmul, imaginary, sines)),
            make(operator.add, parts[1], make(torch.matmul, imaginary, cosines)))  # fmt: skip


def _back(make: _Maker) -> Pair:
    real, imaginary = make.pair(_given(make.node)["input"])
    value = value_of(real)
    width = value.shape[-1]
    cosines, sines = _waves(make, width, width, {"dtype": value.dtype, "device": value.device})
    parts = [make(torch.matmul, real, cosines), make(torch.matmul, real, sines)]
    if imaginary is not None:
        parts = [make(operator.sub, parts[0], make(torch.matmul, imaginary, sines)),
                 make(operator.add, parts[1], make(torch.matmul, imaginary, cosines))]  # fmt: skip
    return make(operator.truediv, parts[0], width), make(operator.truediv, parts[1], width)


def _real_back(make: _Maker) -> Node:
    """Each entry but the first, and the last of an even width, stands for its conjugate, too."""
    real, imaginary = make.pair(_given(make.node)["input"])
    value, width = value_of(real), value_of(make.node).shape[-1]
    count = width // 2 + 1
    real, imaginary = (part if part is None else make(operator.getitem, part, (..., slice(0, count)))
                       for part in (real, imaginary))  # fmt: skip
    kind = {"dtype": value.dtype, "device": value.device}
    cosines, sines = _waves(make, width, count, kind)
    single = [1.0 if place in (0, width / 2) else 2.0 for place in range(count)]
    weights = make(torch.tensor, [weight / width for weight in single], **kind)
    total = make(torch.matmul, real, make("t", make(operator.mul, cosines, weights)))
    if imaginary is None:
        return total
    weights = make(torch.tensor, [0.0 if weight == 1 else weight / width for weight in single], **kind)
    return make(operator.sub, total, make(torch.matmul, imaginary, make("t", make(operator.mul, sines, weights))))


_RULES: dict[str, Callable[[_Maker], Node | Pair]] = {
    **dict.fromkeys(("getitem", "index_select", "view", "reshape", "unsqueeze", "squeeze", "flatten", "unflatten",
                     "expand", "repeat", "contiguous", "clone", "sum", "mean", "neg", "index_add", "select", "narrow",
                     "detach"), _both),
    **dict.fromkeys(("cat", "stack"), _joined), **dict.fromkeys(_FILLED, _filled),
    "truediv": _divided, "div": _divided, "exp": _exponential, "angle": _angle, "square": _squared, "pow": _squared,
    "add": _added, "sub": _added, "mul": _multiplied, "conj": _conjugate, "conj_physical": _conjugate,
    "resolve_conj": lambda make: make.pairs[make.node.args[0]],
    "abs": _absolute, "polar": _turned, "complex": lambda make: tuple(make.node.args[:2]),
    "view_as_complex": lambda make: tuple(make("select", make.node.args[0], -1, part) for part in (0, 1)),
    "view_as_real": lambda make: make(torch.stack, list(make.pairs[make.node.args[0]]), -1),
    "getattr": lambda make: make.pairs[make.node.args[0]][make.node.args[1] == "imag"],
    "real": lambda make: make.pairs[make.node.args[0]][0], "imag": lambda make: make.pairs[make.node.args[0]][1],
    "fft_rfft": _forward, "fft_fft": _forward, "fft_ifft": _back, "fft_irfft": _real_back,
}  # fmt: skip
"""By the names of functions and methods. Those of `_both` do to both parts what they do to the whole."""
