"""TorchDynamo does not call the functions of a property by themselves, nor those of a parent's.

PyG's ``Data`` does both: ``data.x = x`` is ``type(data).x.fset(data, x)``, and ``data.num_nodes`` is
``super().num_nodes``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .. import private

_FUNCTIONS = ("fget", "fset", "fdel")


@contextlib.contextmanager
def called() -> Iterator[None]:
    """Captures follow functions of properties, and properties of parents."""
    properties, parents = private.PROPERTY, private.SuperVariable
    stock = properties.call_method, getattr(parents, private.ATTRIBUTE_OF)

    def call_method(self: Any, tx: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        descriptor = getattr(self, private.PROPERTY_FIELD)
        if name in _FUNCTIONS and type(descriptor) is property and getattr(descriptor, name) is not None:
            return _call(tx, descriptor, name, self.source, args, kwargs)
        return stock[0](self, tx, name, args, kwargs)

    def get(self: Any, tx: Any, name: str) -> Any:
        if self.objvar is not None:
            value, source = self._resolved_getattr_and_source(tx, name)
            if type(value) is property and value.fget is not None:
                return _call(tx, value, "fget", source, [self.objvar], {})
        return stock[1](self, tx, name)

    properties.call_method = call_method
    setattr(parents, private.ATTRIBUTE_OF, get)
    try:
        yield
    finally:
        properties.call_method = stock[0]
        setattr(parents, private.ATTRIBUTE_OF, stock[1])


def _call(tx: Any, descriptor: property, name: str, source: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    place = private.AttrSource(source, name) if source else None
    function = private.VariableTracker.build(tx, getattr(descriptor, name), source=place, realize=True)
    return function.call_function(tx, args, kwargs)
