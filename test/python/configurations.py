"""The layers and models that every target compiles, each with what it is called with."""

import itertools
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from models import (
    GCN,
    Before,
    Entities,
    Extremum,
    HeteroStack,
    Mixed,
    Net,
    Scores,
    Skipped,
    Stack,
    Typed,
    Untyped,
)  # fmt: skip
from pyg import GRAPHS, R, gnn, rows
from torch import nn

F32, F64, BF16, F16 = torch.float32, torch.float64, torch.bfloat16, torch.float16


@dataclass(frozen=True)
class Configuration:
    """What is compiled once and runs on all its graphs.

    Attributes:
        make: makes the model.
        inputs: what it is called with, for a graph and a precision.
        precisions: those of its parameters and inputs. Gradients are compared in the last one.
        graphs: what ``inputs`` takes.
        training: whether the model is in training mode, and drops numbers.
        makes_lists: whether rows are picked by lists that the model makes, which saved modules have PyTorch pick.
        shares_rows: whether the same rows are those of several graphs, which are drawn apart at random.
    """

    make: Callable[[], nn.Module]
    inputs: Callable[[Any, torch.dtype], tuple]
    precisions: tuple[torch.dtype, ...] = (F64,)
    graphs: Iterable = GRAPHS.values()
    training: bool = False
    makes_lists: bool = False
    shares_rows: bool = False


def each(family):
    """Parameters of a test: each configuration of a family, in each precision."""
    return [
        pytest.param(configuration, dtype, id=f"{name}-{str(dtype)[6:]}")
        for name, configuration in family.items()
        for dtype in configuration.precisions
    ]


def sample(parameters):
    """Every third of a test's parameters, for tests that take long; all of them in `make check-all`."""
    return parameters if os.environ.get("RGNN_CHECK") == "all" else parameters[::3]


def once(family):
    """A family without float64 where there is another precision: kernels for GPUs differ in nothing else."""
    return {
        name: replace(configuration, precisions=tuple(p for p in configuration.precisions if p != F64) or (F64,))
        for name, configuration in family.items()
    }


# ---- inputs of a graph: (number of nodes, edge_index, edge_type) -----------------------------------------------------


def features(width):
    def inputs(graph, dtype):
        return rows(graph[0], width, dtype=dtype), *graph[1:]

    return inputs


def features_without_types(width):
    def inputs(graph, dtype):
        return rows(graph[0], width, dtype=dtype), graph[1]

    return inputs


def features_and_edges(width, edge_width):
    def inputs(graph, dtype):
        shape = (len(graph[2]),) if edge_width is None else (len(graph[2]), edge_width)
        edge_attr = torch.randn(shape, generator=torch.Generator().manual_seed(9), dtype=dtype)
        return rows(graph[0], width, dtype=dtype), *graph[1:], edge_attr

    return inputs


def featureless(graph, dtype):
    return None, *graph[1:]


TABLE = 150  # rows of the weights of featureless layers, which count the nodes by them; the largest graph has as many
TABLE_GRAPHS = [(TABLE, *graph[1:]) for graph in GRAPHS.values()]

# ---- relational layers -----------------------------------------------------------------------------------------------

LAYERS = {}

RGCN = {"RGCNConv": gnn.RGCNConv, "FastRGCNConv": gnn.FastRGCNConv}
WEIGHTS = {  # in and out widths, arguments
    "full": [(16, 20), (33, 64), (64, 128), (20, 33)],
    "bases": [(33, 16), (20, 64), (128, 33), (64, 64)],
    "blocks": [(16, 20), (64, 128), (20, 64), (128, 16)],
}
ARGUMENTS = {"full": {}, "bases": {"num_bases": 3}, "blocks": {"num_blocks": 4}}
for (_name, _layer), _aggr, _weights, _flags in itertools.product(RGCN.items(), ("add", "mean"), WEIGHTS, range(4)):
    if _name == "RGCNConv" and _flags in (1, 2):  # both are captured as one
        continue
    _root, _bias = _flags // 2 == 0, _flags % 2 == 0
    _arguments = {"aggr": _aggr, "root_weight": _root, "bias": _bias, **ARGUMENTS[_weights]}
    _widths = WEIGHTS[_weights][(_flags + (_aggr == "mean")) % 4]
    LAYERS[f"{_name}-{_aggr}-{_weights}{'-root' * _root}{'-bias' * _bias}"] = Configuration(
        lambda layer=_layer, widths=_widths, flags=_arguments: layer(*widths, R, **flags),
        features(_widths[0]),
        (F64, F32) if _flags == 0 else (F64,),
    )
