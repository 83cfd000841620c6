"""The gradient of an operator as that of code in its place, which is run again for the backward."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from .._errors import TrainingError


def recomputed(implementation: Callable | None, refusal: str = "") -> tuple[Callable, Callable]:
    """``backward`` and ``setup_context`` as ``torch.library.register_autograd`` takes them, any number of times.

    Args:
        implementation: a function of the operator's arguments that autograd follows; None for no gradient.
        refusal: what the :class:`TrainingError` says that the backward raises where autograd does not follow it; empty:
            gradients are zero there.
    """

    def remember(ctx: Any, inputs: tuple, output: Any, keyword_only_inputs: dict[str, Any] | None = None) -> None:
        leaves, ctx.structure = pytree.tree_flatten(inputs)
        # A list of numbers has no gradients, not a list of none.
        ctx.has_gradients = [all(isinstance(leaf, Tensor) for leaf in pytree.tree_leaves(value)) for value in inputs]
        ctx.keywords = keyword_only_inputs or {}
        ctx.tensors = [number for number, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
        ctx.leaves = [None if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        ctx.save_for_backward(*(leaves[number] for number in ctx.tensors))

    def differentiate(ctx: Any, *given: Any) -> tuple:
        gradients: list[Any] = [None] * len(ctx.leaves)
        if implementation is not None:
            again = torch.is_grad_enabled()
            leaves = list(ctx.leaves)
            for number, tensor in zip(ctx.tensors, ctx.saved_tensors):
                # A view, since one input may depend on another: what counts is what each is here.
                own = tensor.view_as(tensor) if again else tensor.detach().requires_grad_(tensor.requires_grad)
                leaves[number] = own
            wanted = [number for number in ctx.tensors if leaves[number].requires_grad]
            with torch.enable_grad(), _refusing(refusal):
                outputs = pytree.tree_leaves(implementation(*pytree.tree_unflatten(leaves, ctx.structure),
                                                            **ctx.keywords))  # fmt: skip
            sources = [leaves[number] for number in wanted]
            known = [(output, value) for output, value in zip(outputs, given)
                     if output.requires_grad and value is not None]  # fmt: skip
            if known:
                outputs, given = zip(*known)
                found = torch.autograd.grad(outputs, sources, given, create_graph=again, allow_unused=True)
            elif refusal and any(output.numel() for output in outputs):
                raise TrainingError(refusal)
            else:  # without rows nothing was computed
                found = map(torch.zeros_like, sources)
            for number, value in zip(wanted, found):
                gradients[number] = value
        return tuple(value if has_gradients else None for value, has_gradients
                     in zip(pytree.tree_unflatten(gradients, ctx.structure), ctx.has_gradients))  # fmt: skip

    return differentiate, remember


@contextlib.contextmanager
def _refusing(refusal: str) -> Iterator[None]:
    """What autograd does not follow may also refuse tensors that want a gradient: NumPy's arrays are made of others."""
    try:
        yield
    except RuntimeError as error:
        if not refusal:
            raise
        raise TrainingError(refusal) from error
