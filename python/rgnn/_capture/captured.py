"""What a capture gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from .._run.call import CallSpec


@dataclass(frozen=True)
class Captured(CallSpec):
    """A model as a function of tensors.

    Attributes:
        text: the function as MLIR.
        input_paths: of each input, as Python would write it.
        size_classes: of each input, a number for its dynamic dimension, or None. Inputs of equal
            numbers were found to need equal sizes.
        out_spec: structure of the result.
        outputs: for each leaf of ``out_spec``, the position of the function's result, or the
            value itself for what is not a tensor.
        conditions: places in the code, as ``file:line``, that compare a size with 0 or 1. They were
            decided for sizes over 1: where there are any, a call with a smaller dynamic size may
            differ from the model and belongs to PyTorch.
        program: the exported program that the text was written from.
    """

    text: str
    input_paths: list[str]
    size_classes: list[int | None]
    out_spec: pytree.TreeSpec
    outputs: list[tuple[bool, Any]]
    conditions: list[str]
    program: torch.export.ExportedProgram

    @property
    def single(self) -> bool:
        return self.out_spec.is_leaf() and self.outputs[0][0]

    def unflatten_outputs(self, results: list[Tensor] | tuple[Tensor, ...]) -> Any:
        leaves = [results[value] if is_tensor else value for is_tensor, value in self.outputs]
        return pytree.tree_unflatten(leaves, self.out_spec)
