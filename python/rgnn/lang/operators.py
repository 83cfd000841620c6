"""Python's operators on rows."""

from __future__ import annotations

from .elementwise import abs, elementwise, pow
from .products import matmul
from .rows import Condition, Row
from .shapes import index, permute, reshape


def _operator(name: str, op: str) -> None:
    setattr(Row, f"__{name}__", lambda self, other: elementwise(op, self, other))
    setattr(Row, f"__r{name}__", lambda self, other: elementwise(op, other, self))


for _name, _op in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div")):
    _operator(_name, _op)
for _name in ("gt", "ge", "lt", "le", "eq", "ne"):
    setattr(Row, f"__{_name}__", lambda self, other, name=_name: Condition(name, self, other))
Row.__pow__ = pow
Row.__rpow__ = lambda self, other: pow(other, self)
Row.__neg__ = lambda self: elementwise("neg", self)
Row.__abs__ = abs
Row.__matmul__ = matmul
Row.__rmatmul__ = lambda self, other: matmul(other, self)
Row.__getitem__ = index
Row.reshape = Row.view = reshape
Row.permute = permute
Row.T = property(lambda self: permute(self, *reversed(range(self.ndim))))
