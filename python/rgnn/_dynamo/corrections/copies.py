"""TorchDynamo does not know ``dict.copy`` and its kin, which ``copy.copy`` calls, as functions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .. import private

_COPIES = (dict.copy, list.copy, set.copy)


@contextlib.contextmanager
def followed() -> Iterator[None]:
    """Captures take them for methods of what is copied."""
    skipped = private.SkipFunctionVariable
    stock = skipped.call_function

    def call(self: Any, tx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if any(self.value is each for each in _COPIES) and len(args) == 1 and not kwargs:
            return args[0].call_method(tx, "copy", [], {})
        return stock(self, tx, args, kwargs)

    skipped.call_function = call
    try:
        yield
    finally:
        skipped.call_function = stock
