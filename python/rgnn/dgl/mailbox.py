"""What a reduction of users gets for mailboxes: a stand-in for ``[N, degree, *]``, over one row for each edge.

The function is run once, for nodes of all degrees. What it does to single messages is done to the rows of edges, what
it does along dimension 1 reduces the rows of each node, and a tensor of nodes meets messages as one row for each edge.
Where it does anything else, :class:`OpaqueError` says what, and the function is called for the nodes of each degree.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from . import pairs, segments
from .base import OpaqueError


class Mailboxes:
    """Which node each message came to.

    Attributes:
        index: the node of each edge, ``[E]``.
        size: the number of nodes.
    """

    def __init__(self, index: Tensor, size: int):
        self.index, self.size = index, size

    def degrees(self, like: Tensor) -> Tensor:
        """How many messages came to each node, ``[N]`` of the dtype of ``like``."""
        return segments.count(self.index, self.size).to(like.dtype)


# What is done to each message by itself: names of functions and methods of tensors
_EACH = frozenset((
    "abs", "absolute", "acos", "acosh", "add", "addcdiv", "addcmul", "asin", "atan", "atan2", "ceil", "celu",
    "clamp", "clamp_max", "clamp_min", "clip", "clone", "contiguous", "cos", "cosh", "detach", "div", "divide",
    "double", "dropout", "elu", "eq", "erf", "exp", "exp2", "expm1", "float", "floor", "fmax", "fmin", "ge",
    "gelu", "gt", "half", "hardsigmoid", "hardswish", "hardtanh", "hypot", "isinf", "isnan", "le", "leaky_relu",
    "lerp", "log", "log10", "log1p", "log2", "logical_and", "logical_not", "logical_or", "logsigmoid", "lt",
    "masked_fill", "maximum", "minimum", "mish", "mul", "multiply", "nan_to_num", "ne", "neg", "negative",
    "pow", "__pow__", "__rpow__", "reciprocal", "relu", "relu6", "round", "rsqrt", "rsub", "selu", "sigmoid",
    "sign", "silu", "sin", "sinh", "softplus", "softsign", "sqrt", "square", "sub", "subtract", "tan", "tanh",
    "tanhshrink", "threshold", "true_divide", "type", "type_as", "where", "xlogy",
))  # fmt: skip
# What acts on the last dimension, which must be one of features, or on all that are behind it, with what all share
_LAST = frozenset(("linear", "matmul", "__matmul__", "layer_norm"))
# What acts on a dimension that is an argument: its place among the arguments, and what it is by itself
_DIMENSION = {"normalize": (2, 1), "glu": (1, -1), "cosine_similarity": (2, 1)}
# What takes a dimension, along which the messages of a node are reduced, or features are
_ALONG = frozenset(("sum", "mean", "max", "min", "amax", "amin", "softmax", "log_softmax", "logsumexp", "prod", "norm",
                    "var", "std", "cumsum", "argmax", "argmin"))  # fmt: skip
# Methods of tensors, as PyTorch names them where an operator meets a mailbox
_PLAIN_NAMES = {"__add__": "add", "__radd__": "add", "__sub__": "sub", "__rsub__": "rsub", "__mul__": "mul",
                "__rmul__": "mul", "__truediv__": "div", "__rtruediv__": "div", "__rdiv__": "div"}  # fmt: skip


class Mail:
    """Stands for messages ``[N, degree, *]``; operators, methods and functions of PyTorch take it for a tensor.

    Args:
        rows: the messages, ``[E, *]``.
        boxes: which node each came to.
    """

    def __init__(self, rows: Tensor, boxes: Mailboxes):
        self.rows, self.boxes = rows, boxes

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        return _call(_name_of(func), func, args, kwargs or {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Method(self, name)

    # What is known without the data

    dtype = property(lambda self: self.rows.dtype)
    device = property(lambda self: self.rows.device)
    ndim = property(lambda self: self.rows.dim() + 1)
    is_cuda = property(lambda self: self.rows.is_cuda)

    def dim(self) -> int:
        """The number of dimensions, with those of nodes and messages."""
        return self.rows.dim() + 1

    @property
    def shape(self) -> tuple:
        """The number of nodes, what stands for that of messages, and the sizes of features."""
        return (self.boxes.size, Degree(self.boxes), *self.rows.shape[1:])

    def size(self, dim: int | None = None) -> Any:
        """The shape, or one of its entries."""
        return self.shape if dim is None else self.shape[dim]

    def is_floating_point(self) -> bool:
        """Whether messages are of floats."""
        return self.rows.is_floating_point()

    # Shapes of features

    def unsqueeze(self, dim: int) -> Mail | pairs.Across:
        """One more dimension of features, or the messages in the second place of pairs."""
        if dim in (1, -self.dim()):
            return pairs.Across(self.rows, self.boxes)
        return self._features(self.rows.unsqueeze(_feature_dim(dim, self.dim() + 1, "unsqueeze")))

    def squeeze(self, dim: int) -> Mail:
        """One dimension of features less, where its size is 1."""
        return self._features(self.rows.squeeze(_feature_dim(dim, self.dim(), "squeeze")))

    def transpose(self, one: int, other: int) -> Mail | pairs.Across:
        """Two dimensions of features in each other's place, or messages of one number as the second of pairs."""
        if {dim % self.dim() for dim in (one, other)} == {1, 2} and self.rows.shape[1:2] == (1,):
            return pairs.Across(self.rows.squeeze(1), self.boxes)
        dims = [_feature_dim(dim, self.dim(), "transpose") for dim in (one, other)]
        return self._features(self.rows.transpose(*dims))

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Mail:
        """Several dimensions of features as one."""
        dims = [_feature_dim(dim, self.dim(), "flatten") for dim in (start_dim, end_dim)]
        return self._features(self.rows.flatten(*dims))

    def view(self, *shape: Any) -> Mail:
        """Features in another shape; the first two sizes are those of the mailbox, or the first is its and then -1."""
        shape = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        keeps = len(shape) > 1 and isinstance(shape[1], Degree) and not isinstance(shape[0], Degree)
        if not keeps:
            raise OpaqueError("a view of a mailbox that joins nodes or messages with features")
        return self._features(self.rows.reshape(self.rows.shape[0], *shape[2:]))

    reshape = view

    def _features(self, rows: Tensor) -> Mail:
        return Mail(rows, self.boxes)

    def __getitem__(self, key: Any) -> Mail | pairs.Across:
        key = key if isinstance(key, tuple) else (key,)
        if key[1:2] == (None,) and all(isinstance(part, slice) and part == slice(None) for part in (key[0], *key[2:])):
            return pairs.Across(self.rows, self.boxes)
        if Ellipsis in [part for part in key if not isinstance(part, Tensor)] and key[0] is Ellipsis:
            return self._features(self.rows[key])
        full = [isinstance(part, slice) and part == slice(None) for part in key[:2]]
        if len(full) < 2 or not all(full):
            raise OpaqueError("single messages, or nodes, of a mailbox")
        return self._features(self.rows[(slice(None), *key[2:])])

    def __iter__(self) -> Iterator:
        raise OpaqueError("a loop over a mailbox")

    def __len__(self) -> int:
        return self.boxes.size

    def __bool__(self) -> bool:
        raise OpaqueError("a decision by the data of a mailbox")


