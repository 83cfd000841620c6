"""Kernels of RGCN, RGAT and HGT at width 64, with as many types as real graphs have: ptxas keeps no register of theirs
in memory, and a quarter of the warps of a multiprocessor or more find room at once."""

import json

import pytest
import torch
from _rgnn import differentiate
from checks import find_wanted
from rgnn._dynamo.full_graph import capture
from rgnn._explain.gpu import compile_for
from rgnn._options import Options
from rgnn._ptx import assemble
from rgnn._target import SAVED_CHIPS, Target, assembler
from torch_geometric.nn import FastRGCNConv, HGTConv, RGATConv

TYPES = {"one type": (1, 22), "aifb": (7, 104), "bgs": (27, 122), "fb15k-237": (1, 474)}
"""Node and edge types; of 27 node types, 4 are no edge type's destination."""


def make(model: str, node_types: int, edge_types: int):
    torch.manual_seed(0)
    if model != "hgt":
        layer = {"rgcn": FastRGCNConv, "rgat": RGATConv}[model](64, 64, num_relations=edge_types)
        return layer, (torch.randn(10, 64), torch.randint(10, (2, 20)), torch.randint(edge_types, (20,)))
    names = [f"t{i}" for i in range(node_types)]
    reached = names[: max(1, node_types - 4)] if node_types > 10 else names
    edges = [(names[i % node_types], f"r{i}", reached[i % len(reached)]) for i in range(edge_types)]
    layer = HGTConv(64, 64, (names, edges), heads=1)
    return layer, ({name: torch.randn(3, 64) for name in names}, {edge: torch.randint(3, (2, 5)) for edge in edges})


LONG = [pytest.param(*each, marks=pytest.mark.long) for each in [
    ("rgat", "aifb"), ("hgt", "one type"), ("hgt", "aifb"), ("hgt", "bgs"), ("hgt", "fb15k-237"),
]]  # fmt: skip


@pytest.mark.parametrize("model, types", [("rgcn", "aifb"), *LONG])
def test_resources(model, types):
    if not (ptxas := assembler()):
        pytest.skip("ptxas is not installed")
    layer, inputs = make(model, *TYPES[types])
    captured = capture(layer.eval(), inputs).text
    plan = json.loads(differentiate(captured, find_wanted(captured), "split-sides=false")[0])
    # What the oldest chip runs, all do, so that each text is assembled for all.
    target = Target((SAVED_CHIPS[0],))
    texts = {ptx for text in (captured, plan["forward"], plan["backward"])
             for ptx in compile_for(text, target, Options())["ptx"].values()}  # fmt: skip
    assert texts
    for chip in SAVED_CHIPS if types != "bgs" else ["sm_90"]:  # a minute for all
        for ptx in texts:
            taken = assemble(ptx, chip, ptxas)
            assert taken.spilled == 0, f"{chip}: {taken}"
            assert taken.occupancy >= 0.25, f"{chip}: {taken}"
