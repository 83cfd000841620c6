"""One compiled function and the PyTorch operator that runs it."""

from __future__ import annotations

import itertools
import json
import weakref
from typing import TYPE_CHECKING

import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import compile as compile_text
from _rgnn_runtime import Module
from torch import Tensor
from torch.autograd import forward_ad

from . import _graphs
from ._errors import InputError, TrainingError
from ._options import Options
from ._training import Training

if TYPE_CHECKING:
    from ._fallback import Plan

_library = torch.library.Library("rgnn_compiled", "DEF")
_library.define("run(int region, Tensor[] inputs) -> Tensor[]")
_regions: weakref.WeakValueDictionary[int, Region] = weakref.WeakValueDictionary()
_handles = itertools.count()


class Region:
    """Code for one function of tensors: its inputs are a call's inputs, then parameters, then constants.

    Args:
        text: what to compile.
        options: how.
        differentiable: whether a call may ask for gradients; the code for them is made when one does.

    Raises:
        ValueError: the compiler refuses the text or the options.
    """

    def __init__(self, text: str, options: Options, differentiable: bool = True):
        compiled = compile_text(text, options.pipeline(), options.cache)
        self.text, self._options, self._differentiable = text, options, differentiable
        self.trainings: dict[tuple[bool, ...], Training | Plan | None] = {}
        self.refusal = "expected first derivatives by autograd, got a higher one or one of torch.func"
        self.manifest = json.loads(compiled["manifest"])
        self.code = Module(compiled["so"], compiled["manifest"])
        self._graphs = [_graphs.GraphSource(description) for description in self.manifest["graphs"]]
        self.handle = next(_handles)
        _regions[self.handle] = self

    def name_lists(self, names: dict[int, str]) -> None:
        """Says of inputs that are lists of edges, but no arguments of the model, which argument they are made of."""
        for graph in self._graphs:
            graph.name_list(names)

    def run(self, tensors: list[Tensor]) -> tuple[Tensor, ...]:
        """Runs the code. Raises InputError where an input is not what the code was made for."""
        try:
            graphs = tuple([graph.find(tensors) for graph in self._graphs])
            return self.code(graphs, tuple(tensors))
        except (InputError, IndexError):  # the latter where a tensor without dimensions has no rows to count
            self._check(tensors)
            raise

    def _check(self, tensors: list[Tensor]) -> None:
        """Names the tensor that is on another device or has another rank."""
        for tensor, expected in zip(tensors, self.manifest["inputs"]):
            if tensor.device.type != "cpu":
                raise InputError(f"{expected['name']}: expected a tensor on cpu, got one on {tensor.device}")
            if tensor.dim() == 0 and expected["shape"]:
                raise InputError(f"input '{expected['name']}': expected rank {len(expected['shape'])}, got shape []")

    def __call__(self, tensors: list[Tensor]) -> list[Tensor]:
        """Runs the code, as an operator where autograd or another mode of PyTorch has to see it."""
        with_gradients = torch.is_grad_enabled()
        if not with_gradients and _is_plain():
            return self.run(tensors)
        # Without a rule of its own, torch.func.jvp takes the derivatives of an operator for zero.
        if any(map(torch._C._functorch.is_gradtrackingtensor, tensors)):
            raise TrainingError(self.refusal)
        if with_gradients and self._differentiable:
            wanted = tuple([tensor.requires_grad for tensor in tensors])
            training = self.training(wanted) if True in wanted else None
            if training:
                return training(tensors)
        return torch.ops.rgnn_compiled.run.default(self.handle, tensors)

    def training(self, wanted: tuple[bool, ...]) -> Training | Plan | None:
        """Code that also gives gradients, by the inputs that want one.

        None where an operator between such an input and a result has no gradient yet: that is an error in the backward.
        """
        if '"aten.detach"' in self.text:
            return self._split()
        if wanted not in self.trainings:
            numbers = [number for number, wants in enumerate(wanted) if wants]
            try:
                self.trainings[wanted] = Training(
                    self.text, numbers, lambda text: Region(text, self._options, differentiable=False)
                )
            except CompilerRefusal as error:
                self.trainings[wanted] = None
                self.refusal = f"training is not compiled: {error}"
        return self.trainings[wanted]

    def _split(self) -> Plan | None:
        """The function in parts around what is detached, which only together have the gradients of the whole."""
        if () not in self.trainings:
            from ._fallback import split_model  # which makes regions

            plan, reasons = split_model(self.text, self._options)
            self.trainings[()] = plan
            if plan is None:
                self.refusal = f"training is not compiled: {'; '.join(reasons)}"
        return self.trainings[()]

    def fake(self, tensors: list[Tensor]) -> list[Tensor]:
        """Tensors like the results, without numbers where the inputs have none."""
        devices = [tensor.device for tensor in tensors]
        if len(set(devices)) > 1:  # such a call comes here where one device is meta, and would get memory unset
            self._check(tensors)
        return [
            torch.empty(self.output_shape(out["shape"], tensors), dtype=getattr(torch, out["dtype"]), device=devices[0])
            for out in self.manifest["outputs"]
        ]

    def matches(self, tensors: list[Tensor]) -> bool:
        """Whether dtypes, ranks and static sizes are those that the code was made for."""
        return all(self.fits(tensor, expected) for tensor, expected in zip(tensors, self.manifest["inputs"]))

    @staticmethod
    def fits(tensor: Tensor, expected: dict) -> bool:
        """Whether one tensor is what an input of the manifest asks for."""
        shape = expected["shape"]
        if tensor.layout != torch.strided or tensor.dim() != len(shape):
            return False
        if str(tensor.dtype).removeprefix("torch.") != expected["dtype"]:
            return False
        return all(not isinstance(size, int) or size in (-1, got) for size, got in zip(shape, tensor.shape))

    def output_shape(self, shape: list, tensors: list[Tensor]) -> list[int]:
        """The size of a result, which follows from sizes of inputs alone."""
        sizes = []
        for size in shape:
            if isinstance(size, int):
                sizes.append(size)
            elif "input" in size:
                sizes.append(tensors[size["input"]].shape[size["dim"]])
            elif size["of"] in ("node", "node_type"):
                counts = self._graphs[size["graph"]].num_nodes(tensors)
                sizes.append(counts[size["param"]] if size["of"] == "node_type" else sum(counts))
            elif size["of"] == "edge":
                sizes.append(self._graphs[size["graph"]].num_edges(tensors))
            else:  # pairs, whose number only the edges themselves say
                sizes.append(torch.library.get_ctx().new_dynamic_size())
        return sizes


def _is_plain() -> bool:
    """Whether PyTorch does nothing but run operators: no fake tensors, tracing, vmap or forward-mode derivatives."""
    return (
        torch._C._len_torch_dispatch_stack() == 0
        and torch._C._functorch.peek_interpreter_stack() is None
        and forward_ad._current_level < 0
        and not torch.compiler.is_compiling()
    )


def _run(region: int, inputs: list[Tensor]) -> list[Tensor]:
    return list(_regions[region].run(inputs))


def _fake(region: int, inputs: list[Tensor]) -> list[Tensor]:
    return _regions[region].fake(inputs)


def _remember(ctx, inputs: tuple, output: list[Tensor]) -> None:
    ctx.region = _regions[inputs[0]]


def _refuse(ctx, *gradients):
    raise TrainingError(ctx.region.refusal)


_library.impl("run", _run, "CPU")
torch.library.register_fake("rgnn_compiled::run", _fake, lib=_library)
torch.library.register_autograd("rgnn_compiled::run", _refuse, setup_context=_remember, lib=_library)
