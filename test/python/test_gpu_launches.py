"""What a model launches on a GPU depends neither on how many relations there are nor on how many node types."""

import json
import re

import pytest
import torch
from _rgnn import differentiate, run_pipeline
from rgnn._dynamo.full_graph import capture
from torch_geometric.nn import FastRGCNConv, HGTConv, RGATConv


def make(name: str, relations: int, types: int):
    if name == "hgt":
        edges = [(f"t{i % types}", f"r{i}", f"t{i // 3 % types}") for i in range(relations)]
        layer = HGTConv(64, 64, ([f"t{i}" for i in range(types)], edges), heads=1)
        return layer, ({f"t{i}": torch.randn(10, 64) for i in range(types)},
                       {edge: torch.randint(10, (2, 5)) for edge in edges})  # fmt: skip
    layer = {"rgcn": FastRGCNConv, "rgat": RGATConv}[name](64, 64, num_relations=relations)
    return layer, (torch.randn(10, 64), torch.randint(10, (2, 20)), torch.randint(relations, (20,)))


def count_launches(text: str) -> int:
    module = run_pipeline(text, "rgnn-to-gpu{format=llvm}")
    forward = re.search(r"^  func\.func @forward\(.*?^  }$", module, re.DOTALL | re.MULTILINE)[0]
    return forward.count("gpu.launch_func")


@pytest.mark.parametrize(("name", "relations", "types", "forward", "backward"), [
    ("rgcn", 4, 1, 3, 4), ("rgcn", 400, 1, 3, 4), ("rgat", 4, 1, 4, 8), ("rgat", 400, 1, 4, 8),
    ("hgt", 4, 3, 13, 20), ("hgt", 100, 3, 13, 20), ("hgt", 100, 25, 13, 20),
])  # fmt: skip
@pytest.mark.sample(7)
def test_launches(name, relations, types, forward, backward):
    layer, inputs = make(name, relations, types)
    text = capture(layer.eval(), inputs).text
    arguments = re.search(r"@forward\((.*?)\) -> ", text, re.DOTALL)[1]
    types = re.findall(r"%\w+: (tensor<[^>]*>)", arguments)
    wanted = [number for number, tensor in enumerate(types) if tensor.endswith("f32>")]
    plan = json.loads(differentiate(text, wanted, "split-sides=false")[0])
    assert count_launches(plan["forward"]) <= forward
    assert count_launches(plan["backward"]) <= backward


def test_more_parts_than_arguments():
    """What a kernel takes is bounded: more parts of a concatenation have another launch."""
    names = [f"%p{i}" for i in range(700)]
    types = ", ".join(["memref<?xf32>"] * len(names))
    arguments = ", ".join(f"{name}: memref<?xf32>" for name in [*names, "%o"])
    module = run_pipeline(
        f"""func.func @concat({arguments}) {{
          hetkernel.concat ({", ".join(names)} : {types}) outs(%o : memref<?xf32>)
          return
        }}""",
        "func.func(convert-hetkernel-to-gpu,rgnn-sink-views,rgnn-merge-launches),gpu-kernel-outlining",
    )
    kernels = re.findall(r"gpu\.func @\w+\((.*?)\) kernel", module)
    assert len(kernels) == 2 and module.count("gpu.launch_func") == 2
    taken = [kernel.count("memref<?xf32>") for kernel in kernels]
    assert sum(taken) == len(names) + 2 and min(taken) > 2  # each has the whole, too
    for kernel in kernels:  # a buffer is two pointers, an offset, a size and a stride
        assert 40 * kernel.count(": memref") + 8 * kernel.count(": index") <= 32764