for (_name, _layer), _aggr, _weights in itertools.product(RGCN.items(), ("add", "mean"), ("full", "bases")):
    LAYERS[f"{_name}-{_aggr}-{_weights}-featureless"] = Configuration(
        lambda layer=_layer, flags={"aggr": _aggr, **ARGUMENTS[_weights]}: layer(TABLE, 33, R, **flags),
        featureless,
        (F64, F32) if _aggr == "mean" else (F64,),
        TABLE_GRAPHS,
    )
LAYERS["RGCNConv-featureless-bare"] = Configuration(
    lambda: gnn.RGCNConv(TABLE, 16, R, root_weight=False, bias=False), featureless, graphs=TABLE_GRAPHS
)

ACROSS = {"attention_mechanism": "across-relation"}
WITHIN = {"attention_mechanism": "within-relation"}
RGAT_WIDTHS = [(16, 20), (33, 16), (64, 33), (20, 64), (128, 16), (64, 64)]
for _i, (_how, _heads, _concat, _edge_width) in enumerate(
    itertools.product((ACROSS, WITHIN), (1, 3), (True, False), (None, 3))
):
    _widths = RGAT_WIDTHS[_i % len(RGAT_WIDTHS)]
    _flags = {**_how, "heads": _heads, "concat": _concat, "edge_dim": _edge_width}
    _name = f"{_how['attention_mechanism']}-{_heads}-{'concat' if _concat else 'mean'}{'-edges' if _edge_width else ''}"
    LAYERS[f"RGATConv-{_name}"] = Configuration(
        lambda widths=_widths, flags=_flags: gnn.RGATConv(*widths, R, **flags),
        features_and_edges(_widths[0], _edge_width) if _edge_width else features(_widths[0]),
        (F64, F32) if _i % 2 == _heads // 2 else (F64,),
    )
RGAT_OTHER = {
    "no-bias": ({"bias": False}, features(20)),
    "slope": ({"negative_slope": 0.7, "dropout": 0.6}, features(20)),
    "edges-of-rank-1": ({"edge_dim": 1}, features_and_edges(20, None)),
    "edge-dim-unused": ({"edge_dim": 4}, features(20)),
    "bases": ({"num_bases": 3, "heads": 2}, features(20)),
    "blocks": ({"num_blocks": 4, "heads": 2}, features(20)),
}
for _name, (_flags, _inputs) in RGAT_OTHER.items():
    LAYERS[f"RGATConv-{_name}"] = Configuration(lambda flags=_flags: gnn.RGATConv(20, 16, R, **flags), _inputs)

# ---- stacks of them --------------------------------------------------------------------------------------------------

STACKS = {
    name: Configuration(make, inputs, (F64, F32))
    for name, make, inputs in (
        ("RGCNConv", lambda: Stack(lambda i, o: gnn.RGCNConv(i, o, R), 33, 64, 4), features(33)),
        ("FastRGCNConv-bases", lambda: Stack(lambda i, o: gnn.FastRGCNConv(i, o, R, num_bases=2), 16, 20, 3),
         features(16)),
        ("RGATConv", lambda: Stack(lambda i, o: gnn.RGATConv(i, o, R), 20, 33, 5), features(20)),
        ("RGATConv-within", lambda: Stack(lambda i, o: gnn.RGATConv(i, o, R, **WITHIN), 64, 16, 4), features(64)),
        ("featureless", lambda: Entities(TABLE, 16, 4, R, 3), lambda graph, dtype: graph[1:]),
        ("mixed", Mixed, features(33)),
        ("scores of edges", Scores, features(6)),
    )
}  # fmt: skip

# ---- heterogeneous layers --------------------------------------------------------------------------------------------


def schema(node_types, *edge_types):
    return list(node_types), [tuple(name.split(".")) for name in edge_types]


PAPERS = schema(
    ["paper", "author", "venue"],
    "paper.cites.paper", "author.writes.paper", "paper.rev_writes.author", "venue.hosts.paper",
)  # fmt: skip
METADATA = {
    "papers": PAPERS,  # a venue has no incoming edges
    "one": schema("a", "a.to.a"),
    "parallel": schema("ab", "a.x.b", "a.y.b", "b.x.a", "a.x.a"),  # names used again, two relations of the same ends
    "star": schema("abcd", "a.t.d", "b.t.d", "c.t.d"),  # one type is reached, three only give
    "loop": schema("ab", "a.to.b", "b.to.a", "b.self.b"),
    "many": (["a", "b"], [("ab"[i % 2], f"r{i}", "ab"[i % 3 == 0]) for i in range(20)]),
}
SIZES = {  # node counts by position, edges of each type by position; counts repeat
    "awkward": ([9, 5, 2, 7], [12, 0, 5, 3]),
    "one of each": ([1, 1, 1, 1], [2, 1, 3, 1]),
    "no edges": ([3, 2, 2, 1], [0]),
    "nothing": ([0, 0, 0, 0], [0]),
    "first type empty": ([0, 6, 4, 3], [8, 9]),
    "large": ([200, 90, 40, 60], [900, 150, 0, 400]),
}


