"""Calls of a compiled model and of a copy of it in PyTorch side by side: all that a caller could tell them apart by."""

import collections
import copy
import dataclasses
import itertools
import random
import warnings
from collections.abc import Callable
from typing import Any

import rgnn
import torch
from pyg import gnn, random_graph, rows
from torch import nn

SIZES = ((6, 11), (9, 9), (1, 0))  # numbers of nodes and edges in the calls of a case
EMPTY = ((5, 8), (0, 0), (1, 1))
SMALL = ((4, 1), (1, 3), (7, 12))
# Attributes that are PyTorch's business, and what a compiled module can do besides.
OWN = {*vars(nn.Module()), "_compiled_call_impl", "__call__", "__deepcopy__", "__getstate__"}
OWN |= {"export", "freeze", "save"}
OWN.add("_use_segment_matmul_heuristic_output")  # PyG's guess of which of two ways is faster


def plain(width=4, sizes=SIZES):
    """Inputs: features and edges."""
    return lambda number: (rows(sizes[number][0], width, number), random_graph(*sizes[number], number)[1])


def typed(width=4, sizes=SIZES, relations=3):
    """Inputs: features, edges, and their types."""
    return lambda number: (
        rows(sizes[number][0], width, number), *random_graph(*sizes[number], number, relations)[1:])  # fmt: skip


@dataclasses.dataclass
class Case:
    make: Callable[[], Any]
    inputs: Callable[[int], tuple] = dataclasses.field(default_factory=plain)
    before: Callable[[Any, int], Any] = lambda model, number: None  # may give another model
    grads: bool = True  # the inputs ask for gradients
    leaves: bool = True  # or are copies of such that do
    call: Callable = lambda model, args, kwargs: model(*args, **kwargs)
    tolerance: float = 1e-9
    accumulate: bool = False
    backward: bool = True
    calls: int = 3
    options: dict = dataclasses.field(default_factory=dict)  # of the compilation


def state(model):
    """What users see of a model: parameters, buffers and attributes, of all its modules."""
    if not isinstance(model, nn.Module):
        return {}
    every = {}
    for name, module in model.named_modules():
        own = {key: value for key, value in vars(module).items() if key not in OWN and not key.startswith("_rgnn")}
        own |= {f"parameter {key}": value for key, value in module._parameters.items()}
        own |= {f"buffer {key}": value for key, value in module._buffers.items()}
        every[name] = {**dict(sorted(own.items())), "training": module.training}
    return every


