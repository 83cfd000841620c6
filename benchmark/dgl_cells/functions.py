"""The models of Graphiler (MLSys 2022), as users of DGL write them: functions of edges and of mailboxes.

Names and shapes of parameters are those of DGL's own layers where it has them.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, RELATIONAL_WIDTH = 64, 16


def matrix(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.empty(shape))


class GCN(nn.Module):
    def __init__(self, inputs, width, graph):
        super().__init__()
        self.weight, self.bias = matrix(inputs, width), matrix(width)

    def message(self, edges):
        return {"m": edges.src["h"]}

    def reduce(self, nodes):
        return {"h": nodes.mailbox["m"].sum(dim=1)}

    def forward(self, g, x):
        with g.local_scope():
            left, right = (degrees.float().clamp(min=1).pow(-0.5).unsqueeze(1)
                           for degrees in (g.out_degrees(), g.in_degrees()))  # fmt: skip
            g.ndata["h"] = (x * left) @ self.weight
            g.update_all(self.message, self.reduce)
            return g.ndata["h"] * right + self.bias


class GAT(nn.Module):
    def __init__(self, inputs, width, graph):
        super().__init__()
        self.fc = nn.Linear(inputs, width, bias=False)
        self.attn_fc = nn.Linear(2 * width, 1, bias=False)

    def message(self, edges):
        scores = self.attn_fc(torch.cat([edges.src["z"], edges.dst["z"]], dim=1))
        return {"z": edges.src["z"], "e": F.leaky_relu(scores, 0.2)}

    def reduce(self, nodes):
        alpha = torch.softmax(nodes.mailbox["e"], dim=1)
        return {"h": (alpha * nodes.mailbox["z"]).sum(dim=1)}

    def forward(self, g, x):
        with g.local_scope():
            g.ndata["z"] = self.fc(x)
            g.update_all(self.message, self.reduce)
            return g.ndata["h"]


class CGAT(GAT):
    """Constrained attention: a message weighs what its score is above those of its node's other messages."""

    def message(self, edges):
        scores = self.attn_fc(torch.cat([edges.src["z"], edges.dst["z"]], dim=1))
        return {"z": edges.src["z"], "a": torch.relu(scores)}

    def reduce(self, nodes):
        a = nodes.mailbox["a"]  # [nodes, messages, 1]
        alpha = torch.relu(a.unsqueeze(2) - a.unsqueeze(1)).sum(2)
        return {"h": (alpha * nodes.mailbox["z"]).sum(dim=1)}


class FlatCGAT(CGAT):
    """The same with scores that are numbers, not rows of one."""

    def message(self, edges):
        scores = self.attn_fc(torch.cat([edges.src["z"], edges.dst["z"]], dim=1))
        return {"z": edges.src["z"], "a": torch.relu(scores).squeeze(1)}

    def reduce(self, nodes):
        a = nodes.mailbox["a"]  # [nodes, messages]
        alpha = torch.relu(a.unsqueeze(2) - a.unsqueeze(1)).sum(2)
        return {"h": (alpha.unsqueeze(2) * nodes.mailbox["z"]).sum(dim=1)}


class Matrices(nn.Module):
    """A matrix for each type."""

    def __init__(self, types, inputs, width):
        super().__init__()
        self.W = matrix(types, inputs, width)

    def forward(self, rows, types):
        return torch.bmm(rows.unsqueeze(1), self.W[types]).squeeze(1)


class RGCN(nn.Module):
    def __init__(self, inputs, width, graph):
        super().__init__()
        self.linear_r = Matrices(graph.num_edge_types, inputs, width)
        self.loop_weight, self.h_bias = matrix(inputs, width), matrix(width)

    def message(self, edges):
        return {"m": self.linear_r(edges.src["h"], edges.data["type"]) * edges.data["norm"]}

    def reduce(self, nodes):
        return {"h": nodes.mailbox["m"].sum(dim=1)}

    def forward(self, g, x, types, norm):
        with g.local_scope():
            g.ndata["h"], g.edata["type"], g.edata["norm"] = x, types, norm
            g.update_all(self.message, self.reduce)
            return g.ndata["h"] + self.h_bias + x @ self.loop_weight


class HGT(nn.Module):
    """One head."""

    def __init__(self, inputs, width, graph):
        super().__init__()
        for name in "kqva":
            setattr(self, f"linear_{name}", Matrices(graph.num_node_types, inputs, width))
        self.relation_pri = nn.ParameterList([matrix(graph.num_edge_types)])
        self.relation_att = nn.ModuleList([Matrices(graph.num_edge_types, width, width)])
        self.relation_msg = nn.ModuleList([Matrices(graph.num_edge_types, width, width)])
        self.skip = matrix(graph.num_node_types)

    def message(self, edges):
        types = edges.data["type"]
        keys = self.relation_att[0](edges.src["k"], types)
        scores = (keys * edges.dst["q"]).sum(dim=1) * self.relation_pri[0][types] / keys.shape[1] ** 0.5
        return {"a": scores.unsqueeze(1), "m": self.relation_msg[0](edges.src["v"], types)}

    def reduce(self, nodes):
        alpha = torch.softmax(nodes.mailbox["a"], dim=1)
        return {"h": (alpha * nodes.mailbox["m"]).sum(dim=1)}

    def forward(self, g, x, kinds, types):
        with g.local_scope():
            g.ndata["k"], g.ndata["q"], g.ndata["v"] = (
                linear(x, kinds) for linear in (self.linear_k, self.linear_q, self.linear_v))  # fmt: skip
            g.edata["type"] = types
            g.update_all(self.message, self.reduce)
            share = torch.sigmoid(self.skip[kinds]).unsqueeze(1)
            return self.linear_a(g.ndata["h"], kinds) * share + x * (1 - share)


class Net(nn.Module):
    """Two layers; `keywords` go to each call of one."""

    def __init__(self, first: nn.Module, second: nn.Module, **keywords):
        super().__init__()
        self.layers, self.keywords = nn.ModuleList([first, second]), keywords

    def forward(self, g, x, *more):
        return self.layers[1](g, torch.relu(self.layers[0](g, x, *more, **self.keywords)), *more, **self.keywords)


MADE = {"GCN": GCN, "GAT": GAT, "C-GAT": CGAT, "C-GAT flat": FlatCGAT, "RGCN": RGCN, "HGT": HGT}


def build(package, name: str, graph) -> tuple[Net, list]:
    """The model and its arguments, of which a graph of `package` and the features are the first."""
    inputs = RELATIONAL_WIDTH if name == "RGCN" else WIDTH
    model = Net(MADE[name](inputs, WIDTH, graph), MADE[name](WIDTH, WIDTH, graph))
    torch.manual_seed(0)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=parameter.shape[-1] ** -0.5 if parameter.dim() > 1 else 0.5)
    more = ()
    if name == "RGCN":
        _, pair, count = torch.unique(
            graph.edge_type * graph.num_nodes + graph.dst, return_inverse=True, return_counts=True
        )
        more = (graph.edge_type, (1.0 / count)[pair].unsqueeze(1))
    elif name == "HGT":
        more = (graph.node_type, graph.edge_type)
    structure = package.graph((graph.src, graph.dst), num_nodes=graph.num_nodes)
    return model, [structure, torch.randn(graph.num_nodes, inputs), *more]
