"""What programs of ``random_models`` compute compiled and in PyTorch.

:func:`difference` runs one, and :func:`reduce` drops statements while a program still differs.
"""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable

import torch
from random_models import INPUTS, Program, Statement, Value
from torch import nn

SIZES = [(7, 15, 3), (4, 9, 1), (12, 30, 5), (3, 0, 2), (1, 2, 1)]  # nodes, edges, graphs


def make_args(seed: int, nodes: int, edges: int, graphs: int) -> list[torch.Tensor]:
    """Inputs of any program, with self loops and repeated edges."""
    made = torch.Generator().manual_seed(seed)

    def rows(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=made)

    ends = torch.randint(nodes, (2, edges), generator=made)
    ends[1, : edges // 5] = ends[0, : edges // 5]
    ends[:, edges - edges // 4 :] = ends[:, : edges // 4]
    kind, batch = torch.randint(4, (edges,), generator=made), torch.randint(graphs, (nodes,), generator=made)
    return [rows(nodes, 4), rows(edges, 3), rows(graphs, 4), rows(nodes), ends, kind, batch.sort()[0]]


def run(model: nn.Module, args: list[torch.Tensor], trains: bool = True) -> list[torch.Tensor | None] | Exception:
    """Results, and gradients of inputs and parameters; or the error."""
    model.zero_grad()
    args = [arg.clone().requires_grad_(trains and place < 3) for place, arg in enumerate(args)]
    try:
        if not trains:
            with torch.no_grad():
                return list(model(*args))
        results = model(*args)
        wanting = [part for part in results if part.requires_grad]
        ramps = [torch.linspace(-1, 2, part.numel(), dtype=part.dtype).view(part.shape) for part in wanting]
        torch.autograd.backward(wanting, ramps)
    except Exception as error:
        return error
    return [*results, *(part.grad for part in (*args[:3], *model.parameters()))]


def draw_plans(monkeypatch) -> None:
    """From now on ``Options(plan="costs")`` takes any plan of a region: the same for the same code."""
    from rgnn.tune import plans

    choose = plans.choose_plan

    def draw(regions, options, trains):
        found = choose(regions, options, trains)
        return [random.Random(regions[0][0] + str(trains)).choice(found), *found]

    monkeypatch.setattr(plans, "choose_plan", draw)


def difference(program: Program, sizes: list[tuple[int, int, int]] = SIZES[:3], plan: str = "rules") -> str:
    """How a compiled program differs from PyTorch's; empty where it does not."""
    import rgnn

    model = program.make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = rgnn.compile(copy.deepcopy(model), options=rgnn.Options(plan=plan))
        for number, size in enumerate([sizes[0], *sizes]):
            trains = number > 0
            expected, got = (run(each, make_args(number, *size), trains) for each in (model, compiled))
            if told := compare(got, expected):
                return f"sizes {size}, {'training' if trains else 'inference'}: {told}"
    return ""


def compare(got: list | Exception, expected: list | Exception) -> str:
    """How results and gradients of two runs differ; an error is to be one in both."""
    if isinstance(expected, Exception):
        return "" if isinstance(got, Exception) else f"no error, expected {expected!r}"
    if isinstance(got, Exception):
        return f"{type(got).__name__}: {got}"
    for number, (mine, right) in enumerate(zip(got, expected, strict=True)):
        if (mine is None) != (right is None):
            return f"part {number}: expected {right}, got {mine}"
        if right is None or right.numel() == 0 and mine.shape == right.shape:
            continue
        scale = right[right.isfinite()].abs().max().item() if right.isfinite().any() else 1.0
        try:
            torch.testing.assert_close(mine, right, rtol=1e-9, atol=1e-9 * max(scale, 1e-3), equal_nan=True)
        except AssertionError as error:
            return f"part {number}: {error}"
    return ""


def reduce(program: Program, differs: Callable[[Program], bool]) -> Program:
    """A smaller program for which ``differs`` is true as well."""
    changed = True
    while changed:
        changed = False
        for candidate in _smaller(program):
            if differs(candidate):
                program, changed = candidate, True
                break
    return program


def _smaller(program: Program) -> list[Program]:
    """Programs with an output less, or with a statement whose readers read an input of the same rows in its place."""
    made = [Program(program.statements, program.layers, [other for other in program.outputs if other is not output])
            for output in program.outputs if len(program.outputs) > 1]  # fmt: skip
    statements = program.needed()
    for place, statement in enumerate(statements):
        if len(statement.makes()) > 1:
            continue  # others read the edges that it makes
        earlier = [*INPUTS, *(other.result for other in statements[:place])]
        for other in earlier:
            if (other.over, other.shape) == (statement.result.over, statement.result.shape):
                def swap(value: Value, old: Value = statement.result, new: Value = other) -> Value:
                    return new if value == old else value

                rest = [Statement(each.result, each.text, [swap(value) for value in each.inputs])
                        for each in statements if each is not statement]  # fmt: skip
                outputs = [swap(value) for value in program.outputs]
                if any(output in [each.result for each in rest] for output in outputs):
                    made.append(Program(rest, program.layers, outputs))
    return made
