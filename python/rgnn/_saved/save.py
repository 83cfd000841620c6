"""compiled.save: what was compiled, and for which calls, to a file."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import _rgnn
import torch
from _rgnn import CompileError as CompilerRefusal
from _rgnn import bytecode, compile, write_archive
from _rgnn_runtime import abi_version
from safetensors.torch import save as save_tensors
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from .._capture import Captured
from .._compiler import discard_temporary
from .._errors import CompileError, first_line
from .._ops import registry
from .._options import Options
from .._recorded_calls import FullGraphCall
from .._run.masks import Masks
from .._run.plan import Plan
from .._run.region import Region
from .._run.structure import ConstantSpec, DictSpec, SequenceSpec, TensorSpec
from .._run.training import Training
from .._runner import Runner
from .._target import CPU, Target, saved_target
from .parameters import slots_of
from .structures import to_json

VERSION = 1
_PORTABLE = "x86-64"


def save(runner: Runner, name: str, path: str | os.PathLike, weights: bool = True, gpu: bool | None = None) -> None:
    """Writes what a model was compiled to; see :func:`rgnn.load`.

    Args:
        runner: the call of the compiled model.
        name: what the model is called.
        path: the file, which is replaced as a whole.
        weights: whether to write parameters and buffers too.
        gpu: whether to write code for NVIDIA GPUs too; None: if the model was called on one.

    Raises:
        CompileError: the model was not called yet, or runs in PyTorch, or takes or returns what no file can say.
    """
    calls = runner.make_calls("saved")
    on_gpu = any(call.target.device == "cuda" for call in calls) if gpu is None else gpu
    writer = _Writer(name, on_gpu)
    for call in calls:
        writer.add_call(call)
    writer.add_parameters(runner.model, weights)
    writer.write(path)


class _Writer:
    """Collects the entries of an archive, and its manifest."""

    def __init__(self, name: str, on_gpu: bool):
        self._on_gpu = on_gpu
        self._entries: dict[str, bytes] = {}
        self._constants: dict[str, Tensor] = {}
        self._functions: dict[tuple[str, str], int] = {}
        self._regions: dict[Region, int] = {}
        self._manifest: dict[str, Any] = {
            "format": "rgnn-module", "version": VERSION, "abi": abi_version,
            "compiler": {"rgnn": _rgnn.__version__, "llvm": _rgnn.llvm_version}, "name": name, "targets": [],
            "functions": [], "regions": [], "plans": [], "calls": [], "parameters": [], "weights": None,
            "constants": None,
        }  # fmt: skip

    def write(self, path: str | os.PathLike) -> None:
        if self._constants:
            self._manifest["constants"] = "constants.safetensors"
            self._entries["constants.safetensors"] = save_tensors(self._constants)
        manifest = json.dumps(self._manifest, separators=(",", ":"), allow_nan=False).encode()
        write_archive(str(Path(path)), [("manifest.json", manifest), *self._entries.items()])

    def add_parameters(self, model: nn.Module, weights: bool) -> None:
        first: dict[int, str] = {}
        tensors: dict[str, Tensor] = {}
        persistent = set(model.state_dict(keep_vars=True))
        for name, slots, tensor in slots_of(model):
            if tensor is None:
                continue
            kind = slots.removeprefix("_").removesuffix("s")
            entry = {"name": name, "kind": kind, "dtype": _dtype_name(tensor.dtype), "shape": list(tensor.shape)}
            if kind == "parameter":
                entry["requires_grad"] = tensor.requires_grad
            elif name not in persistent:
                entry["persistent"] = False
            if id(tensor) in first:
                entry["same_as"] = first[id(tensor)]
            else:
                first[id(tensor)] = name
                tensors[name] = tensor.detach().contiguous().cpu()
            self._manifest["parameters"].append(entry)
        if weights:
            self._manifest["weights"] = "weights.safetensors"
            self._entries["weights.safetensors"] = save_tensors({name: t.clone() for name, t in tensors.items()})

    def add_call(self, call: FullGraphCall) -> None:
        spec = call.spec
        constants = []
        for constant in spec.constants:
            constants.append(str(len(self._constants)))
            self._constants[constants[-1]] = constant.cpu().contiguous().clone()
        is_plan = isinstance(call.region, Plan)
        try:
            arguments = {"args": [to_json(arg) for arg in spec.inputs.args],
                         "kwargs": {name: to_json(arg) for name, arg in spec.inputs.kwargs.items()}}
            returns = to_json(_structure_of(spec))
        except ValueError as error:
            raise CompileError(f"cannot be saved: the arguments or the result: {error}") from error
        lists = spec.lists
        self._manifest["calls"].append({
            "arguments": arguments, "paths": spec.inputs.paths, "returns": returns, "parameters": spec.parameters,
            "constants": constants, "region": None if is_plan else self._add_region(call.region),
            "plan": self._add_plan(call.region) if is_plan else None, "training": call.training,
            "autocast": call.autocast and _dtype_name(call.autocast),
            "dtypes": spec.dtypes and list(map(_dtype_name, spec.dtypes)), "widens": spec.widens,
            "derived": lists and {"sources": lists.sources, "names": lists.source_names,
                                  "plan": self._add_plan(lists.plan)},
            "drawn": spec.masks and _describe_masks(spec.masks),
        })  # fmt: skip

    def _add_region(self, region: Region) -> int:
        if region not in self._regions:
            self._regions[region] = len(self._regions)
            entry = {"function": self._add_function(region), "trainings": [], "split": None}
            self._manifest["regions"].append(entry)
            for wanted, training in region.trainings.made.items():
                if training is not None:
                    entry["trainings"].append(self._describe_training(wanted, training))
        return self._regions[region]

    def _describe_training(self, wanted: tuple[bool, ...], training: Training) -> dict:
        described = {key: training.description[key] for key in ("inputs", "gradients", "of", "num_results")}
        return {"wanted": [number for number, wants in enumerate(wanted) if wants],
                "forward": self._add_function(training.forward),
                "backward": training.backward and self._add_function(training.backward), **described}  # fmt: skip

    def _add_plan(self, plan: Plan) -> int:
        regions = iter([self._add_region(region) for region in plan.regions])
        steps = [{**step, "region": next(regions)} if "region" in step else step for step in plan.description["steps"]]
        for step in steps:
            if "torch" in step and not step["torch"].startswith(("aten.", "sym.")):
                _check_operator(step["torch"], step["where"])
        self._manifest["plans"].append(
            {"num_inputs": plan.num_inputs, "results": plan.results, "steps": steps})  # fmt: skip
        return len(self._manifest["plans"]) - 1

    def _add_function(self, region: Region) -> int:
        """The number of a region's own function, compiled for every target."""
        source = region.source
        key = source.text, source.options.pipeline()
        if key not in self._functions:
            name = f"forward_{len(self._functions)}"
            self._functions[key] = len(self._functions)
            entry = {"name": name, "interface": None, "ir": f"ir/{name}.mlirbc", "code": {}}
            self._entries[entry["ir"]] = bytecode(source.text)
            for target, options in _targets(source.options).items():
                compiled, entry["code"][target] = self._compile(source.text, options, CPU, f"code/{target}/{name}.so")
                interface = json.loads(compiled["manifest"])
                if entry["interface"] not in (None, interface):
                    raise CompileError(f"cannot be saved: code for {target} has another interface")
                entry["interface"] = interface
                self._add_target(target, compiled)
            if self._on_gpu:
                target = saved_target(source.target)
                compiled, code = self._compile(source.text, source.options, target, f"code/cuda/{name}.so")
                entry["cuda"] = {"interface": json.loads(compiled["manifest"]), "code": code,
                                 "chips": list(target.chips)}  # fmt: skip
            self._manifest["functions"].append(entry)
        return self._functions[key]

    def _compile(self, text: str, options: Options, target: Target, file: str) -> tuple[dict, str]:
        """What the compiler says of code that is now an entry of the archive, and the entry."""
        try:
            compiled = compile(text, target.pipeline(options), options.cache, gpu=target.device == "cuda")
        except CompilerRefusal as error:
            raise CompileError(f"cannot be saved for {target}: {first_line(error)}") from error
        self._entries[file] = Path(compiled["so"]).read_bytes()
        discard_temporary(compiled)
        return compiled, file

    def _add_target(self, name: str, compiled: dict) -> None:
        self._manifest["arch"] = compiled["arch"]
        target = {"name": name, "cpu": compiled["cpu"], "features": compiled["features"]}
        if target not in self._manifest["targets"]:
            self._manifest["targets"].append(target)


