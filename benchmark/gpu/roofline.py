"""What a call has to move and to compute, whatever its kernels: a bound on its time from the machine's own rates.

Bytes: each input, parameter and index is read once, each result written once. Operations: two for a multiplication with
its addition in the products of rows with weights, on as few rows as the rewrites allow: unique pairs of a node and an
edge type. A training step also reads the features and the parameters for the backward, writes gradients, and computes
both gradients of each product but that of the features.
"""

from __future__ import annotations


def work(model: str, graph, width: int, training: bool) -> tuple[int, int]:
    """Bytes and operations."""
    nodes, edges, types = graph.num_nodes, graph.num_edges, graph.num_edge_types
    pairs = round(edges * min(graph.compaction_ratio("src"), graph.compaction_ratio("dst")))
    rows = {"rgcn": pairs + nodes, "rgat": pairs, "hgt": 2 * pairs + 4 * nodes}[model]
    squares = {"rgcn": types + 1, "rgat": types, "hgt": 2 * types + 4 * graph.num_node_types}[model]
    weights = 4 * squares * width * width
    index = 4 * 2 * edges + 4 * nodes
    features = 4 * nodes * width
    moved, operations = 2 * features + weights + index, 2 * rows * width * width
    if not training:
        return moved, operations
    # The loss reads the result and gives its gradient; HGT's products of rows that are computed have two gradients.
    return 2 * moved + 2 * features + weights, (3 if model == "hgt" else 2) * operations


def bound(bytes_moved: int, operations: int, rates: dict[str, float]) -> float:
    """Seconds that the slower of memory and float32 arithmetic takes."""
    return max(bytes_moved / rates["bandwidth"], operations / rates["float32"])
