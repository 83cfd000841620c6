"""A model and the shallow copy of it that is compiled: what is set on one is set on the other."""

from __future__ import annotations

from typing import Any

from torch import nn

from ._install import OWN


class AttributeSync:
    """Keeps the attributes of a model and of its compiled copy equal; parameters and submodules are shared anyway.

    Args:
        model: the copy.
        original: the model that was compiled; None for a copy that nobody holds the original of.

    Attributes:
        model: the one whose code runs. It is the original where methods were put on that, which know it as ``self``.
    """

    def __init__(self, model: nn.Module, original: nn.Module | None = None):
        self._original = original
        self._attributes = {} if original is None else vars(original)
        self._before = dict(self._attributes)
        self.model, self._follower = model, None
        if original is not None and _overrides_methods(original):
            self._follower, self.model = model, original

    def follow(self) -> bool:
        """Takes over what was set on the one that does not run; whether another one runs since."""
        if self._follower is not None:
            _copy_changes(vars(self._follower), self._before, self._attributes)
        elif not _equal(self._attributes, self._before):
            _copy_changes(self._attributes, self._before, vars(self.model))
            self._before = dict(self._attributes)
            if _overrides_methods(self._original):
                _copy_changes(vars(self.model), self._before, self._attributes)
                self._follower, self.model = self.model, self._original
                return True
        return False

    def lead(self) -> None:
        """Gives the copy what a call left on the original, where that is the one that runs."""
        if self._follower is not None:
            _copy_changes(self._attributes, self._before, vars(self._follower))
            self._before = dict(self._attributes)


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # tensors and arrays that were replaced
        return False


def _copy_changes(live: dict, before: dict, target: dict) -> None:
    """Gives ``target`` the attributes that differ from what they were."""
    missing = object()
    for name in (live.keys() | before.keys()) - {"_compiled_call_impl", *OWN}:
        if _equal(live.get(name, missing), before.get(name, missing)) or _is_method(live.get(name)):
            continue
        if name in live:
            target[name] = live[name]
        else:
            target.pop(name, None)


def _overrides_methods(model: nn.Module) -> bool:
    """Whether methods of its class were replaced on the object."""
    return any(callable(value) and callable(getattr(type(model), name, None)) for name, value in vars(model).items()
               if name not in OWN and not name.startswith("_compiled") and not _is_method(value))  # fmt: skip


def _is_method(value: Any) -> bool:
    """Whether a value stands for a method that is compiled."""
    return getattr(value, "is_method", False) is True