def _check_operator(name: str, where: str) -> None:
    """Refuses an operator that no process that loads the file would know.

    Raises:
        CompileError: it says what to do.
    """
    known = name.replace(".", "::", 1)
    if registry.named(known) is None:
        raise CompileError(f"cannot be saved: {where}: {known} is no operator of PyTorch's own: "
                           "rgnn.register_op has it saved by its name")  # fmt: skip


def _targets(options: Options) -> dict[str, Options]:
    """The code that is asked for, and one that any processor of the architecture runs."""
    return {"native": options, "portable": dataclasses.replace(options, cpu=_PORTABLE, features="")}


def _describe_masks(masks: Masks) -> dict:
    return {"sources": masks.sources, "masks": [
        {"dtype": _dtype_name(draw.dtype), "keep": draw.keep, "divisor": draw.divisor, "shape": draw.shape}
        for draw in masks.draws]}  # fmt: skip


def _structure_of(captured: Captured) -> Any:
    """The result as a structure."""
    leaves = [TensorSpec(value) if is_tensor else ConstantSpec(value) for is_tensor, value in captured.outputs]

    def describe(value: Any) -> Any:
        if isinstance(value, (TensorSpec, ConstantSpec)):
            return value
        if type(value) is dict:
            return DictSpec(tuple(value), tuple(map(describe, value.values())))
        if isinstance(value, (list, tuple)):
            return SequenceSpec(type(value), tuple(map(describe, value)))
        raise ValueError(f"expected tensors, lists, tuples and dictionaries, got {type(value).__qualname__}")

    return describe(pytree.tree_unflatten(leaves, captured.out_spec))


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
