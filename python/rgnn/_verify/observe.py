"""Runs a call and notes all that it can be told apart by."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import torch
from torch import Tensor

from .compare import Outcome, flatten
from .state import State


def observe(run: Callable, state: State) -> Outcome:
    """A run on a state, which is changed by it.

    Args:
        run: takes positional arguments and those by name.
    """
    outcome = Outcome()
    with state.installed() as (args, kwargs):
        try:
            outcome.result = run(args, kwargs)
        except Exception as error:
            outcome.error = error
            return outcome
        outcome.draws = draws()
        outcome.values = describe(state, state.read(), (args, kwargs))
        _differentiate(outcome, state, [twin for _, twin in state.wanting()])
    return outcome


def observe_real(result: Any, error: Exception | None, state: State, arguments: tuple[tuple, dict]) -> Outcome:
    """The call of the user, which was made: what it drew, gave and left behind, and gradients that touch nothing."""
    outcome = Outcome(error, result, draws=draws())
    if error is None:
        held = state.read()
        outcome.values = describe(state, held, arguments)
        tensors = [real for real, _ in state.wanting()]
        with _untouched(tensors):
            _differentiate(outcome, state, tensors)
        state.write(held)  # the model may have hooks on what it computes
    return outcome


def describe(state: State, values: list[dict], arguments: tuple[tuple, dict]) -> dict[str, Any]:
    """What the arguments and the model hold, by names that a user knows."""
    args, kwargs = arguments
    found = {f"argument {number}": value for number, value in enumerate(args)}
    found |= {f"argument {name}": value for name, value in kwargs.items()}
    for place, held in state.named(values).items():
        for name, value in held.items():
            if name == "_modules":
                continue
            inner = value if name in ("_parameters", "_buffers") and isinstance(value, dict) else {name: value}
            found |= {f"{place}.{key}".lstrip("."): part for key, part in inner.items()}
    return found


def _differentiate(outcome: Outcome, state: State, tensors: list[Tensor]) -> None:
    """Gradients of a sum of the results that is made up, by the tensors that want one."""
    results = {id(part): part for _, part in flatten(outcome.result)
               if isinstance(part, Tensor) and part.requires_grad and part.is_floating_point()}  # fmt: skip
    if not results or not tensors or not torch.is_grad_enabled():
        return
    generator = torch.Generator().manual_seed(0)
    factors = []
    for result in results.values():
        eighths = torch.randint(-8, 9, result.shape, generator=generator)  # numbers that every dtype has
        factors.append((eighths / 8).to(result.device, result.dtype))
    try:
        found = torch.autograd.grad(list(results.values()), tensors, factors, retain_graph=True, allow_unused=True)
    except Exception as error:
        outcome.refusal = error
        return
    outcome.gradients = dict(zip(_names(state), found))


def _names(state: State) -> list[str]:
    """Of the tensors that want gradients, where they were before the call."""
    names: dict[int, str] = {}
    for name, value in describe(state, *state.before).items():
        for place, part in flatten(value, name):
            if isinstance(part, Tensor):
                names.setdefault(id(part), place)
    return [names.get(id(real), f"tensor {number}") for number, (real, _) in enumerate(state.wanting())]


@contextlib.contextmanager
def _untouched(tensors: list[Tensor]) -> Iterator[None]:
    """Hooks of the tensors are not run, and their ``grad`` stays what it is."""
    hooks = [(found, dict(found)) for tensor in tensors if (found := tensor._backward_hooks)]
    kept = [(tensor, tensor.grad) for tensor in tensors if tensor.is_leaf or tensor.retains_grad]
    for found, _ in hooks:
        found.clear()
    try:
        yield
    finally:
        for found, all_of_them in hooks:
            found.update(all_of_them)
        for tensor, gradient in kept:
            if tensor.grad is not gradient:
                tensor.grad = gradient


def draws() -> tuple:
    """The states of random generators, as what can be compared."""
    name, keys, *rest = numpy.random.get_state()
    gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
    states = [state.numpy().tobytes() for state in (torch.get_rng_state(), *gpus)]
    return states, random.getstate(), (name, keys.tobytes(), *rest)
