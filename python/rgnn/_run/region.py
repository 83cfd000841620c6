"""One compiled function and the PyTorch operator that runs it."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from functools import cached_property
from typing import Any

import torch
from _rgnn_runtime import Graph, Module
from torch import Tensor

from .._errors import InputError, TrainingError
from .device import common_device
from .graphs import GraphSource
from .modes import is_plain
from .training import Trainings

_library = torch.library.Library("rgnn_compiled", "DEF")
_library.define("run(int region, Tensor[] inputs) -> Tensor[]")
_regions: weakref.WeakValueDictionary[int, Region] = weakref.WeakValueDictionary()
_handles = itertools.count()


class Region:
    """Code for one function of tensors: its inputs are a call's inputs, then parameters, then constants.

    Args:
        describe: gives what the code expects of a call, as the compiler wrote it; called when that is first asked for.
        load: gives the code; called when it is first run.
        trainings: code that also gives gradients; None for code that autograd never sees.
        source: what it was compiled of; None where it was loaded.
        device: the kind that the code is for.
    """

    def __init__(self, describe: Callable[[], dict], load: Callable[[], Module], trainings: Trainings | None,
                 source: Any = None, device: str = "cpu"):  # fmt: skip
        self.trainings, self.source, self.device, self._describe, self._load = trainings, source, device, describe, load
        self._lists: dict[int, str] = {}
        self.handle = next(_handles)
        _regions[self.handle] = self

    @cached_property
    def manifest(self) -> dict:
        return self._describe()

    @cached_property
    def code(self) -> Module:
        return self._load()

    @cached_property
    def _graphs(self) -> list[GraphSource]:
        names = [given.get("name", f"input {number}") for number, given in enumerate(self.manifest["inputs"])]
        graphs = [GraphSource(description, names) for description in self.manifest["graphs"]]
        for graph in graphs:
            graph.name_list(self._lists)
        return graphs

    def name_lists(self, names: dict[int, str]) -> None:
        """Says of inputs that are lists of edges, but no arguments of the model, which argument they are made of."""
        self._lists = names
        for graph in vars(self).get("_graphs", ()):
            graph.name_list(names)

    def run(self, tensors: list[Tensor]) -> tuple[Tensor, ...]:
        """Runs the code. Raises InputError where an input is not what the code was made for."""
        try:
            return self.code(self.find_graphs(tensors), tuple(tensors))
        except (InputError, IndexError):  # the latter where a tensor without dimensions has no rows to count
            self._check(tensors)
            raise

    def find_graphs(self, tensors: list[Tensor]) -> tuple[Graph, ...]:
        """The graphs that a call's tensors make. Raises InputError where they make none."""
        return tuple([graph.find(tensors) for graph in self._graphs])

    def graph_keys(self, tensors: list[Tensor]) -> list[tuple]:
        """What says which graphs a call's tensors make."""
        return [graph.key(tensors) for graph in self._graphs]

    def forget_graphs(self, tensors: list[Tensor]) -> None:
        """Drops what was looked up in the graphs that a call's tensors make."""
        for graph in self._graphs:
            graph.forget(tensors)

    def count_rows(self, tensors: list[Tensor]) -> list[int]:
        """The numbers of rows that the code is given in a call, in the order of the manifest."""
        graphs = self.find_graphs(tensors)
        return [graphs[size["graph"]].size(size["of"], size.get("param", 0), size.get("part", "whole"))
                for size in self.manifest["sizes"]]  # fmt: skip

    def result_types(self, tensors: list[Tensor]) -> list[tuple[list[int], torch.dtype]]:
        """Shapes and dtypes of all results of a call, saved ones too."""
        graphs = self.find_graphs(tensors)
        return [([self._count(size, graphs, tensors) for size in out["shape"]], getattr(torch, out["dtype"]))
                for out in self.manifest["outputs"]]  # fmt: skip

    def _count(self, size: int | dict, graphs: tuple[Graph, ...], tensors: list[Tensor]) -> int:
        if isinstance(size, int):
            return size
        if "sum" in size:
            return sum(self._count(term, graphs, tensors) for term in size["sum"])
        if "graph" in size:
            return graphs[size["graph"]].size(size["of"], size.get("param", 0), size.get("part", "whole"))
        return self._size(size, tensors)

    def _check(self, tensors: list[Tensor]) -> None:
        """Names the tensor that is on another device or has another rank."""
        for tensor, expected in zip(tensors, self.manifest["inputs"]):
            if tensor.device.type != self.device:
                raise InputError(f"{expected['name']}: expected a tensor on {self.device}, got one on {tensor.device}")
            if tensor.dim() == 0 and expected["shape"]:
                raise InputError(f"input '{expected['name']}': expected rank {len(expected['shape'])}, got shape []")

    def __call__(self, tensors: list[Tensor]) -> list[Tensor]:
        """Runs the code, as an operator where autograd or another mode of PyTorch has to see it."""
        with_gradients, plain = torch.is_grad_enabled(), is_plain()
        if plain and not with_gradients:
            return self.run(tensors)
        # Without a rule of its own, torch.func.jvp takes the derivatives of an operator for zero.
        if not plain and any(map(torch._C._functorch.is_gradtrackingtensor, tensors)):
            raise TrainingError(self.refusal)
        if with_gradients and self.trainings:
            wanted = tuple([tensor.requires_grad for tensor in tensors])
            training = self.trainings.find(wanted) if True in wanted else None
            if training:
                return training(tensors)
        return torch.ops.rgnn_compiled.run.default(self.handle, tensors)

    @property
    def refusal(self) -> str:
        """What a backward that no code computes says."""
        return (self.trainings or Trainings).refusal

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
        """Whether the device, dtypes, ranks and static sizes are those that the code was made for."""
        expected = self.manifest["inputs"]
        return self.is_on_device(tensors) and all(itertools.starmap(self.fits, zip(tensors, expected)))

    def is_on_device(self, tensors: list[Tensor]) -> bool:
        """Whether the tensors are on the code's device; of several, running it says which tensor is elsewhere."""
        return common_device(tensors) in (None, self.device)

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
        return [size if isinstance(size, int) else self._size(size, tensors) for size in shape]

    def _size(self, size: dict, tensors: list[Tensor]) -> int:
        if "value" in size:
            return size["value"]
        if "input" in size:
            return tensors[size["input"]].shape[size["dim"]]
        if "sum" in size:
            return sum(self._size(term, tensors) for term in size["sum"])
        if size["of"] in ("node", "node_of_type", "node_type"):  # files of earlier versions have the last
            counts = self._graphs[size["graph"]].num_nodes(tensors)
            return sum(counts) if size["of"] == "node" else counts[size["param"]]
        if size["of"] == "edge" and size.get("part", "whole") == "whole":
            return self._graphs[size["graph"]].num_edges(tensors)
        # Pairs and edges of a part, whose number only the edges themselves say.
        return torch.library.get_ctx().new_dynamic_size()


def release_workspace() -> None:
    """Gives the memory back that compiled models keep between calls: of temporaries, of what was saved, of results."""
    for region in list(_regions.values()):
        if "code" in vars(region):  # otherwise it has never run
            region.code.release_workspace()


def _run(region: int, inputs: list[Tensor]) -> list[Tensor]:
    return list(_regions[region].run(inputs))


def _fake(region: int, inputs: list[Tensor]) -> list[Tensor]:
    return _regions[region].fake(inputs)


def _remember(ctx, inputs: tuple, output: list[Tensor]) -> None:
    ctx.region = _regions[inputs[0]]


def _refuse(ctx, *gradients):
    raise TrainingError(ctx.region.refusal)


for _key in ("CPU", "CUDA"):
    _library.impl("run", _run, _key)
torch.library.register_fake("rgnn_compiled::run", _fake, lib=_library)
torch.library.register_autograd("rgnn_compiled::run", _refuse, setup_context=_remember, lib=_library)
