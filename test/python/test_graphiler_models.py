"""Graphiler's models (MLSys 2022, figure 1 and section 5.1) as functions of rgnn.dgl: inference, values, gradients."""

import pytest
import rgnn
import torch
import torch.nn.functional as F
from dgl_graphs import check_equal, graphs, outcome, rows
from dgl_rules import EDGE_TYPES, NODE_TYPES, SIZES, WIDTH, by_type, inferred, tensors_of
from rgnn._runner import runner_of
from torch import nn

REORDERED = ["--rgnn-postpone-propagation", "--canonicalize", "--cse"]


def aggregate(nodes):
    """Equations 6 and 7."""
    return {"r": (torch.softmax(nodes.mailbox["e"], dim=1) * nodes.mailbox["m"]).sum(dim=1)}


def constrain(nodes):
    """Of C-GAT: each message weighs what its score is above those of others, pair by pair."""
    score = nodes.mailbox["e"]
    weight = torch.relu(score.unsqueeze(2) - score.unsqueeze(1)).sum(dim=2)
    return {"r": (weight * nodes.mailbox["m"]).sum(dim=1)}


class GAT(nn.Module):
    """Equations 1, 2 and 6 to 8, all of them of edges."""

    def __init__(self, aggregate):
        super().__init__()
        self.aggregate = aggregate
        self.W, self.W_att = nn.Parameter(rows(WIDTH, WIDTH)), nn.Parameter(rows(2 * WIDTH, 1))

    def message(self, edges):
        source, target = edges.src["h"] @ self.W, edges.dst["h"] @ self.W
        return {"m": source, "e": F.leaky_relu(torch.cat([source, target], dim=1) @ self.W_att)}

    def forward(self, graph, x, w, kinds, types):
        with graph.local_scope():
            graph.ndata["h"] = x
            graph.update_all(self.message, self.aggregate, lambda nodes: {"h": torch.relu(nodes.data["r"])})
            return graph.ndata["h"]

    def messages(self, x, source, target, kinds, types):
        z = x @ self.W
        return z[source], F.leaky_relu(torch.cat([z[source], z[target]], 1) @ self.W_att)


class HGT(nn.Module):
    """Equations 3 to 8: keys, queries and values by types of nodes, of edges as in figure 1, or of nodes."""

    def __init__(self, is_of_edges):
        super().__init__()
        self.is_of_edges = is_of_edges
        self.K, self.Q, self.V = (nn.Parameter(rows(NODE_TYPES, WIDTH, WIDTH, seed=seed)) for seed in range(3))
        self.att, self.msg = (nn.Parameter(rows(EDGE_TYPES, WIDTH, WIDTH, seed=seed)) for seed in range(2))

    def project(self, nodes):
        return {name: by_type(nodes.data["h"], nodes.type[name]) for name in "KQV"}

    def message(self, edges):
        if self.is_of_edges:
            key, value = (by_type(edges.src["h"], edges.srctype[name]) for name in "KV")
            query = by_type(edges.dst["h"], edges.dsttype["Q"])
        else:
            key, query, value = edges.src["K"], edges.dst["Q"], edges.src["V"]
        score = (by_type(key, edges.type["att"]) * query).sum(dim=1, keepdim=True)
        return {"m": by_type(value, edges.type["msg"]), "e": score}

    def forward(self, graph, x, w, kinds, types):
        with graph.local_scope():
            graph.ndata["h"], graph.ndata["_TYPE"], graph.edata["_TYPE"] = x, kinds, types
            graph.ntypedata.update(K=self.K, Q=self.Q, V=self.V)
            graph.etypedata.update(att=self.att, msg=self.msg)
            if not self.is_of_edges:
                graph.apply_nodes(self.project)
            graph.update_all(self.message, aggregate, lambda nodes: {"h": torch.relu(nodes.data["r"])})
            return graph.ndata["h"]

    def messages(self, x, source, target, kinds, types):
        key, query, value = (by_type(x, own[kinds]) for own in (self.K, self.Q, self.V))
        score = (by_type(key[source], self.att[types]) * query[target]).sum(1, keepdim=True)
        return by_type(value[source], self.msg[types]), score


def twin(model, combine):
    """The model in plain PyTorch, each node by itself."""

    def call(graph, x, w, kinds, types):
        source, target = graph.edges()
        messages, scores = model.messages(x, source, target, kinds, types)
        results = [combine(scores[target == node], messages[target == node]) for node in range(len(x))]
        return torch.relu(torch.stack(results))

    return call


def check(model, compiled, combine=lambda e, m: (e.softmax(0) * m).sum(0), sizes=SIZES):
    for graph in graphs(sizes):
        expected, got = (outcome(lambda *own, call=call, graph=graph: call(graph, *own), tensors_of(graph),
                                 model.parameters()) for call in (twin(model, combine), compiled))  # fmt: skip
        check_equal(got, expected)
    return compiled


def products(ops):
    return sorted(str(op) for op in ops if op.name in ("linear", "typed_linear"))


def test_gat():
    """Figure 4 (a): products of edges become products of nodes, and both ends share the first. All is of one graph."""
    model = GAT(aggregate)
    compiled = check(model, rgnn.compile(model, fullgraph=True))
    assert len(runner_of(compiled).versions) == 1
    ops, _ = inferred(compiled)
    assert products(ops) == ["linear : edge -> edge"] * 3 and not [op for op in ops if "@" in op.result]
    ops, _ = inferred(compiled, *REORDERED)
    assert products(ops) == ["linear : node -> node"] * 3
    assert [str(op) for op in ops if op.name == "group_softmax"] == ["group_softmax dst: edge -> edge"]


@pytest.mark.parametrize("is_of_edges", [True, False])
def test_hgt(is_of_edges):
    """Products with matrices of types copy none of them to edges (figure 4 (b)); where functions of nodes make keys,
    queries and values, these are products of nodes, which are the edges of graphs that lead to node types."""
    model = HGT(is_of_edges)
    compiled = check(model, rgnn.compile(model, fullgraph=True))
    assert len(runner_of(compiled).versions) == 1
    ops, _ = inferred(compiled)
    assert len(products(ops)) == 5 and all(op.startswith("typed_linear etype: edge") for op in products(ops))
    assert not [op for op in ops if op.operands[0] == "shared" or op.name == "gather" and "etype" in op.words]
    assert [op.words for op in ops if op.name == "gather"].count("src") == (1 if is_of_edges else 2)


def test_constrained_gat():
    """What compares the messages of a node pair by pair sorts them; C-GAT is compiled whole as the others are."""
    model = GAT(constrain)
    compiled = check(model, rgnn.compile(model, fullgraph=True),
                     lambda e, m: ((e - e.T).relu().sum(1, keepdim=True) * m).sum(0))  # fmt: skip
    assert len(runner_of(compiled).versions) == 1
    ops, _ = inferred(compiled, *REORDERED)
    assert products(ops) == ["linear : node -> node"] * 3
    assert [str(op) for op in ops if op.name == "group_excess"] == ["group_excess dst: edge -> edge"]
