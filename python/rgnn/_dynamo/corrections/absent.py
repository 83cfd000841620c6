"""TorchDynamo does not always check that what a model has looked for in vain is still not there.

PyG's ``Data`` asks ``"edge_weight" in store``, which catches the ``KeyError`` of a lookup: without the check, the
weights of a later batch would not be seen.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from .. import private


@contextlib.contextmanager
def checked() -> Iterator[None]:
    """Captures check that keys and attributes that were not found are not there."""
    with contextlib.ExitStack() as stack:
        for owner, name, make in (
            (private.ConstDictVariable, "getitem_const_raise_exception_if_absent", _get_item),
            (private.UserDefinedObjectVariable, private.ATTRIBUTE_OF, _get_attribute),
            (private.DunderDictVariable, "install_dict_contains_guard", _look_in_attributes),
            (private.DunderDictVariable, "install_dict_keys_match_guard", _read_attributes),
        ):
            stock = getattr(owner, name)
            setattr(owner, name, make(stock))
            stack.callback(setattr, owner, name, stock)
        yield


def _get_item(stock: Callable) -> Callable:
    def get(self: Any, tx: Any, key: Any) -> Any:
        if key not in self:
            self.install_dict_contains_guard(tx, [key])
        return stock(self, tx, key)

    return get


def _get_attribute(stock: Callable) -> Callable:
    def get(self: Any, tx: Any, name: str) -> Any:
        try:
            return stock(self, tx, name)
        except private.ObservedAttributeError:
            if self.source and not hasattr(self.value, name):
                _check(self.source, private.GuardBuilder.HASATTR, attr=name)
            raise

    return get


def _look_in_attributes(stock: Callable) -> Callable:
    def check(self: Any, tx: Any, args: list[Any]) -> None:
        if self.source and args[0].is_python_constant():
            key = args[0].as_python_constant()
            if key not in self.items.get_example_value_dict(self.items.item):
                _check(self.source, private.GuardBuilder.DICT_NOT_CONTAINS, key=key)

    return check


def _read_attributes(stock: Callable) -> Callable:
    def check(self: Any) -> None:
        if self.source:
            _check(self.source, private.GuardBuilder.DICT_KEYS_MATCH)

    return check


def _check(source: Any, kind: Callable, **settings: Any) -> None:
    private.install_guard(source.make_guard(functools.partial(kind, **settings) if settings else kind))
