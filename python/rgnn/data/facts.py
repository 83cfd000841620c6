"""Published sizes of data sets: the one table that generated graphs and their tests rest on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    """What is known of a data set.

    Attributes:
        nodes, node_types, edges, edge_types: sizes; edge types are canonical, counted with inverses where `inverses`.
        compaction: unique (source, edge type) pairs and unique (destination, edge type) pairs, each per edge.
        compaction_from: where `compaction` is from: "published", "measured" on the real data, or "assumed".
        source: where the sizes are from.
        inverses: the second half of the edge types are the inverses of the first half.
        symmetric: every edge is there in both directions (one edge type).
        self_loops: the edges include one self loop for every node.
        skew: degrees follow a power law with this exponent: an end node is ``floor(n * u ** skew)`` for uniform u
            (1 = uniform).
        node_counts: number of nodes of each type, where published.
        relations: (source type, relation, destination type, edges), where published.
        exact: the graph itself is generated, not one like it.
    """

    nodes: int
    node_types: int
    edges: int
    edge_types: int
    compaction: tuple[float, float] | None
    compaction_from: str
    source: str
    inverses: bool = False
    symmetric: bool = False
    self_loops: bool = False
    skew: float = 2.5
    node_counts: dict[str, int] | None = None
    relations: tuple[tuple[str, str, str, int], ...] | None = None
    exact: bool = False


_SENSEI = "SENSEi, table 2"
_GRAPHILER = "Graphiler, table 2"
_MEASURED = "measured on the real graph (design.md, section 11)"

# Types are canonical as in Hector's table 3; Graphiler's counts of edge types are of unique names and lower.
FACTS: dict[str, Facts] = {
    # --- heterogeneous ------------------------------------------------------------------------------------------------
    "aifb": Facts(7_262, 7, 48_810, 104, (0.50, 0.50), "measured", _MEASURED, inverses=True),
    "mutag": Facts(27_163, 5, 148_100, 50, (0.51, 0.51), "measured", _MEASURED, inverses=True),
    "fb15k-237": Facts(14_541, 1, 620_232, 474, (0.26, 0.26), "measured", _MEASURED, inverses=True),
    "wn18rr": Facts(40_943, 1, 186_006, 22, (0.59, 0.59), "measured", _MEASURED, inverses=True),
    "am": Facts(1_885_136, 7, 5_668_682, 108, (0.57, 0.57), "published",
                _GRAPHILER + "; types and compaction: Hector, table 3 and section 4.3", inverses=True),
    "bgs": Facts(94_806, 27, 672_884, 122, (0.50, 0.50), "assumed",
                 _GRAPHILER + "; types: Hector, table 3", inverses=True),
    "biokg": Facts(93_773, 5, 4_762_678, 51, (0.10, 0.10), "assumed",
                   _GRAPHILER + "; types: Hector, table 3; nodes of each type: Open Graph Benchmark",
                   node_counts={"disease": 10_687, "drug": 10_533, "function": 45_085, "protein": 17_499,
                                "sideeffect": 9_969}),
    "mag": Facts(1_939_743, 4, 21_111_007, 4, (0.16, 0.07), "assumed", "Open Graph Benchmark (ogbn-mag)",
                 node_counts={"author": 1_134_649, "field_of_study": 59_965, "institution": 8_740, "paper": 736_389},
                 relations=(("author", "affiliated_with", "institution", 1_043_998),
                            ("author", "writes", "paper", 7_145_660),
                            ("paper", "cites", "paper", 5_416_271),
                            ("paper", "has_topic", "field_of_study", 7_505_078))),
    "wikikg2": Facts(2_500_604, 1, 16_109_182, 535, (0.75, 0.25), "assumed",
                     "Open Graph Benchmark (ogbl-wikikg2, training edges); types: Hector, table 3"),
    # --- one node type, one edge type; no compaction but that of repeated end nodes -----------------------------------
    "pubmed": Facts(19_717, 1, 88_651, 1, None, "", _GRAPHILER, symmetric=True),
    "ppi": Facts(56_944, 1, 1_644_208, 1, None, "", _GRAPHILER, symmetric=True),
    "ogbn-arxiv": Facts(169_343, 1, 1_166_243, 1, None, "", _GRAPHILER),
    "reddit": Facts(232_965, 1, 114_615_892, 1, None, "", _SENSEI, symmetric=True),
    "com-amazon": Facts(334_863, 1, 2_186_607, 1, None, "", _SENSEI, symmetric=True, self_loops=True),
    "coauthors-citeseer": Facts(227_320, 1, 1_855_588, 1, None, "", _SENSEI, symmetric=True, self_loops=True),
    "belgium-osm": Facts(1_441_295, 1, 4_541_235, 1, None, "", _SENSEI, symmetric=True, self_loops=True, skew=1.0),
    "asia-osm": Facts(11_950_757, 1, 25_423_206, 1, None, "", _SENSEI, symmetric=True, skew=1.0),
    "ogbn-products": Facts(2_449_029, 1, 126_167_053, 1, None, "", _SENSEI, symmetric=True, self_loops=True),
    "mycielskian17": Facts(98_303, 1, 100_245_742, 1, None, "", _SENSEI, symmetric=True, exact=True),
}  # fmt: skip
