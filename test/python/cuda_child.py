"""What test_cuda.py runs in a process of its own, where tensors of floats say that they are on a GPU: prints what the
driver was asked, as JSON."""

import json
import pathlib
import sys

import pretend_cuda

pretend_cuda.pretend()

import rgnn  # noqa: E402
import torch  # noqa: E402
from models import Net, inputs  # noqa: E402

F32 = torch.float32
GRAPH = inputs(dtype=F32)


def compiled(**options):
    torch.manual_seed(0)
    model = Net(dropout=0.0)
    return model, rgnn.compile(model, fullgraph=True, **options)


def is_plan(lines):
    """Whether nothing was done but to launch kernels on the stream, with the context current."""
    return lines[0] == "push 100" and lines[-1] == "pop 100" and len(lines) > 2 and all(
        line.startswith("launch ") and f"stream {pretend_cuda.STREAM}:" in line for line in lines[1:-1])


def inference(driver):
    _, model = compiled(target="sm_80")
    with torch.no_grad():
        result = model(*GRAPH)
        first = driver.take()
        model(*GRAPH)
        second = driver.take()
        other = model(*inputs(nodes=31, edges=200, seed=1, dtype=F32))
        third = driver.take()
    return {
        "shape": list(result.shape), "dtype": str(result.dtype), "other": list(other.shape), "first": first,
        "second": is_plan(second), "allocated": set(pretend_cuda.allocations) == {pretend_cuda.CUDA},
        "loaded again": any(line.startswith("load") for line in third),
    }  # fmt: skip


def training(driver):
    _, model = compiled()  # for the device of the inputs
    x = GRAPH[0].requires_grad_()
    counts = []
    for _ in range(2):
        result = model(x, *GRAPH[1:])
        forward = driver.take()
        result.sum().backward()
        counts.append([forward, driver.take()])
    (forward, backward) = counts[1]
    gradients = {name: None if p.grad is None else list(p.grad.shape) for name, p in model.named_parameters()}
    shapes = {name: list(p.shape) for name, p in model.named_parameters()}
    return {"forward": is_plan(forward), "backward": is_plan(backward), "x": list(x.grad.shape),
            "gradients": gradients, "shapes": shapes}


def precision(driver):
    _, model = compiled()
    with torch.no_grad():
        model(*GRAPH)
        torch.set_float32_matmul_precision("high")
        model(*GRAPH)
    targets = [version.target.tf32 for version in model._compiled_call_impl.versions]
    torch.set_float32_matmul_precision("highest")
    return {"tf32": targets}


def saved(driver):
    model = rgnn.load(sys.argv[3])
    driver.take()
    with torch.no_grad():
        result = model(*GRAPH)
    lines = driver.take()
    return {"shape": list(result.shape), "launches": sum(line.startswith("launch") for line in lines)}


def errors(driver):
    _, model = compiled(target="cuda")
    x, *edges = GRAPH
    found = {}
    calls = {"index": (x, edges[0] + 100, edges[1]), "launch": GRAPH}
    for name, arguments in calls.items():
        if name == "launch":
            driver.fail("cuLaunchKernel", 2)
        try:
            with torch.no_grad():
                model(*arguments)
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


if __name__ == "__main__":
    recording = pretend_cuda.Driver(pathlib.Path(sys.argv[2]))
    print(json.dumps(globals()[sys.argv[1]](recording)))
