"""TorchDynamo forgets attributes that a model sets behind ``torch.cond`` and behind ``h.register_hook(...)``.

It sets aside the effects of a function that it only tries, and what stands for an object's attributes goes on with
those.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .. import private


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Captures write attributes to the effects that count now."""
    attributes = private.SideEffectsProxyDict
    stock = attributes.__init__

    def start(self: Any, item: Any, tx: Any) -> None:
        self._output = tx.output
        stock(self, item, tx)

    attributes.__init__ = start
    attributes.side_effects = property(lambda self: self._output.side_effects, lambda self, value: None)
    try:
        yield
    finally:
        attributes.__init__ = stock
        del attributes.side_effects
