"""TorchDynamo takes deques for unbounded: an append to a full one makes it longer, for the rest of the call."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterator
from typing import Any

from .. import private


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """Captures see how long a deque may be, and check it; TorchDynamo then leaves code that changes one to Python."""
    builder = private.VariableBuilder
    stock = builder.wrap_listlike

    def wrap(self: Any, value: Any) -> Any:
        made = stock(self, value)
        if type(value) is collections.deque and value.maxlen is not None:
            source = private.AttrSource(self.source, "maxlen")
            private.install_guard(source.make_guard(private.GuardBuilder.CONSTANT_MATCH))
            made.maxlen = private.ConstantVariable.create(value.maxlen)
        return made

    builder.wrap_listlike = wrap
    try:
        yield
    finally:
        builder.wrap_listlike = stock
