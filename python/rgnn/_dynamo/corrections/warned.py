"""TorchDynamo repeats a warning behind the graph without its keywords, and not at all one of a function that is called.

A model warns as it would in PyTorch: ``warnings.warn("of 5 rows", category=FutureWarning, stacklevel=2)``. The line
that the warning names is one of the compiled function.
"""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Iterator
from typing import Any

from .. import private

_SIGNATURE = inspect.signature(
    lambda message, category=None, stacklevel=None, source=None, *, skip_file_prefixes=None: None)


@contextlib.contextmanager
def repeated() -> Iterator[None]:
    """Captures keep the message and the category of a warning; one that is an exception breaks the graph as before."""
    debugging = private.DebuggingVariable
    stock = debugging.call_function

    def call(self: Any, tx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if self.value is not warnings.warn or (kept := _kept(self, args, kwargs)) is None:
            return stock(self, tx, args, kwargs)
        tx.output.root_tx.debug_locals.append((self, kept))
        return private.ConstantVariable.create(None)

    debugging.call_function = call
    try:
        yield
    finally:
        debugging.call_function = stock


def _kept(debugging: Any, args: list[Any], kwargs: dict[str, Any]) -> list[Any] | None:
    """The arguments without those that say who warns; None where they are no message and no class."""
    try:
        given = _SIGNATURE.bind(*args, **kwargs).arguments
    except TypeError:
        return None
    message, category = given.get("message"), given.get("category")
    if not debugging.can_reorder_logs(debugging.value, [message], {}):
        return None
    if category is None:
        return [message]
    return [message, category] if category.is_python_constant() else None
