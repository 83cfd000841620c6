"""TorchDynamo deletes an attribute in each call that the model deleted in the captured one, there or not."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

from .. import private


@contextlib.contextmanager
def checked() -> Iterator[None]:
    """Captures check whether attributes that the model deletes were there before: a model may set them first."""
    effects = private.SideEffects
    stock = effects.store_attr

    def store(self: Any, item: Any, name: str, value: Any, *others: Any) -> None:
        if isinstance(value, private.DeletedVariable) and item.source is not None:
            has = functools.partial(private.GuardBuilder.HASATTR, attr=name)
            private.install_guard(item.source.make_guard(has))
        stock(self, item, name, value, *others)

    effects.store_attr = store
    try:
        yield
    finally:
        effects.store_attr = stock
