"""One region of a captured graph as it runs: compiled code, with PyTorch's own functions at its side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule

from ..._errors import InputError, joined
from ..._run.asked import Asked
from ..._run.autocast import widened
from ..._run.modes import is_plain
from ..._run.region import Region
from ..._run.training import Training
from ..._run.trimming import Trimming
from ..functional import placeholders_of
from .choosing import Choosing
from .fitting import Fitting


class CompiledRegion:
    """Runs compiled code; in PyTorch what that cannot do: other modes than plain calls, and values out of range.

    Args:
        region: the code.
        training: code that also gives the gradients of the tensors that want one; None where none does.
        eager: the same function of the same tensors in PyTorch, which has derivatives of any order.
        constants: what the code reads behind the tensors of a call.
        autocast: whether autocast may be on where it runs.
        widens: whether inputs of 16 bits are to be float32 then.
        results: values like the results.
        trimming: makes what the code reads behind the constants; None where it reads no more.
        finders: find other code for calls, one after another.
    """

    def __init__(self, region: Region, training: Training | None, eager: GraphModule,
                 constants: list[Tensor], autocast: bool, widens: bool, results: Sequence[Tensor],
                 trimming: Trimming | None = None, finders: Sequence[Choosing | Fitting] = ()):  # fmt: skip
        self.region, self.training, self.eager, self._trimming = region, training, eager, trimming
        self.finders = finders
        self._autocast, self._widens, self._dtypes = autocast, widens, [result.dtype for result in results]
        self._constants = {torch.device("cpu"): constants}
        more = len(constants) + (len(trimming.made) if trimming else 0)
        self._asked = Asked((lambda *tensors: eager(*tensors[:-more])) if more else eager)
        self._apart = [number for number, result in enumerate(results) if not result.requires_grad]
        reached = training.find_reached(self._apart) if training is not None else set()
        self._unreached = [number for number in range(len(placeholders_of(eager.graph))) if number not in reached]

    def __call__(self, *tensors: Tensor) -> Sequence[Tensor]:
        if not is_plain():
            return self.eager(*tensors)
        try:
            if self._autocast:
                return self._run_without_autocast(tensors)
            return self._run(list(tensors))
        except InputError as error:
            return self._run_eager(tensors, error)

    def _complete(self, tensors: list[Tensor]) -> list[Tensor]:
        """The tensors of a call, and what the code reads behind them."""
        if self._constants:
            tensors += self._constants_near(tensors[0].device)
        if self._trimming is not None:
            tensors += self._trimming(tensors)
        return tensors

    def _run(self, tensors: list[Tensor]) -> Sequence[Tensor]:
        trains = self.training is not None and torch.is_grad_enabled()
        if trains and self._asked.is_pytorchs():
            return self.eager(*tensors)
        complete = self._complete(tensors)
        region, training = self.region, self.training
        if self.finders:  # other threads may find other code meanwhile
            for finder in self.finders:
                region, training = finder.find((region, training), complete, trains)
            self.region, self.training = region, training
        if not trains:
            return region.run(complete)
        training = self._asked.find(region.trainings) or training
        for number in self._unreached:  # autograd would go through what has made them, and that may have changed
            if complete[number].requires_grad:
                complete[number] = complete[number].detach()
        return training.call(complete, self._asked, self._apart)

    def _constants_near(self, device: torch.device) -> list[Tensor]:
        """The constants, on the device of a call's tensors where the code is for GPUs."""
        if self.region.device == "cpu":
            device = torch.device("cpu")
        if device not in self._constants:
            self._constants[device] = [constant.to(device) for constant in self._constants[torch.device("cpu")]]
        return self._constants[device]

    def _run_without_autocast(self, tensors: Sequence[Tensor]) -> Sequence[Tensor]:
        with torch.autocast(self.region.device, enabled=False):
            results = self._run(widened(list(tensors)) if self._widens else list(tensors))
        return [result.to(dtype) for result, dtype in zip(results, self._dtypes)]

    def _run_eager(self, tensors: Sequence[Tensor], refusal: InputError) -> Any:
        """What PyTorch gives for tensors that the code refuses; the refusal where PyTorch refuses them, too."""
        try:
            return self.eager.forward(*tensors)  # not its call, which prints where in the graph it fails
        except Exception as error:
            raise joined(refusal, error) from error
