"""What a difference leaves behind: a folder with all that it takes to look into it."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
import torch_geometric
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from .._run.autocast import autocast_dtype
from .compare import flatten
from .observe import describe
from .state import State

if TYPE_CHECKING:
    from .._dynamo.version import Version
    from .._runner import Runner

_MOST_RUNS = 40  # of the model, to find a small input


def shrink(state: State, differs: Callable[[State], bool]) -> tuple[tuple, dict] | None:
    """Arguments with fewer edges for which a model still differs; None where there are none that are easily found.

    Args:
        state: of the call.
        differs: whether the model differs on a state.
    """
    leaves, spec = pytree.tree_flatten(state.arguments)
    counts = {leaf.shape[1] for leaf in leaves if _is_edges(leaf)}
    smaller = None
    left = _MOST_RUNS
    for count in sorted(counts, reverse=True):
        kept = torch.arange(count)
        size = count // 2
        while size and left > 0:
            for start in range(0, len(kept), size):
                fewer = torch.cat([kept[:start], kept[start + size :]])
                arguments = pytree.tree_unflatten([_pick(leaf, count, fewer) for leaf in leaves], spec)
                left -= 1
                if _tries(differs, state, arguments):
                    kept, smaller = fewer, arguments
                    break
                if left <= 0:
                    break
            else:
                size //= 2
            size = min(size, len(kept))
        leaves = [_pick(leaf, count, kept) for leaf in leaves]
    return smaller


def _tries(differs: Callable[[State], bool], state: State, arguments: Any) -> bool:
    try:
        return differs(state.with_arguments(arguments))
    except Exception:
        return False


def _is_edges(leaf: Any) -> bool:
    return isinstance(leaf, Tensor) and leaf.dim() == 2 and leaf.shape[0] == 2 and not leaf.is_floating_point()


def _pick(leaf: Any, count: int, kept: Tensor) -> Any:
    """What remains of an argument: of ends of edges, and of what has a row per edge."""
    if _is_edges(leaf):
        return leaf[:, kept.to(leaf.device)] if leaf.shape[1] == count else leaf
    if isinstance(leaf, Tensor) and leaf.dim() > 0 and leaf.shape[0] == count and leaf.layout is torch.strided:
        return leaf[kept.to(leaf.device)]
    return leaf


def write_report(runner: Runner, versions: list[Version], differences: list[str], state: State,
                 shrunk: tuple[tuple, dict] | None) -> str:
    """Writes a folder, and gives its path.

    ``report.txt`` says what differs and in which surroundings; ``region_*.mlir`` is what was compiled; ``call.pt`` has
    the arguments, what the model held before the call, and the small arguments, for ``torch.load``.
    """
    folder = tempfile.mkdtemp(prefix="rgnn-report-")
    texts = [text for version in versions for text in version.texts]
    for number, text in enumerate(texts):
        with open(os.path.join(folder, f"region_{number}.mlir"), "w") as file:
            file.write(text)
    saved = _save(os.path.join(folder, "call.pt"), state, shrunk)
    with open(os.path.join(folder, "report.txt"), "w") as file:
        file.write("\n".join(_lines(runner, versions, differences, state, shrunk, saved)) + "\n")
    return folder


def _lines(runner: Runner, versions: list[Version], differences: list[str], state: State,
           shrunk: tuple[tuple, dict] | None, saved: str) -> list[str]:
    from _rgnn_runtime import abi_version

    autocast = [f"{device}: {dtype}" for device in ("cpu", "cuda") if (dtype := autocast_dtype(device)) is not None]
    reasons = [": ".join(filter(None, (where, op, reason)))
               for version in versions for op, reason, where in version.fallbacks]  # fmt: skip
    parameters = [(name, value) for name, value in describe(state, state.values, ((), {})).items()
                  if isinstance(value, Tensor)]  # fmt: skip
    return [
        "# A compiled model differs from PyTorch", "", *differences, "",
        "## Surroundings", "",
        f"rgnn: ABI {abi_version}; torch {torch.__version__}; torch_geometric {torch_geometric.__version__}; "
        f"Python {platform.python_version()} on {platform.machine()}",
        f"options: {runner.options}; target: {runner.target}; fullgraph: {runner.fullgraph}",
        f"gradients: {torch.is_grad_enabled()}; autocast: {', '.join(autocast) or 'off'}; "
        f"threads: {torch.get_num_threads()}; deterministic: {torch.are_deterministic_algorithms_enabled()}",
        *(f"in PyTorch: {reason}" for reason in reasons), "",
        "## Model", "", str(runner.model), *_tensors(parameters), "",
        "## Arguments", "", *_tensors(flatten(state.arguments)), "",
        "## Small arguments", "", *(["none found"] if shrunk is None else _tensors(flatten(shrunk))), "",
        "## Files", "", "region_*.mlir: what was compiled", saved,
    ]  # fmt: skip


def _tensors(parts: Any) -> list[str]:
    found = []
    for name, part in parts:
        if isinstance(part, Tensor):
            layout = f"strides {part.stride()}" if part.layout is torch.strided else str(part.layout)
            wants = ", wants a gradient" if part.requires_grad else ""
            found.append(f"{name}: {list(part.shape)} of {part.dtype} on {part.device}, {layout}{wants}")
        elif not isinstance(part, type):
            found.append(f"{name}: {part!r:.80}")
    return found


def _save(path: str, state: State, shrunk: tuple[tuple, dict] | None) -> str:
    held = {"arguments": state.arguments, "state": _plain(state.named(state.values)), "small_arguments": shrunk}
    try:
        torch.save(held, path)
    except Exception as error:
        return f"call.pt: cannot be written: {type(error).__name__}: {error}"
    return "call.pt: arguments, state and small_arguments"


def _plain(named: dict[str, dict]) -> dict[str, dict]:
    """What the modules held, without the modules."""
    return {place: {name: value for name, value in held.items() if isinstance(value, Tensor | int | float | str)
                    or name in ("_parameters", "_buffers")}
            for place, held in named.items() if not isinstance(held, nn.Module)}  # fmt: skip