def hetero(metadata, widths, sizes, dtype, order=None, edge_types=None):
    counts, edges = SIZES[sizes]
    count = {name: counts[i % len(counts)] for i, name in enumerate(metadata[0])}
    x = {name: rows(count[name], widths[name], i, dtype) for i, name in enumerate(metadata[0])}
    edge_index = {}
    for i, (source, name, target) in enumerate(edge_types or metadata[1]):
        number = edges[i % len(edges)] if count[source] and count[target] else 0
        rng = torch.Generator().manual_seed(i)
        edge_index[source, name, target] = torch.stack([
            torch.randint(0, max(count[end], 1), (number,), generator=rng) for end in (source, target)
        ])  # fmt: skip
    return {name: x[name] for name in order or metadata[0]}, edge_index


def of_types(make, kind, widths, precisions, edge_types=None, **more):
    """A configuration of ``make(metadata, widths)``, with widths by type; those given repeat."""
    metadata = METADATA[kind]
    by_type = dict(zip(metadata[0], itertools.cycle(widths)))
    return Configuration(
        lambda: make(metadata, by_type),
        lambda sizes, dtype: hetero(metadata, by_type, sizes, dtype, edge_types=edge_types),
        precisions,
        **{"graphs": SIZES} | more,
    )


HGT = {}
for _i, (_name, (_kind, _widths, _out, _heads)) in enumerate({  # metadata, widths in, width out, heads
    "papers-16": ("papers", [33, 20, 16], 16, 1),
    "papers-20": ("papers", [20, 20, 20], 20, 2),  # with residuals
    "papers-33": ("papers", [64, 33, 16], 33, 1),  # with a residual in one type
    "papers-64": ("papers", [16, 64, 128], 64, 2),
    "papers-128": ("papers", [128], 128, 2),
    "papers-heads-3": ("papers", [20, 33, 33], 33, 3),
    "one-64": ("one", [64], 64, 1),
    "one-20": ("one", [33], 20, 2),
    "parallel-33": ("parallel", [33, 16], 33, 1),
    "parallel-64": ("parallel", [64, 20], 64, 2),
    "star-16": ("star", [16, 20, 33, 64], 16, 2),
    "many-16": ("many", [16, 20], 16, 2),
}.items()):  # fmt: skip
    HGT[_name] = of_types(
        lambda metadata, widths, given=_widths, out=_out, heads=_heads: gnn.HGTConv(
            given[0] if len(given) == 1 else widths, out, metadata, heads=heads
        ),
        _kind,
        _widths,
        (F64, F32) if _i % 2 else (F64,),
    )

HGT["papers-two-relations"] = of_types(
    lambda metadata, widths: gnn.HGTConv(widths, 20, metadata, heads=2), "papers", (16, 20, 33), (F64,), PAPERS[1][1::2]
)

HETERO_STACKS = {kind: of_types(HeteroStack, kind, (33, 16, 20), (F64, F32)) for kind in ("papers", "parallel")}


def relations(make, widths):
    """A layer for each relation, made of the widths of its ends."""
    return of_types(
        lambda metadata, width: gnn.HeteroConv({each: make((width[each[0]], width[each[2]])) for each in metadata[1]}),
        "many", widths, (F64,), graphs=("awkward", "no edges"), shares_rows=True)  # fmt: skip


RELATIONS = {
    "SAGE": relations(lambda ends: gnn.SAGEConv(ends, 20), (16, 33)),
    "GAT": relations(lambda ends: gnn.GATConv(ends, 10, heads=2, add_self_loops=False), (16,)),
}

# ---- layers without types --------------------------------------------------------------------------------------------


def factors(width):
    """Features, edges, and a factor of each node as a destination and as a source."""

    def inputs(graph, dtype):
        nodes, edge_index, _ = graph
        degrees = (edge_index[i].bincount(minlength=nodes).to(dtype)[:, None] for i in (1, 0))
        return rows(nodes, width, dtype=dtype), edge_index, *(degree.clamp(min=1).rsqrt() for degree in degrees)

    return inputs


UNTYPED = {"max of typed messages": Configuration(lambda: Typed(16), features(16), (F64, F32))}
for _aggr, _by_edges in itertools.product(("max", "min"), (True, False)):
    UNTYPED[f"{_aggr} of messages by {'edges' if _by_edges else 'nodes'}"] = Configuration(
        lambda aggr=_aggr, by_edges=_by_edges: Extremum(aggr, by_edges), features_without_types(7), (F64, F32)
    )
for _widths, _on_edges, _first in itertools.product(((3, 24), (24, 3), (24, 32)), (True, False), (True, False)):
    _place, _order = "edges" if _on_edges else "nodes", "first" if _first else "last"
    UNTYPED[f"GCN-{_widths[0]}-{_widths[1]}-{_place}-{_order}"] = Configuration(
        lambda widths=_widths, on_edges=_on_edges, first=_first: GCN(*widths, on_edges, first), factors(_widths[0])
    )

