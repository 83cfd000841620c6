"""Traversals of rgnn.dgl beside networkx, and message passing in their order beside loops over nodes."""

import networkx
import pytest
import rgnn
import rgnn.dgl as dgl
import rgnn.dgl.function as fn
import torch
from dgl_graphs import check_equal, graphs, hetero, outcome, rows
from torch import nn


def tree(nodes, seed=0):
    """Each node but the last may have a parent of a larger number; some are alone."""
    generator = torch.Generator().manual_seed(seed + nodes)
    parents = [(v, int(torch.randint(v + 1, min(nodes, v + 5), (), generator=generator))) for v in range(nodes - 1)]
    kept = [pair for pair in parents if torch.rand((), generator=generator) < 0.9]
    return dgl.graph(tuple(torch.tensor(kept, dtype=torch.long).view(-1, 2).t()), num_nodes=nodes)


def networkx_of(graph, reverse=False):
    made = networkx.MultiDiGraph()
    made.add_nodes_from(range(graph.num_nodes()))
    made.add_edges_from(zip(*(end.tolist() for end in graph.edges())))
    return made.reverse() if reverse else made


TREES = [tree(nodes) for nodes in (12, 1, 5, 30, 2)]


@pytest.mark.parametrize("reverse", [False, True])
def test_topological_order(reverse):
    for graph in [*TREES, dgl.graph(([], []), num_nodes=0), TREES[0].int()]:
        expected = [sorted(nodes) for nodes in networkx.topological_generations(networkx_of(graph, reverse))]
        found = dgl.topological_nodes_generator(graph, reverse)
        assert [nodes.tolist() for nodes in found] == expected
        assert all(nodes.dtype == graph.idtype for nodes in found)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("source", [[0], [3, 1], []])
def test_breadth_first(source, reverse):
    for graph in [*graphs(), *TREES]:
        start = [node for node in source if node < graph.num_nodes()]
        layers = [sorted(nodes) for nodes in networkx.bfs_layers(networkx_of(graph, reverse), start)] if start else []
        found = dgl.traversal.bfs_nodes_generator(graph, torch.tensor(start, dtype=torch.long), reverse)
        assert found[0].tolist() == start and [nodes.tolist() for nodes in found[1:]] == layers[1:]
        edges = dgl.bfs_edges_generator(graph, start, reverse)
        one, other = graph.edges() if not reverse else graph.edges()[::-1]
        for step, numbers in enumerate(edges):
            assert other[numbers].tolist() == layers[step + 1]
            assert set(one[numbers].tolist()) <= set(layers[step])


@pytest.mark.parametrize(("call", "text"), [
    (lambda: dgl.topological_nodes_generator(dgl.graph(([0, 1, 2], [1, 2, 1]))), "without loops, got .* 2 of 3 nodes"),
    (lambda: dgl.topological_nodes_generator(hetero(2, 2)), "one node type and one edge type, got 2 and 4"),
    (lambda: dgl.bfs_nodes_generator(TREES[0], [12]), "numbers of nodes from 0 to 11, got 12 to 12"),
])  # fmt: skip
def test_errors(call, text):
    with pytest.raises(dgl.DGLError, match=text):
        call()


class TreeLSTM(nn.Module):
    """What each node has of the nodes below it (Tai et al., ACL 2015), as DGL's example says it."""

    def __init__(self, size):
        super().__init__()
        self.gates, self.forget = nn.Linear(size, 3 * size, bias=False), nn.Linear(size, size)

    def message(self, edges):
        return {"h": edges.src["h"], "c": edges.src["c"]}

    def reduce(self, nodes):
        h, f = nodes.mailbox["h"].sum(1), self.forget(nodes.mailbox["h"]).sigmoid()
        return {"iou": self.gates(h), "c": (f * nodes.mailbox["c"]).sum(1)}

    def apply(self, nodes):
        i, o, u = nodes.data["iou"].chunk(3, 1)
        c = i.sigmoid() * u.tanh() + nodes.data["c"]
        return {"h": o.sigmoid() * c.tanh(), "c": c}

    def forward(self, graph, x):
        with graph.local_scope():
            graph.ndata["iou"] = self.gates(x)
            graph.ndata["h"] = graph.ndata["c"] = torch.zeros_like(x)
            dgl.prop_nodes_topo(graph, self.message, self.reduce, apply_node_func=self.apply)
            return graph.ndata["h"]

    def by_hand(self, graph, x):
        h, c, below = {}, {}, {node: [] for node in range(graph.num_nodes())}
        for source, target in zip(*(end.tolist() for end in graph.edges())):
            below[target].append(source)
        for node in range(graph.num_nodes()):
            own = sum(h[other] for other in below[node]) if below[node] else x[node]
            i, o, u = self.gates(own).chunk(3)
            c[node] = i.sigmoid() * u.tanh() + sum(self.forget(h[other]).sigmoid() * c[other] for other in below[node])
            h[node] = o.sigmoid() * c[node].tanh()
        return torch.stack([h[node] for node in range(graph.num_nodes())])


@pytest.mark.filterwarnings("ignore:rgnn")
def test_trees():
    torch.manual_seed(0)
    model = TreeLSTM(4).double()
    compiled = rgnn.compile(model)
    for graph in [*TREES, *TREES]:
        x = rows(graph.num_nodes(), 4)
        expected = outcome(lambda x, graph=graph: model.by_hand(graph, x), [x], model.parameters())
        for one in (model, compiled):
            check_equal(outcome(lambda x, one=one, graph=graph: one(graph, x), [x], model.parameters()), expected)
    explained = rgnn.explain(compiled, graph, x)
    assert explained.kernels and len(explained.versions) <= 5  # for all trees, whatever their depth


@pytest.mark.filterwarnings("ignore:rgnn")
def test_in_the_order_of_a_search():
    @rgnn.compile
    def model(graph, x, weight):
        graph.ndata["h"] = x
        dgl.prop_nodes_bfs(graph, [0], fn.copy_u("h", "m"), fn.sum("m", "h"), reverse=True)
        graph.edata["w"] = weight
        graph.prop_edges(dgl.bfs_edges_generator(graph, [0]), fn.u_mul_e("h", "w", "m"), fn.max("m", "h"))
        return graph.ndata["h"]

    for graph in graphs()[:3]:
        x, weight = rows(graph.num_nodes(), 3), rows(graph.num_edges(), 1)
        h, (source, target) = x.clone(), graph.edges()
        for nodes in dgl.bfs_nodes_generator(graph, [0], reverse=True):
            h[nodes] = torch.zeros_like(h).index_add(0, target, h[source])[nodes]
        for edges in dgl.bfs_edges_generator(graph, [0]):
            h[target[edges]] = h[source[edges]] * weight[edges]
        torch.testing.assert_close(model(graph, x, weight), h)
