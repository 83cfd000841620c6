"""The pooling of torch_geometric.nn.pool that takes a graph."""

from __future__ import annotations

import torch_geometric.nn.pool as pool

from .case import Call, Case

_SEARCHES = ("graclus", "voxel_grid", "fps", "knn", "knn_graph", "radius", "radius_graph", "nearest")
ABSENT = {
    **dict.fromkeys(_SEARCHES, "needs torch-cluster"),
    **dict.fromkeys(("KNNIndex", "L2KNNIndex", "MIPSKNNIndex", "ApproxL2KNNIndex", "ApproxMIPSKNNIndex"),
                    "an index of vectors, no graph; needs faiss"),
    "PANPooling": "needs torch-sparse",
    "ClusterPooling": "needs scipy",
    **dict.fromkeys(("approx_knn", "approx_knn_graph"), "needs pynndescent"),
    **dict.fromkeys(("max_pool", "avg_pool", "max_pool_neighbor_x", "avg_pool_neighbor_x"), "takes a Data object"),
}  # fmt: skip


def _functions(name, function):
    return Case(name, function, lambda g: Call(function, g.graphs), lambda g: (g.x, g.batch))


def _by_cluster(name, function):
    return Case(name, function, lambda g: Call(lambda x, cluster, batch: function(cluster, x, batch)[0]),
                lambda g: (g.x, g.integers("cluster", g.nodes // 2, g.nodes), g.batch))  # fmt: skip


def batched(g):
    return g.x, g.edge_index, None, g.batch


CASES = [
    _functions("add", pool.global_add_pool),
    _functions("mean", pool.global_mean_pool),
    _functions("max", pool.global_max_pool),
    _by_cluster("max of clusters", pool.max_pool_x),
    _by_cluster("mean of clusters", pool.avg_pool_x),
    Case("TopK", pool.TopKPooling, lambda g: pool.TopKPooling(g.width), batched),
    Case("SAG", pool.SAGPooling, lambda g: pool.SAGPooling(g.width), batched),
    Case("ASA", pool.ASAPooling, lambda g: pool.ASAPooling(g.width), batched, doubles=False),
    Case("Edge", pool.EdgePooling, lambda g: pool.EdgePooling(g.width), lambda g: (g.x, g.edge_index, g.batch)),
    Case("Mem", pool.MemPooling, lambda g: pool.MemPooling(g.width, g.width, 2, 5), lambda g: (g.x, g.batch)),
]
