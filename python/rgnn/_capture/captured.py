"""What a capture gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.utils import _pytree as pytree

from .._run.call import CallSpec


@dataclass(frozen=True)
class Captured(CallSpec):
    """A model as a function of tensors.

    Attributes:
        text: the function as MLIR.
        out_spec: structure of the result.
        outputs: for each leaf of ``out_spec``, the position of the function's result, or the
            value itself for what is not a tensor.
    """

    text: str
    out_spec: pytree.TreeSpec
    outputs: list[tuple[bool, Any]]

    @property
    def single(self) -> bool:
        return self.out_spec.is_leaf() and self.outputs[0][0]

    def unflatten_outputs(self, results: list[Tensor] | tuple[Tensor, ...]) -> Any:
        leaves = [results[value] if is_tensor else value for is_tensor, value in self.outputs]
        return pytree.tree_unflatten(leaves, self.out_spec)
