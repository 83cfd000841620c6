"""TorchDynamo looks for a constant among constants: ``0 in edge_index.shape`` is False where sizes are symbols."""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Iterable, Iterator
from typing import Any

from .. import private


@contextlib.contextmanager
def compared() -> Iterator[None]:
    """Captures compare a constant with the symbols and tensors in a list."""
    modules = private.dynamo_utils, private.lists
    stock = private.dynamo_utils.iter_contains

    def contains(items: Iterable[Any], search: Any, tx: Any, *others: Any, **settings: Any) -> Any:
        items = list(items)
        found = stock(items, search, tx, *others, **settings)
        values = [item for item in items if isinstance(item, private.SymNodeVariable | private.TensorVariable)]
        if not values or not search.is_python_constant() or found.as_python_constant():
            return found
        if not isinstance(search.as_python_constant(), int | float | complex):
            return found

        def call(function: Any, *args: Any) -> Any:
            return private.SourcelessBuilder.create(tx, function).call_function(tx, list(args), {})

        return functools.reduce(functools.partial(call, operator.or_),
                                [call(operator.eq, value, search) for value in values])  # fmt: skip

    for module in modules:
        module.iter_contains = contains
    try:
        yield
    finally:
        for module in modules:
            module.iter_contains = stock