class _Method:
    """A method of :class:`Mail` by name, which is done as the function of that name is."""

    def __init__(self, mail: Mail, name: str):
        self._mail, self._name = mail, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _call(self._name, None, (self._mail, *args), kwargs)


class Degree:
    """Stands for the number of messages of a node, which differs from node to node, or what is computed of it.

    Tensors of nodes ``[N, *]``, and mailboxes, are multiplied and divided by it row by row.
    """

    def __init__(self, boxes: Mailboxes, change: Callable[[Tensor], Tensor] | None = None):
        self._boxes, self._change = boxes, change

    @classmethod
    def __torch_function__(cls, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = _name_of(func)
        tensors = [arg for arg in args if isinstance(arg, Tensor)]
        if name not in ("mul", "div", "true_divide", "multiply", "divide", "add", "sub", "rsub") or len(tensors) != 1:
            raise OpaqueError(f"{name} of the number of messages")
        return func(*[arg.per_node(tensors[0]) if isinstance(arg, Degree) else arg for arg in args])

    def per_node(self, like: Tensor) -> Tensor:
        """The numbers, as a column that broadcasts with ``like``."""
        # Nodes without messages get 0 in the end; what is computed for them until then is to be finite.
        numbers = self._boxes.degrees(like).clamp(min=1)
        return segments.spread(numbers if self._change is None else self._change(numbers), like)

    def per_message(self, like: Tensor) -> Tensor:
        """The number of the node that each message came to, as a column that broadcasts with ``like``, ``[E, *]``."""
        return segments.pick(self.per_node(like), self._boxes.index)

    def _with(self, change: Callable[[Tensor], Tensor]) -> Degree:
        before = self._change
        return Degree(self._boxes, change if before is None else lambda numbers: change(before(numbers)))

    def log(self) -> Degree:
        """Its logarithm."""
        return self._with(torch.log)

    def sqrt(self) -> Degree:
        """Its root."""
        return self._with(torch.sqrt)

    def __pow__(self, exponent: float) -> Degree:
        return self._with(lambda numbers: numbers**exponent)

    def __eq__(self, other: object) -> bool:
        raise OpaqueError("a decision by the number of messages")

    __lt__ = __le__ = __gt__ = __ge__ = __ne__ = __bool__ = __index__ = __int__ = __float__ = __eq__
    __hash__ = None


def _arithmetic(name: str, compute: Callable, is_reversed: bool) -> Callable:
    def method(self: Degree, other: Any) -> Any:
        if isinstance(other, Mail):
            return _call(name, None, (other, self) if is_reversed else (self, other), {})
        if isinstance(other, Tensor):
            own = self.per_node(other)
            return compute(other, own) if is_reversed else compute(own, other)
        return self._with(lambda numbers: compute(other, numbers) if is_reversed else compute(numbers, other))

    return method


for _name in ("add", "sub", "mul", "truediv"):
    _plain = "div" if _name == "truediv" else _name
    setattr(Degree, f"__{_name}__", _arithmetic(_plain, getattr(operator, _name), False))
    setattr(Degree, f"__r{_name}__", _arithmetic(_plain, getattr(operator, _name), True))


class Extremes:
    """What ``max`` and ``min`` along a dimension give: values, and indices, which are not there."""

    def __init__(self, values: Tensor):
        self.values = values

    @property
    def indices(self) -> Tensor:
        """Which messages these are."""
        raise OpaqueError("the indices of largest or least messages")

    def __getitem__(self, place: int) -> Tensor:
        return self.values if place == 0 else self.indices

    def __iter__(self) -> Iterator:
        return iter((self.values, Unknown()))


class Unknown:
    """Stands for the indices of largest messages where they are taken apart; what is done with it is an error."""

    def __getattr__(self, name: str) -> Any:
        raise OpaqueError("the indices of largest or least messages")


def _operator(name: str) -> Callable:
    return lambda self, *others: _call(name, None, (self, *others), {})


def _reversed(name: str) -> Callable:
    return lambda self, other: _call(name, None, (other, self), {})


for _name in ("add", "sub", "mul", "pow", "eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Mail, f"__{_name}__", _operator(_name))
for _name in ("add", "sub", "mul", "pow"):
    setattr(Mail, f"__r{_name}__", _reversed(_name))
Mail.__truediv__, Mail.__rtruediv__ = _operator("div"), _reversed("div")
Mail.__neg__, Mail.__abs__, Mail.__matmul__ = _operator("neg"), _operator("abs"), _operator("matmul")
Mail.__hash__ = None


# What functions of PyTorch do with mailboxes


def _name_of(func: Callable) -> str:
    name = getattr(func, "__name__", str(func))
    return _PLAIN_NAMES.get(name, name)


def _call(name: str, func: Callable | None, args: tuple, kwargs: dict) -> Any:
    """What a function, by name, gives for arguments of which some are mailboxes."""
    if any(isinstance(arg, (pairs.Across, pairs.Pairs)) for arg in args):
        return pairs.call(name, args, kwargs)
    if name in _ALONG and isinstance(args[0], Mail):
        return _along(name, args[0], args[1:], kwargs)
    if name in ("cat", "concat", "stack"):
        return _join(name, *args, **kwargs)
    if name not in _EACH and name not in _LAST and name not in _DIMENSION:
        raise OpaqueError(f"{name} of a mailbox")
    mails = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, Mail)]
    most = max([mail.dim() for mail in mails])
    first = mails[0]
    if name in _DIMENSION:
        args, kwargs = _with_feature_dim(name, most, args, kwargs)
    if name in _LAST and most < 3:
        raise OpaqueError(f"{name} along the messages of a mailbox")
    if name == "matmul" and not isinstance(args[0], Mail) and torch.compiler.is_compiling():
        args = args[::-1]  # TorchDynamo 2.13 hands `mail @ weight` over as if it were `weight @ mail`
    if name in _LAST and not isinstance(args[0], Mail):
        raise OpaqueError(f"{name} of a tensor and a mailbox")
    own = func or getattr(torch, name, None) or getattr(F, name, None) or getattr(Tensor, name)
    is_each = name not in _LAST
    others = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, Tensor)]
    if not is_each and any(other.dim() > (2 if name != "layer_norm" else most - 2) for other in others):
        raise OpaqueError(f"{name} of a mailbox and a tensor that may have rows of nodes")

    def rows(value: Any) -> Any:
        return _rows_of(value, first, most, is_each)

    return Mail(own(*map(rows, args), **{key: rows(value) for key, value in kwargs.items()}), first.boxes)


