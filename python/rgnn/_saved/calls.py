"""The calls of a saved module: what :mod:`rgnn._run` runs, made of a manifest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from _rgnn_runtime import LoadError as RuntimeLoadError
from _rgnn_runtime import Model, Module
from torch import Tensor, nn

from .._errors import LoadError
from .._ops.registry import find_operator
from .._run.call import CallSpec, CompiledCall
from .._run.edge_lists import EdgeLists
from .._run.masks import Draw, Masks
from .._run.parameters import ParameterReader
from .._run.plan import Plan
from .._run.region import Region
from .._run.structure import Arguments, TensorSpec, unflatten
from .._run.training import Training, Trainings
from .structures import dtype_named, from_json

_PYTORCH = ("aten", "prims", "sym")  # whose operators are everywhere, of one version or another


def make_calls(file: Model, manifest: dict, model: nn.Module) -> list[CompiledCall]:
    """The calls of a manifest, which read parameters of ``model``.

    Raises:
        ValueError, KeyError, TypeError, IndexError, AttributeError: the manifest does not hold what it should.
    """
    if not manifest["calls"]:
        raise ValueError("expected at least one call in the manifest, got none")
    on_gpu = all(function.get("cuda") is not None for function in manifest["functions"])
    makers = [_Maker(file, manifest, model, device) for device in (("cpu", "cuda") if on_gpu else ("cpu",))]
    return [maker.make_call(entry) for maker in makers for entry in manifest["calls"]]


@dataclass(frozen=True)
class _Spec(CallSpec):
    """A call of the manifest; ``returns`` is the structure of the result."""

    returns: Any

    @property
    def single(self) -> bool:
        return isinstance(self.returns, TensorSpec)

    def unflatten_outputs(self, results: list[Tensor] | tuple[Tensor, ...]) -> Any:
        return unflatten(self.returns, results)


class _Trainings(Trainings):
    """Those that were compiled before the model was saved."""

    def __init__(self) -> None:
        self.known: list[tuple[set[int], Training]] = []
        self.split: Plan | None = None

    def find(self, wanted: tuple[bool, ...]) -> Training | Plan | None:
        if self.split is not None:
            return self.split
        numbers = {number for number, wants in enumerate(wanted) if wants}
        fitting = [(len(known), training) for known, training in self.known if numbers <= known]
        if fitting:
            return min(fitting, key=lambda pair: pair[0])[1]
        self.refusal = ("the module was saved without the code for these gradients: before compiled.save, call the "
                        "model once with the same inputs and parameters wanting them")
        return None


class _Maker:
    """Makes the regions and plans of a manifest, and calls of them, for one device."""

    def __init__(self, file: Model, manifest: dict, model: nn.Module, device: str):
        self._file, self._manifest, self._model, self._device = file, manifest, model, device
        self._regions = [self._region(entry["function"], _Trainings()) for entry in manifest["regions"]]
        self._plans = [self._plan(plan) for plan in manifest["plans"]]
        for region, entry in zip(self._regions, manifest["regions"]):
            region.trainings.known = [self._training(training) for training in entry["trainings"]]
            region.trainings.split = None if entry["split"] is None else self._plans[entry["split"]]

    def _plan(self, description: dict) -> Plan:
        for step in description["steps"]:
            namespace, _, name = step.get("torch", "aten.").partition(".")
            if namespace not in _PYTORCH and find_operator(f"{namespace}::{name}") is None:
                where = f" (at {step['where']})" if step["where"] else ""
                raise LoadError(f"the module calls {namespace}::{name}{where}, which is no operator here: import what "
                                "registers it, by rgnn.register_op or torch.library, before rgnn.load")  # fmt: skip
        return Plan(description, self._regions, is_moved=True)

    def _region(self, function: int, trainings: Trainings | None) -> Region:
        on_gpu = self._device == "cuda"

        def load_code() -> Module:
            try:
                return self._file.load(function, on_gpu)
            except RuntimeLoadError as error:
                raise LoadError(str(error)) from error

        entry = self._manifest["functions"][function]
        interface = (entry["cuda"] if on_gpu else entry)["interface"]
        return Region(lambda: interface, load_code, trainings, device=self._device)

    def _training(self, entry: dict) -> tuple[set[int], Training]:
        backward = None if entry["backward"] is None else self._region(entry["backward"], None)
        return set(entry["wanted"]), Training(self._region(entry["forward"], None), backward, entry)

    def make_call(self, entry: dict) -> CompiledCall:
        arguments = entry["arguments"]
        inputs = Arguments(tuple(map(from_json, arguments["args"])),
                           {name: from_json(spec) for name, spec in arguments["kwargs"].items()}, entry["paths"])
        spec = _Spec(
            inputs=inputs, parameters=entry["parameters"],
            constants=[self._file.read(f".constants.{name}") for name in entry["constants"]],
            lists=self._lists(entry["derived"]), masks=_masks(entry["drawn"], entry["paths"]), widens=entry["widens"],
            dtypes=entry["dtypes"] and list(map(dtype_named, entry["dtypes"])), returns=from_json(entry["returns"]),
        )  # fmt: skip
        region = self._plans[entry["plan"]] if entry["region"] is None else self._regions[entry["region"]]
        read: Callable[[], list[Tensor]] = ParameterReader(self._model, spec.parameters) if spec.parameters else list
        autocast = None if entry["autocast"] is None else dtype_named(entry["autocast"])
        return CompiledCall(spec, read, region, entry["training"], autocast)

    def _lists(self, entry: dict | None) -> EdgeLists | None:
        return entry and EdgeLists(entry["sources"], entry["names"], self._plans[entry["plan"]])


def _masks(entry: dict | None, names: list[str]) -> Masks | None:
    if entry is None:
        return None
    draws = [Draw(dtype_named(mask["dtype"]), mask["keep"], mask["divisor"], mask["shape"]) for mask in entry["masks"]]
    return Masks(names, [tuple(source) for source in entry["sources"]], draws)