# ---- layers that are told by their dataflow alone --------------------------------------------------------------------


def features_and_weights(width, edge_width):
    def inputs(graph, dtype):
        x, edge_index, _, edge_attr = features_and_edges(width, edge_width)(graph, dtype)
        return x, edge_index, edge_attr.abs()

    return inputs


SOME = [GRAPHS[name] for name in ("awkward", "no edges", "large")]
OTHERS = {
    "GCNConv-weights": Configuration(lambda: gnn.GCNConv(16, 20), features_and_weights(16, None), makes_lists=True),
    "GATConv-features": Configuration(
        lambda: gnn.GATConv(16, 10, heads=2, edge_dim=5), features_and_weights(16, 5), graphs=SOME, makes_lists=True),
    "ARMAConv": Configuration(
        lambda: gnn.ARMAConv(16, 20, num_stacks=2, num_layers=2), features_without_types(16), graphs=SOME),
    "GENConv": Configuration(lambda: gnn.GENConv(16, 20), features_without_types(16)),
    "MFConv": Configuration(lambda: gnn.MFConv(16, 20, max_degree=3), features_without_types(16), makes_lists=True),
    "PDNConv": Configuration(lambda: gnn.PDNConv(16, 20, 5, 8), features_and_weights(16, 5), makes_lists=True),
}  # fmt: skip

# ---- 16-bit floats ---------------------------------------------------------------------------------------------------

HALF = {
    name: Configuration(make, features(width), (BF16, F16))
    for name, make, width in (
        ("FastRGCNConv", lambda: gnn.FastRGCNConv(16, 20, R), 16),
        ("FastRGCNConv-add-blocks", lambda: gnn.FastRGCNConv(16, 20, R, num_blocks=4, aggr="add"), 16),
        ("RGCNConv", lambda: gnn.RGCNConv(16, 20, R), 16),  # its results are float32
        ("RGATConv", lambda: gnn.RGATConv(16, 20, R, heads=3), 16),
        ("RGATConv-within", lambda: gnn.RGATConv(20, 16, R, concat=False, heads=2, **WITHIN), 20),
        ("stack", Skipped, 33),
    )
}
HALF["HGTConv"] = of_types(
    lambda metadata, widths: gnn.HGTConv(widths, 20, metadata, heads=2), "loop", (16, 20), (BF16, F16)
)

# ---- dropout, in training mode ---------------------------------------------------------------------------------------


def in_place(x):
    h = F.dropout(x * 2, 0.5, True, inplace=True)
    return F.dropout(h, 0.3, True) + h


def unused(x):
    F.dropout(x, 0.3, True)  # draws all the same
    return F.dropout(x, 0.5, True)


DROPOUT = {
    name: Configuration(make, features(16), training=True)
    for name, make in {
        "module": Net,
        "functions": lambda: Stack(lambda i, o: gnn.RGCNConv(i, o, R), 16, 33, 4),
        "functions-RGAT": lambda: Stack(lambda i, o: gnn.RGATConv(i, o, R, dropout=0.2), 16, 20, 5),
        "attention": lambda: gnn.RGATConv(16, 20, R, heads=3, dropout=0.6),
        "attention-within": lambda: gnn.RGATConv(16, 20, R, heads=2, concat=False, dropout=0.3, **WITHIN),
        "attention-multiplied": lambda: gnn.RGATConv(
            16, 20, R, heads=2, dim=3, dropout=0.5, attention_mode="multiplicative-self-attention"),
        "GATv2Conv": lambda: Untyped(gnn.GATv2Conv(16, 20, heads=2, dropout=0.5, add_self_loops=False)),
        "TransformerConv": lambda: Untyped(gnn.TransformerConv(16, 20, heads=2, dropout=0.5)),
        "all dropped": lambda: Before(lambda x: F.dropout(x, 1.0, True)),
        "in place": lambda: Before(in_place),
        "unused": lambda: Before(unused),
        "columns": lambda: Before(lambda x: F.dropout(torch.cat([x, x], 1)[:, 3:19], 0.3, True)),
        "higher rank": lambda: Before(lambda x: F.dropout(x.view(-1, 4, 4), 0.3, True).view(-1, 16)),
    }.items()
}  # fmt: skip

CONFIGURATIONS = {
    f"{family}-{name}": configuration
    for family, configurations in {
        "layer": LAYERS, "stack": STACKS, "HGT": HGT, "hetero": HETERO_STACKS, "untyped": UNTYPED, "half": HALF,
        "dropout": DROPOUT, "other": OTHERS, "relations": RELATIONS,
    }.items()
    for name, configuration in configurations.items()
}  # fmt: skip