def _with_feature_dim(name: str, dims: int, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """The arguments of a function that acts on a dimension, which has to be one of features, as that of rows."""
    place, default = _DIMENSION[name]
    given = args[place] if len(args) > place else kwargs.get("dim", default)
    dim = _feature_dim(given, dims, name)
    if len(args) > place:
        return (*args[:place], dim, *args[place + 1 :]), kwargs
    return args, {**kwargs, "dim": dim}


def _rows_of(value: Any, first: Mail, dims: int, broadcasts: bool) -> Any:
    """What an argument is to rows of edges, beside the mailbox ``first``, where mailboxes have ``dims`` dimensions."""
    boxes = first.boxes
    if isinstance(value, Mail):
        if value.dim() != dims:
            raise OpaqueError("mailboxes of different numbers of dimensions")
        return value.rows
    if isinstance(value, Degree):
        return value.per_message(first.rows)
    if not isinstance(value, Tensor) or not broadcasts or value.dim() < dims - 1:
        return value  # a number, or what all messages share
    if value.dim() == dims and value.shape[1] == 1 and value.shape[0] == boxes.size:
        return segments.pick(value.squeeze(1), boxes.index)
    if value.dim() == dims - 1 and value.shape[0] == 1:
        return value.squeeze(0) if value.dim() > 1 else value
    raise OpaqueError(f"a tensor of {value.dim()} dimensions beside a mailbox of {dims}: expected [N, 1, ...]")


def _along(name: str, mail: Mail, args: tuple, kwargs: dict) -> Any:
    """A reduction, or softmax, along a dimension."""
    kwargs = dict(kwargs)
    args = list(args)
    if name == "norm" and args:
        kwargs["p"] = args.pop(0)
    dim = kwargs.pop("dim", kwargs.pop("axis", None))
    if dim is None and args:
        dim = args.pop(0)
    if isinstance(dim, (tuple, list)) and len(dim) == 1:
        dim = dim[0]
    if isinstance(dim, (Mail, Tensor)):  # the larger of two
        return _call("maximum" if name == "max" else "minimum", None, (mail, dim), {})
    if not isinstance(dim, int):
        raise OpaqueError(f"{name} over {'all dimensions' if dim is None else f'the dimensions {dim}'} of a mailbox")
    dim = dim + mail.dim() if dim < 0 else dim
    if dim == 1:
        return _along_messages(name, mail, args, kwargs)
    if dim < 1:
        raise OpaqueError(f"{name} over the nodes of a mailbox")
    if name in ("var", "std") and args:
        raise OpaqueError(f"{name} of a mailbox with arguments that have no names")
    made = getattr(torch, name)(mail.rows, dim=dim - 1, **dict(zip(("keepdim",), args)), **kwargs)
    if isinstance(made, Tensor):
        return Mail(made, mail.boxes)
    return type(made)((Mail(made[0], mail.boxes), Mail(made[1], mail.boxes)))


def _along_messages(name: str, mail: Mail, args: list, kwargs: dict) -> Any:
    rows, index, size = mail.rows, mail.boxes.index, mail.boxes.size
    if kwargs.get("dtype") is not None or kwargs.get("_stacklevel", 3) != 3:
        raise OpaqueError(f"{name} over messages in another dtype")
    if name in ("softmax", "log_softmax"):
        if name == "softmax":
            return Mail(segments.softmax(rows, index, size), mail.boxes)
        return Mail(rows - segments.pick(_logsumexp(rows, index, size), index), mail.boxes)
    keeps = args[0] if args else kwargs.get("keepdim", False)
    if name == "mean" and not rows.is_floating_point():
        raise OpaqueError("the mean of messages that are no floats")
    if name in ("sum", "mean"):
        rows = rows if rows.is_floating_point() else rows.long()  # as PyTorch adds up truths and integers
        made = segments.reduce(rows, index, size, name)
    elif name in ("max", "min", "amax", "amin"):
        made = segments.reduce(rows, index, size, name[-3:])
    elif name == "logsumexp":
        made = _logsumexp(rows, index, size)
    else:
        raise OpaqueError(f"{name} over the messages of a mailbox")
    made = made.unsqueeze(1) if keeps else made
    return Extremes(made) if name in ("max", "min") else made


def _logsumexp(rows: Tensor, index: Tensor, size: int) -> Tensor:
    """Of the messages of each node, entry by entry; 0 where there are none."""
    top = segments.extreme(rows.detach(), index, size, "max")
    total = segments.add_up((rows - segments.pick(top, index)).exp(), index, size)
    is_empty = segments.spread(segments.count(index, size), total) == 0
    return total.masked_fill(is_empty, 1).log() + top


def _join(name: str, parts: Any, dim: int = 0, **kwargs: Any) -> Mail:
    """Features of several mailboxes, and of what all messages or nodes have, beside each other."""
    dim = kwargs.get("axis", dim)
    mails = [part for part in parts if isinstance(part, Mail)]
    if len(mails) != len(parts):
        raise OpaqueError(f"{name} of a mailbox and a tensor")
    dims = mails[0].dim() + (name == "stack")
    rows = [_rows_of(part, mails[0], mails[0].dim(), False) for part in parts]
    return Mail(getattr(torch, name)(rows, _feature_dim(dim, dims, name)), mails[0].boxes)


def _feature_dim(dim: int, dims: int, what: str) -> int:
    """A dimension of features, as that of the rows of edges."""
    dim = dim + dims if dim < 0 else dim
    if dim < 2:
        raise OpaqueError(f"{what} of the nodes or the messages of a mailbox")
    return dim - 1
