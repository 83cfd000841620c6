"""What keeps a captured call from being a function of its inputs: side effects, breaks, and questions about sizes."""

from __future__ import annotations

import re
from typing import Any

import sympy
from torch import nn

from .._capture.error import CaptureError
from .._capture.places import place_of_frames
from . import private
from .frames import describe
from .text import describe_source


def check_side_effects(model: nn.Module) -> None:
    """For the backend: refuses a call that changes what lives longer than it.

    Raises:
        CaptureError: the text names what is changed.
    """
    output = private.InstructionTranslator.current_tx().output
    if output.random_calls:
        raise CaptureError("it draws random numbers by Python's random")
    effects = output.side_effects
    for variable in effects._get_modified_vars():
        if isinstance(variable.mutation_type, private.NEW):
            continue
        changes = effects.store_attr_mutations.get(variable, {})
        for name, value in changes.items():
            if not _keeps_value(variable, name, value):
                raise CaptureError(f"it has a side effect: it sets {_name_of(model, variable, name)}")
        if not changes:
            raise CaptureError(f"it has a side effect: it changes {_name_of(model, variable)}")
    if effects.tensor_hooks:
        raise CaptureError("it has a side effect: it registers a hook on a tensor")


def _keeps_value(variable: Any, name: str, value: Any) -> bool:
    """Whether an attribute is set to the constant that it has anyway."""
    missing = object()
    before = getattr(getattr(variable, "value", missing), name, missing)
    return value.is_python_constant() and (before is (after := value.as_python_constant()) or
                                           type(before) is type(after) and before == after)


def _name_of(model: nn.Module, variable: Any, attribute: str = "") -> str:
    source, value = getattr(variable, "source", None), getattr(variable, "value", None)
    name = "an object" if source is None else describe_source(source)
    for path, module in model.named_modules():
        if value is module:
            name = path
    return ".".join(filter(None, (name, attribute if attribute != "cell_contents" else "")))


def check_sizes() -> None:
    """For the backend: refuses a graph that holds for some sizes only.

    Equal sizes are no such condition: they come from operations on rows of the same graph. Nor is what an operator asks
    for its own sake about sizes of 0 and 1, or what is asked about parameters, which are saved as they are.

    Raises:
        CaptureError: the text has the condition and, where it is known, the line.
    """
    environment = private.TracingContext.get().fake_mode.shape_env
    of_modules = {symbol for symbol, sources in environment.var_to_sources.items() if any(map(_is_of_module, sources))}
    for guard in environment.guards:
        is_large = _holds_for_large(guard.expr) and not _asks_model(guard)
        if is_large or guard.expr.free_symbols <= of_modules or _are_equal_sizes(guard.expr):
            continue
        place = getattr(getattr(guard, "sloc", None), "maybe_user_loc", None)
        found = re.search(r"\S+:\d+(?= in )", str(place))
        where = f" at {found[0]}" if found else ""
        raise CaptureError(f"the model branches on the sizes of its inputs{where}: {guard.expr}")


def _is_of_module(source: Any) -> bool:
    """Whether a size is that of a parameter or buffer."""
    return getattr(source, "base", source).guard_source.is_unspecialized_nn_module()


def _are_equal_sizes(condition: sympy.Basic) -> bool:
    """Whether a condition is that one size is another."""
    if condition.func is not sympy.Eq:
        return False
    terms = sympy.expand(condition.lhs - condition.rhs).as_coefficients_dict()
    return sorted(terms.values()) == [-1, 1] and all(term.is_Symbol for term in terms)


def _holds_for_large(condition: sympy.Basic) -> bool:
    """Whether a condition is true of all sizes over 1."""
    large = {size: 2 + sympy.Dummy(integer=True, nonnegative=True) for size in condition.free_symbols}
    return condition.xreplace(large) == True  # noqa: E712


def _asks_model(guard: Any) -> bool:
    """Whether the model sees the answer: its code asks TorchDynamo, or the rank of a result depends on it."""
    place = str(getattr(getattr(guard, "sloc", None), "framework_loc", "_dynamo"))
    return "_dynamo" in place or "_refs" in place


def describe_break(error: BaseException) -> str:
    """One line about what TorchDynamo cannot capture, with the line of the user's code."""
    place = place_of_frames(getattr(error, "real_stack", None) or [])
    return f"{place[0]}:{place[1]}: {describe(error)}" if place else describe(error)
