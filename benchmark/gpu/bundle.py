"""What goes to a machine with a GPU: compiled models with what they should return, the runtime, and what runs them.

    .venv/bin/python benchmark/gpu/bundle.py build/gpu-check

The folder has the layout of the checkout, and FOLDER.tar.xz is what to copy. It needs Python and PyTorch, no compiler
and no network. Made again, it keeps the models that are there. With --wheel, the package and the runtime are those of
`make runtime-wheel`, for any Python from 3.11 on; without, those of this checkout, for a machine like this one.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import json
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import layout

layout.use_packages()

import cases  # noqa: E402
import rgnn  # noqa: E402
import torch  # noqa: E402
from device_problem import MODELS, DeviceProblem, skeleton  # noqa: E402
from peers.problem import load_graph  # noqa: E402
from rgnn import data  # noqa: E402
from rgnn._recorded_calls import RecordedCall  # noqa: E402
from rgnn._runner import runner_of  # noqa: E402
from torch import nn  # noqa: E402

DATASETS = ("aifb", "mutag", "fb15k-237", "wn18rr",
            *(f"synthetic:{name}" for name in ("am", "bgs", "biokg", "mag", "wikikg2")))  # fmt: skip
WIDTHS = (64, 32, 128)
LIMIT = 64 << 20  # bytes of the archive
# No compiler, and nothing that only the bundle's making needs.
PACKAGE = ("*.py", "_ops/*.py", "_run/*.py", "_saved/*.py", "data/*.py")
RUNNER = ("benchmark/gpu/*.py", "benchmark/peers/*.py", "benchmark/worker.py")


def compiled(model: nn.Module, args: tuple, target: str) -> nn.Module:
    """A model that can be saved for a call and its gradients. The target need not be here: nothing is run."""
    model = rgnn.compile(model, target=target, fullgraph=True)
    runner = runner_of(model)
    runner.calls.append(RecordedCall(runner.model, args, {}))
    return model


def write_case(folder: Path, name: str, dtype: torch.dtype, target: str) -> None:
    """A layer with its weights, and what PyG returns for each graph."""
    path = folder / f"{name}-{str(dtype).removeprefix('torch.')}.rgnn"
    if path.exists():
        return
    case = cases.CASES[name]
    model = cases.build(case, dtype)
    with gzip.open(path.with_suffix(".pt.gz"), "wb") as file:
        torch.save(cases.expectations(case, model, dtype), file)
    args = case.inputs(cases.GRAPHS["awkward"], dtype, torch.Generator().manual_seed(0))
    for leaf in cases.leaves(args):
        leaf.requires_grad_(leaf.is_floating_point())
    compiled(model, args, target).save(path)


@functools.cache
def types_of(dataset: str):
    """A small graph of the types of a data set, whose own may take a minute to make."""
    return skeleton(load_graph(dataset))


def write_model(folder: Path, model: str, dataset: str, width: int, target: str) -> None:
    """A layer of the benchmark, without weights: its code serves any graph of the types of the data set."""
    problem = DeviceProblem(model, dataset, width, torch.device("cpu"), graph=types_of(dataset))
    path = folder / problem.file
    if not path.exists():
        compiled(problem.module(), problem.inputs(problem.graph), target).save(path, weights=False)
        cell = {"model": model, "dataset": dataset, "width": width}
        path.with_suffix(".json").write_text(json.dumps(cell) + "\n")


def copy(pattern: str, source: Path, target: Path) -> None:
    for path in source.glob(pattern):
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, place)


def copy_data(name: str, folder: Path) -> None:
    files = [place / f"{name}.npz" for place in data.search_paths()]
    found = next((path for path in files if path.exists()), None)
    if found is None:
        raise SystemExit(f"expected data set {name} as one of {', '.join(map(str, files))}")
    shutil.copy2(found, folder)


def copy_package(folder: Path, wheel: Path | None) -> None:
    """`rgnn` and its runtime, without the compiler."""
    shutil.rmtree(folder, ignore_errors=True)
    if wheel:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        return
    import _rgnn_runtime

    for pattern in PACKAGE:
        copy(pattern, layout.ROOT / "python" / "rgnn", folder / "rgnn")
    runtime = Path(_rgnn_runtime.__file__)
    copy(runtime.name, runtime.parent, folder)


def pack(folder: Path) -> Path:
    """One file of all but what was measured. Models that differ little cost little: they are compressed together."""
    path = folder.parent / f"{folder.name}.tar.xz"
    with tarfile.open(path, "w:xz", preset=6) as archive:
        for part in sorted(folder.iterdir()):
            if part.name != "results":
                archive.add(part, f"{folder.name}/{part.name}", filter=lambda entry: entry
                            if "__pycache__" not in entry.name else None)  # fmt: skip
    return path


def write_bundle(folder: Path, options: argparse.Namespace) -> None:
    for path in (layout.CASES, layout.MODULES, layout.DATA):
        (folder / path.relative_to(layout.ROOT)).mkdir(parents=True, exist_ok=True)
    for pattern in RUNNER:
        copy(pattern, layout.ROOT, folder)
    copy_package(folder / "python", options.wheel)
    for name in options.datasets:
        if not name.startswith("synthetic:"):
            copy_data(name, folder / layout.DATA.relative_to(layout.ROOT))
    for name in options.cases:
        for dtype in (torch.float32, torch.float64):
            print(f"[bundle] {name}, {dtype}", flush=True)
            write_case(folder / layout.CASES.name, name, dtype, options.target)
    for width in options.widths:
        for dataset in options.datasets:
            print(f"[bundle] models for {dataset}, width {width}", flush=True)
            for model in MODELS:
                write_model(folder / layout.MODULES.name, model, dataset, width, options.target)
    archive = pack(folder)
    size = archive.stat().st_size
    print(f"[bundle] {archive}: {size / (1 << 20):.1f} MiB")
    if size > LIMIT:
        raise SystemExit(f"expected a bundle of at most {LIMIT >> 20} MiB, got {size / (1 << 20):.1f} MiB")


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--target", default="cuda", help="cuda, a chip such as sm_90, or cpu (default: %(default)s)")
    parser.add_argument("--wheel", type=Path, help="what `make runtime-wheel` made (default: this checkout's)")
    parser.add_argument("--cases", type=lambda text: text.split(","), default=list(cases.CASES))
    parser.add_argument("--datasets", type=lambda text: text.split(","), default=list(DATASETS))
    parser.add_argument("--widths", type=lambda text: [int(width) for width in text.split(",")], default=list(WIDTHS))
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    write_bundle(options.folder.resolve(), options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