def flat(value, path=""):
    """The parts of a value with their places in it; of what has no known parts, the type."""
    if isinstance(value, (dict, list, tuple, collections.deque)):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        yield path, (type(value), list(keys))
        for key in keys:
            yield from flat(value[key], f"{path}[{key!r}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield path, type(value)
        for field in dataclasses.fields(value):
            yield from flat(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, nn.Module):
        yield path, type(value)
        yield from flat(state(value), path)
    elif isinstance(value, (torch.Tensor, bool, int, float, str, set, torch.dtype, type(None))):
        yield path, value
    else:
        yield path, type(value)


def tensors(value):
    return [part for _, part in flat(value) if isinstance(part, torch.Tensor)]


def shared(values):
    """For each tensor, the first that is the same object and the first that has the same memory."""
    objects, memory = {}, {}
    pairs = []
    for number, tensor in enumerate(tensors(values)):
        dense = tensor.layout == torch.strided and tensor.numel()
        place = tensor.untyped_storage().data_ptr() if dense else -number - 1
        pairs.append((objects.setdefault(id(tensor), number), memory.setdefault(place, number)))
    return pairs


def compare(got, expected, what, tolerance=1e-9):
    for (path, one), (place, other) in itertools.zip_longest(flat(got), flat(expected), fillvalue=("nothing", None)):
        where = f"{what}{place}"
        assert path == place, where
        assert isinstance(one, torch.Tensor) == isinstance(other, torch.Tensor), f"{where}: {one} for {other}"
        if not isinstance(one, torch.Tensor):
            equal = one == other or (one != one and other != other)
            if not equal and isinstance(one, float) and isinstance(other, float):
                equal = abs(one - other) <= tolerance * max(1, abs(other))
            assert equal and type(one) is type(other), f"{where}: {one} for {other}"
            continue
        assert type(one) is type(other) and one.requires_grad == other.requires_grad, where
        scale = other.detach().to_dense().double().abs().nan_to_num(0, 0, 0).max().item() if other.numel() else 0
        torch.testing.assert_close(
            one.detach(), other.detach(), rtol=0, atol=tolerance * max(scale, 1e-3), equal_nan=True,
            msg=lambda text, where=where: f"{where}: {text}")  # fmt: skip


def observe(model, case, number):
    """All that one call and its backward leave behind."""
    args = case.inputs(number)
    args, kwargs = (args[:-1], args[-1]) if args and type(args[-1]) is Keywords else (args, {})
    asked = [part for part in tensors([args, kwargs]) if part.is_floating_point()] if case.grads else []
    asked = [part for part in asked if part.is_leaf]
    for part in asked:
        part.requires_grad_()
    if not case.leaves:
        args = torch.utils._pytree.tree_map_only(torch.Tensor, torch.clone, args)
    torch.manual_seed(number)
    random.seed(number)
    failed = result = None
    try:
        result = case.call(model, args, kwargs)
    except Exception as raised:
        failed = type(raised)
    drawn = torch.get_rng_state(), random.getstate()
    memory = shared([result, args, kwargs, state(model)])
    roots = [part for part in tensors(result) if part.requires_grad and (part.grad_fn or part.is_leaf)]
    if case.backward and roots:
        ramps = [torch.linspace(-1, 2, part.numel()).view(part.shape).to(part.dtype) for part in roots]
        try:
            torch.autograd.backward(roots, ramps)
        except RuntimeError as raised:
            failed = type(raised)
    owned = model.named_parameters() if isinstance(model, nn.Module) else ()
    return {
        "error": failed, "result": result, "arguments": [args, kwargs], "draws": drawn, "memory": memory,
        "gradients of inputs": [part.grad for part in asked], "state": state(model),
        "gradients": {name: parameter.grad for name, parameter in owned},
    }  # fmt: skip


class Keywords(dict):
    """The last of the inputs, where a call has arguments by name."""


def check(case):
    """Makes the calls of a case with both, and compares all after each and the results once more in the end."""
    torch.manual_seed(0)
    model = case.make()
    reference = copy.deepcopy(model)
    both = [rgnn.compile(model, **case.options), reference]
    kept = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(case.calls):
            for index, one in enumerate(both):
                torch.manual_seed(100 + number)
                one = both[index] = case.before(one, number) or one
                if isinstance(one, nn.Module) and not case.accumulate:
                    one.zero_grad()
            got, expected = (observe(one, case, number) for one in both)
            for what in expected:
                compare(got[what], expected[what], f"call {number}: {what}", case.tolerance)
            kept.append((got["result"], expected["result"]))
    for number, (got, expected) in enumerate(kept):
        compare(got, expected, f"call {number}: result in the end", case.tolerance)


# ---- models ----------------------------------------------------------------------------------------------------------


class Model(nn.Module):
    """Layers that a function given by the case calls with the inputs; the function is all of the model."""

    def __init__(self, run, **layers):
        super().__init__()
        self.run = run
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, *args, **kwargs):
        return self.run(self, *args, **kwargs)


def model(run, **layers):
    """Makes the model when it is called, from makers of layers."""
    return lambda: Model(run, **{name: layer() for name, layer in layers.items()})


def sage():
    return gnn.SAGEConv(4, 5)


def square():
    return gnn.SAGEConv(4, 4)


def linear():
    return nn.Linear(5, 3)


def aggregate(x, edge_index, size=None):
    """A sum over neighbours in plain PyTorch."""
    return x.new_zeros(size or x.size(0), x.size(1)).index_add_(0, edge_index[1], x[edge_index[0]])


class Base(nn.Module):
    """A layer and a linear one; subclasses say what else is done."""

    def __init__(self, width=4, hidden=5, out=3):
        super().__init__()
        self.conv = gnn.SAGEConv(width, hidden)
        self.out = nn.Linear(hidden, out)
        self.set_up()

    def set_up(self):
        pass

    def hidden(self, x, edge_index):
        return self.conv(x, edge_index).relu()

    def forward(self, x, edge_index):
        return self.out(self.hidden(x, edge_index))
