"""The forward and backward code of one function, joined in an operator of PyTorch that autograd knows."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from .asked import Asked, needed_now
from .modes import is_plain, versions_of

if TYPE_CHECKING:
    from .plan import Plan
    from .region import Region

_library = torch.library.Library("rgnn_training", "DEF")
_library.define("run(int training, Tensor[] inputs) -> Tensor[]")
_trainings: weakref.WeakValueDictionary[int, Training] = weakref.WeakValueDictionary()
_handles = itertools.count()


class Training:
    """Code that computes a function, and its gradients by some of its inputs.

    What the backward needs is kept by autograd from call to call: inputs of the forward, which raise autograd's error
    where they are changed before the backward, and intermediate results that are not cheap to compute again.

    Args:
        forward: gives the results, then what is saved.
        backward: gives the gradients; None where no result changes with an input that wants one.
        description: ``inputs``, ``gradients``, ``of`` and ``num_results``, as docs/ModuleFormat.md says.

    Source: Hector (ASPLOS 2024, sec. 3.3), which pairs forward and backward kernels the same way.
    """

    def __init__(self, forward: Region, backward: Region | None, description: dict):
        self.forward, self.backward, self.description = forward, backward, description
        self._gradients = description["gradients"]
        self._of = description["of"]
        self.num_results = description["num_results"]
        self.wanted: tuple[bool, ...] | None = None  # which inputs; set where there may be code for others
        # Of inputs and results of the forward, those that the backward reads, in its order.
        sources = [next(iter(source.items())) for source in description["inputs"]]
        self._kept_inputs = [number for kind, number in sources if kind == "argument"]
        self._kept_results = [number for kind, number in sources if kind == "result"]
        # Where its arguments are among what is kept and, behind it, the gradients of the results.
        inputs, results = itertools.count(), itertools.count(len(self._kept_inputs))
        first = len(self._kept_inputs) + len(self._kept_results)
        find = {"argument": lambda _: next(inputs), "result": lambda _: next(results),
                "gradient": lambda number: first + number}  # fmt: skip
        self._places = [find[kind](number) for kind, number in sources]
        self.handle = next(_handles)
        _trainings[self.handle] = self

    def __call__(self, tensors: list[Tensor]) -> list[Tensor]:
        """What the function gives. Raises InputError where an input is not what the code was made for."""
        if is_plain():
            return list(self.call(tensors))
        return torch.ops.rgnn_training.run.default(self.handle, tensors)[: self.num_results]

    def call(self, tensors: list[Tensor], asked: Asked | None = None,
             apart: Sequence[int] = ()) -> tuple[Tensor, ...]:
        """What the function gives, where no mode of PyTorch has to see an operator.

        Args:
            tensors: the inputs.
            asked: the same function in PyTorch, for derivatives of the gradients, and what is asked of them.
            apart: numbers of results that no gradient comes back from.
        """
        return _Call.apply(self, asked, apart, *tensors)

    def gives(self, needed: Sequence[bool]) -> bool:
        """Whether these gradients are among those that the code was made for."""
        return self.wanted is None or all(has or not needs for has, needs in zip(self.wanted, needed))

    def find_reached(self, apart: Iterable[int]) -> set[int]:
        """The inputs that gradients come to, where none comes back from some results.

        Args:
            apart: numbers of these.
        """
        return {number for number, results in zip(self._gradients, self._of) if not set(apart).issuperset(results)}

    def keep(self, inputs: list[Tensor], results: list[Tensor]) -> list[Tensor]:
        """What the backward needs of a call."""
        return [*(inputs[i] for i in self._kept_inputs), *(results[i] for i in self._kept_results)]

    def count_rows(self, inputs: list[Tensor]) -> tuple[list[int], list[int]]:
        """The numbers of rows that the code of the forward and of the backward are given in a call."""
        forward = self.forward.count_rows(inputs)
        if self.backward is None:
            return forward, []
        results = list(self.forward.run(inputs))
        return forward, self.backward.count_rows(self.backward_inputs(inputs, results))

    def backward_inputs(self, inputs: list[Tensor], results: list[Tensor]) -> list[Tensor]:
        """What the backward is given of a call, with results in the place of their gradients."""
        known = [*self.keep(inputs, results), *results[: self.num_results]]
        return [known[place] for place in self._places]

    def compute_gradients(
        self, kept: Sequence[Tensor], gradients: Sequence[Tensor], missing: set[int]
    ) -> Iterable[tuple[int, Tensor]]:
        """Gradients with their numbers of inputs, given those of the results; none where only ``missing`` change."""
        if self.backward is None:
            return ()
        known = [*kept, *gradients]
        found = zip(self._gradients, self.backward([known[place] for place in self._places]))
        return [pair for pair, results in zip(found, self._of) if not missing.issuperset(results)]


class Trainings:
    """Finds the code of a region that also gives gradients.

    Attributes:
        refusal: what a backward that no code computes says.
    """

    refusal = "expected first derivatives by autograd, got a higher one or one of torch.func"

    def find(self, wanted: tuple[bool, ...]) -> Training | Plan | None:
        """By the inputs that want a gradient; None where there is no such code, which :attr:`refusal` then explains."""
        return None


class _Call(torch.autograd.Function):
    """A call that no mode of PyTorch has to see as an operator, whose way to autograd takes as long as small graphs."""

    @staticmethod
    def forward(ctx, training: Training, asked: Asked | None, apart: Sequence[int],
                *tensors: Tensor) -> tuple[Tensor, ...]:
        output = training.forward.run(list(tensors))
        _remember(ctx, training, tensors, output)
        ctx.asked = asked
        if asked is not None:
            ctx.inputs, ctx.versions = tensors, versions_of(tensors)
        results = tuple(output[: training.num_results])
        ctx.apart = set(apart)
        if apart:
            ctx.mark_non_differentiable(*(results[number] for number in apart))
        return results

    @staticmethod
    @torch.compiler.disable  # a model may differentiate within its own call
    def backward(ctx, *gradients: Tensor | None) -> tuple[Tensor | None, ...]:
        if ctx.asked is not None and torch.is_grad_enabled():
            ctx.asked.note_graph()
            return None, None, None, *_differentiate_eager(ctx, gradients)
        if ctx.asked is not None and not _note_needed(ctx):
            with torch.enable_grad():
                return None, None, None, *map(_detached, _differentiate_eager(ctx, gradients))
        found = _differentiate(ctx, gradients)
        has_missing = any(gradient is None and number not in ctx.apart for number, gradient in enumerate(gradients))
        if ctx.asked is not None and has_missing and not all(map(_is_finite, found)):
            # A gradient of zeros times an infinite slope is no number. To autograd there is no such gradient.
            with torch.enable_grad():
                found = list(map(_detached, _differentiate_eager(ctx, gradients)))
        return None, None, None, *found


def _note_needed(ctx) -> bool:
    """Notes which gradients are used; whether the code gives all of these."""
    wants = ctx.needs_input_grad[3:]
    needed = needed_now(wants)
    ctx.asked.note(needed)
    return ctx.training.gives(wants if needed is None else needed)


def _detached(gradient: Tensor | None) -> Tensor | None:
    return None if gradient is None else gradient.detach()


def _is_finite(gradient: Tensor | None) -> bool:
    return gradient is None or bool(gradient.sum().isfinite())


def _differentiate_eager(ctx, gradients: Sequence[Tensor | None]) -> list[Tensor | None]:
    """Gradients by all inputs that have gradients themselves."""
    if versions_of(ctx.inputs) != ctx.versions:
        raise RuntimeError("one of the variables needed for gradient computation has been modified by an inplace "
                           "operation, after a compiled region read it")
    wanted = [number for number, needs in enumerate(ctx.needs_input_grad[3:]) if needs]
    # One input may depend on another: what counts is what each is here.
    needed = ctx.needs_input_grad[3:]
    inputs = [tensor.view_as(tensor) if needs else tensor for tensor, needs in zip(ctx.inputs, needed)]
    results = ctx.asked.function(*inputs)
    known = [(result, gradient) for result, gradient in zip(results, gradients)
             if gradient is not None and result.requires_grad]  # fmt: skip
    found: list[Tensor | None] = [None] * len(ctx.inputs)
    if known:
        outputs, given = zip(*known)
        made = torch.autograd.grad(outputs, [inputs[number] for number in wanted], given, create_graph=True,
                                   allow_unused=True)  # fmt: skip
        for number, gradient in zip(wanted, made):
            found[number] = gradient
    return found


def _run(training: int, inputs: list[Tensor]) -> list[Tensor]:
    return list(_trainings[training].forward.run(inputs))


def _fake(training: int, inputs: list[Tensor]) -> list[Tensor]:
    return _trainings[training].forward.fake(inputs)


def _setup(ctx, inputs: tuple, output: list[Tensor]) -> None:
    number, tensors = inputs
    _remember(ctx, _trainings[number], tensors, output)


def _remember(ctx, training: Training, tensors: Sequence[Tensor], output: Sequence[Tensor]) -> None:
    ctx.training = training
    ctx.save_for_backward(*training.keep(tensors, output))
    ctx.num_inputs = len(tensors)
    ctx.results = [(result.shape, result.dtype, result.device) for result in output[: training.num_results]]
    ctx.set_materialize_grads(False)


def _backward(ctx, gradients: list[Tensor | None]) -> tuple[None, list[Tensor | None]]:
    return None, _differentiate(ctx, gradients)


def _differentiate(ctx, gradients: Sequence[Tensor | None]) -> list[Tensor | None]:
    """Gradients by all inputs, given those of the results."""
    missing = {number for number, gradient in enumerate(gradients) if gradient is None}
    if missing:  # the loss does not depend on these results
        gradients = [
            torch.zeros(shape, dtype=dtype, device=device) if gradient is None else gradient
            for gradient, (shape, dtype, device) in zip(gradients, ctx.results)
        ]
    found: list[Tensor | None] = [None] * ctx.num_inputs
    for number, gradient in ctx.training.compute_gradients(ctx.saved_tensors, gradients, missing):
        found[number] = gradient
    return found


for _key in ("CPU", "CUDA"):
    _library.impl("run", _run, _key)
torch.library.register_fake("rgnn_training::run", _fake, lib=_library)
torch.library.register_autograd("rgnn_training::run", _backward, setup_context=_setup, lib=_library)
