"""Checks saved modules of one text, the first for this machine, and runs that one."""

import json
import pathlib
import sys
import zipfile

import _rgnn
import torch
from _rgnn_runtime import Graph, Model

text = pathlib.Path(sys.argv[1]).read_text()
paths = [pathlib.Path(name) for name in sys.argv[2:]]


def compiled(module, cpu):
    answer = _rgnn.compile(module, f"cpu={cpu}", cache=False)
    code = pathlib.Path(answer["so"])
    return code.read_bytes(), code.unlink(), answer["features"]


for path in paths:
    archive = zipfile.ZipFile(path)
    assert archive.testzip() is None
    manifest = json.loads(archive.read("manifest.json"))
    (function,) = manifest["functions"]
    targets = manifest["targets"]
    assert {"manifest.json", function["ir"], *function["code"].values()} == set(archive.namelist())
    assert {target["name"] for target in targets} == set(function["code"])
    assert manifest["compiler"] == {"rgnn": _rgnn.__version__, "llvm": _rgnn.llvm_version}
    if path != paths[0]:
        described = [f"{t['name']} ({t['cpu']}{', with avx2' * ('avx2' in t['features'])})" for t in targets]
        print(f"{path.stem}: {', '.join(described)}")

path = paths[0]
archive = zipfile.ZipFile(path)
manifest = json.loads(archive.read("manifest.json"))
(function,), (call,) = manifest["functions"], manifest["calls"]
for target in manifest["targets"]:
    cpu = "native" if target["name"] == "native" else target["cpu"]
    for module in text, archive.read(function["ir"]):
        assert compiled(module, cpu) == (archive.read(function["code"][target["name"]]), None, target["features"])
parameters = [f"{p['name']} {p['shape']}" for p in manifest["parameters"]]
assert call["arguments"]["args"] == [{"tensor": number} for number in range(3)] and call["returns"] == {"tensor": 0}
print("arguments", ", ".join(call["paths"]) + "; parameters", ", ".join(parameters))

model = Model(str(path))
assert model.target == manifest["targets"][0]["name"] and json.loads(model.manifest) == manifest
x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
edge_index, edge_type = torch.tensor([[0, 2, 1], [1, 1, 0]]), torch.tensor([0, 1, 0])
weight = torch.tensor([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]])
graph = Graph([edge_index], edge_type, 2, [3], [], [])
print(model.load(0)((graph,), (x, edge_index, edge_type, weight))[0].tolist())
