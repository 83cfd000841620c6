"""What test_cuda.py runs in a process of its own, where tensors say that they are on a GPU: prints what the driver was
asked, as JSON."""

import json
import pathlib
import subprocess
import sys

import pretend_cuda

pretend_cuda.pretend()

import rgnn  # noqa: E402
import torch  # noqa: E402
from _rgnn_runtime import Graph, Module  # noqa: E402
from lang_models import cgat  # noqa: E402
from models import Net, inputs  # noqa: E402
from rgnn._run.views import ViewBuilder  # noqa: E402

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


def ranks(driver):
    """C-GAT, where edges are compared with the others of their node."""
    x, edge_index, _ = GRAPH
    w, a = (torch.randn(*shape).requires_grad_() for shape in ((x.shape[1], 8), (16, 1)))
    for _ in range(2):
        result = cgat(edge_index, h=x, w=w, a=a)
        forward = driver.take()
        result.sum().backward()
        backward = driver.take()
    return {"forward": is_plan(forward), "backward": is_plan(backward), "shape": list(result.shape),
            "gradients": [list(w.grad.shape), list(a.grad.shape)]}


def precision(driver):
    _, model = compiled()
    with torch.no_grad():
        model(*GRAPH)
        torch.set_float32_matmul_precision("high")
        model(*GRAPH)
    targets = [part.region.source.target.tf32 for version in model._compiled_call_impl.runner.versions
               for part in version.regions]
    torch.set_float32_matmul_precision("highest")
    return {"tf32": targets}


def saved(driver):
    model = rgnn.load(f"{sys.argv[1]}/net.rgnn")
    driver.take()
    with torch.no_grad():
        result = model(*GRAPH)
    lines = driver.take()
    return {"shape": list(result.shape), "launches": sum(line.startswith("launch") for line in lines)}


COPY = r"""
#include <stdint.h>
#include <string.h>
const struct { const char *name; const void *codes; uint64_t count; } rgnn_kernels[] = {{0, 0, 0}};
enum { WORKSPACE, DST_EDGES, POSITIONS, POSITION_ROWS, SOURCES, SOURCE_ROWS, OFFSETS, OFFSET_ROWS, X, X_ROWS, FIRST,
       FIRST_ROWS, SECOND, SECOND_ROWS, THIRD };
int32_t copy(const void *context, const uint64_t *words) {
  if (words[DST_EDGES] != words[FIRST_ROWS] || words[POSITION_ROWS] != words[FIRST_ROWS] ||
      words[SOURCE_ROWS] != words[SECOND_ROWS] || words[OFFSET_ROWS] != words[FIRST_ROWS] + words[SECOND_ROWS] + 1)
    return 1;
  memcpy((void *)words[FIRST], (void *)words[POSITIONS], 4 * words[FIRST_ROWS]);
  memcpy((void *)words[SECOND], (void *)words[SOURCES], 4 * words[SECOND_ROWS]);
  memcpy((void *)words[THIRD], (void *)words[OFFSETS], 4 * words[OFFSET_ROWS]);
  return 0;
}
"""


def parts(driver):
    """What code is given that reads views of parts of a graph."""
    source, library = (pathlib.Path(sys.argv[1]) / name for name in ("copy.c", "copy.so"))
    source.write_text(COPY)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    edges = {part: {"graph": 0, "of": "edge", "part": part} for part in ("src", "dst")}
    x, edge_index, edge_type = GRAPH
    manifest = {
        "version": 1, "entry": "copy", "device": "cuda", "sizes": [edges["dst"]],
        "inputs": [{"name": "x", "dtype": "float32", "shape": [-1]}],
        "graphs": [{"edge_index": [], "num_edge_types": 5, "num_nodes": [{"input": 0, "dim": 0}]}],
        "views": [{"graph": 0, "kind": "whole_edge", "part": "dst"},
                  {"graph": 0, "kind": "src_of_edge", "part": "src"},
                  {"graph": 0, "kind": "whole_offsets", "part": "src"}],
        "outputs": [{"dtype": "int32", "shape": [rows]} for rows in (edges["dst"], edges["src"], len(edge_type) + 1)],
    }  # fmt: skip
    edge_index = torch.stack([edge_index[0], edge_index[1].where(edge_type != 4, 0)])  # type 4 has one destination
    arguments = [edge_index], edge_type, 5, (len(x),), (), ()
    builder = ViewBuilder(*arguments)
    given = Module(library, json.dumps(manifest))((Graph(*arguments, builder=builder),), (x[:, 0].contiguous(),))
    host = Graph([pretend_cuda.host_copy(edge_index)], pretend_cuda.host_copy(edge_type), *arguments[2:])
    expected = [host.view(view["kind"], 0, view["part"]) for view in manifest["views"]]
    return {"given": [view.tolist() for view in given], "expected": [view.tolist() for view in expected]}


def errors(driver):
    """The last: launches fail from then on."""
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
    recording = pretend_cuda.Driver(pathlib.Path(sys.argv[1]))
    functions = (inference, training, ranks, precision, saved, parts, errors)
    print(json.dumps({function.__name__: function(recording) for function in functions}))
