"""What a capture gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils import _pytree as pytree

from .._run.lists import Lists
from .._run.masks import Masks
from .inputs import InputSpec


@dataclass(frozen=True)
class Captured:
    """A model as a function of tensors.

    The function's arguments are the inputs, then the parameters and buffers, then the constants, then lists of edges
    that are computed from these, then what is drawn at random.

    Attributes:
        text: the function as MLIR.
        inputs: the structure of the call; ``inputs.flatten(args, kwargs)`` gives the tensors.
        input_paths: of each input, as Python would write it.
        size_classes: of each input, a number for its dynamic dimension, or None. Inputs of equal
            numbers were found to need equal sizes.
        parameters: qualified names in the model of the parameters and buffers.
        constants: tensors that the model made from Python values.
        lists: computes the lists; None where there are none.
        masks: draws masks of dropout; None where there are none.
        widens: whether inputs of 16 bits are to be made float32: the model was captured under autocast.
        dtypes: of each result of the function, what the model gives under autocast; None where autocast plays no part.
        out_spec: structure of the result.
        conditions: places in the code, as ``file:line``, that compare a size with 0 or 1. They were
            decided for sizes over 1: where there are any, a call with a smaller dynamic size may
            differ from the model and belongs to PyTorch.
        outputs: for each leaf of ``out_spec``, the position of the function's result, or the
            value itself for what is not a tensor.
        program: the exported program that the text was written from.
    """

    text: str
    inputs: InputSpec
    input_paths: list[str]
    size_classes: list[int | None]
    parameters: list[str]
    constants: list[Tensor]
    lists: Lists | None
    masks: Masks | None
    widens: bool
    dtypes: list[torch.dtype] | None
    out_spec: pytree.TreeSpec
    outputs: list[tuple[bool, Any]]
    conditions: list[str]
    program: torch.export.ExportedProgram

    @property
    def single(self) -> bool:
        """Whether the result is one tensor."""
        return self.out_spec.is_leaf() and self.outputs[0][0]

    def unflatten_outputs(self, results: list[Tensor] | tuple[Tensor, ...]) -> Any:
        """What the model returns, made of the function's results."""
        leaves = [results[value] if is_tensor else value for is_tensor, value in self.outputs]
        return pytree.tree_unflatten(leaves, self.out_spec)
