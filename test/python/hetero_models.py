"""Models of lists of edges by type, and batches for them: what tests of relations share."""

import torch
import torch_geometric.nn as gnn

#: ``d`` is no destination, ``c`` that of one relation, and two lists have the same ends.
RELATIONS = [("a", "r", "a"), ("a", "s", "b"), ("b", "t", "b"), ("d", "u", "b"), ("c", "v", "a"), ("a", "w", "c"),
             ("b", "x", "a"), ("a", "y", "a")]  # fmt: skip
WIDTH = 6
#: Numbers of nodes by type, and of edges of the lists, in turn.
BATCHES = [
    (dict(a=9, b=7, c=5, d=4), [11, 3, 5, 2]),
    (dict(a=3, b=8, c=4, d=4), [6, 2]),
    (dict(a=20, b=2, c=6, d=3), [40]),
]
AWKWARD = [
    (dict(a=9, b=7, c=5, d=4), [11, 0, 5, 1]),
    (dict(a=1, b=1, c=1, d=1), [2, 1, 0]),
    (dict(a=3, b=8, c=0, d=4), [0]),
]


def batch(sizes, numbers, widths=None, seed=0):
    """Features ``[nodes, width]`` by type, and lists ``[2, edges]`` by relation."""
    draw = torch.Generator().manual_seed(seed)
    x = {
        kind: torch.randn(number, (widths or {}).get(kind, WIDTH), generator=draw, dtype=torch.float64)
        for kind, number in sizes.items()
    }
    edges = {}
    for i, relation in enumerate(RELATIONS):
        ends = sizes[relation[0]], sizes[relation[2]]
        number = numbers[i % len(numbers)] if all(ends) else 0
        edges[relation] = torch.stack([torch.randint(0, max(end, 1), (number,), generator=draw) for end in ends])
    return x, edges


class Hetero(torch.nn.Module):
    """Two layers of `HeteroConv`, of one convolution for each relation."""

    def __init__(self, make, aggr="sum", layers=2):
        super().__init__()
        self.layers = torch.nn.ModuleList(
            gnn.HeteroConv({relation: make() for relation in RELATIONS}, aggr=aggr) for _ in range(layers)
        )

    def forward(self, x, edges, *more):
        for layer in self.layers:
            x = x | {kind: torch.relu(rows) for kind, rows in layer(x, edges, *more).items()}
        return x


class Loop(torch.nn.Module):
    """A loop over relations of its own, each with a gate."""

    def __init__(self):
        super().__init__()
        self.weights, self.gates = torch.nn.ParameterDict(), torch.nn.ParameterDict()
        for relation in RELATIONS:
            self.weights["-".join(relation)] = torch.nn.Parameter(torch.randn(WIDTH, WIDTH))
            self.gates["-".join(relation)] = torch.nn.Parameter(torch.randn(WIDTH))

    def forward(self, x, edges):
        out = {kind: 0.5 * rows for kind, rows in x.items()}
        for relation, (src, dst) in edges.items():
            name, kind = "-".join(relation), relation[2]
            message = torch.tanh(x[relation[0]][src] @ self.weights[name]) * self.gates[name]
            out[kind] = out[kind].index_add(0, dst, message)
        return {kind: torch.nn.functional.gelu(rows) for kind, rows in out.items()}
