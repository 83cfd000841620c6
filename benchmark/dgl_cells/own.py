"""What DGL has of its own for the models of functions.py: layers, or built-in functions, on equal parameters."""

from __future__ import annotations

import torch.nn.functional as F

from .functions import GAT, RELATIONAL_WIDTH, WIDTH, Net


def with_builtin_functions(dgl) -> type[GAT]:
    """GAT as DGL's GATConv computes it; that has biases and other names."""
    fn = dgl.function

    class BuiltinGAT(GAT):
        def forward(self, g, x):
            with g.local_scope():
                z = self.fc(x)
                left, right = self.attn_fc.weight.view(2, -1)
                g.ndata["z"] = z
                g.srcdata["left"], g.dstdata["right"] = ((z * part).sum(1, keepdim=True) for part in (left, right))
                g.apply_edges(fn.u_add_v("left", "right", "e"))
                g.edata["a"] = dgl.nn.functional.edge_softmax(g, F.leaky_relu(g.edata["e"], 0.2))
                g.update_all(fn.u_mul_e("z", "a", "m"), fn.sum("m", "h"))
                return g.ndata["h"]

    return BuiltinGAT


def build(dgl, name: str, graph, like: Net) -> Net:
    """The model `name` of DGL's parts, with the parameters of `like`."""
    inputs = RELATIONAL_WIDTH if name == "RGCN" else WIDTH
    types = graph.num_edge_types
    make = {
        "GCN": lambda width: dgl.nn.GraphConv(width, WIDTH, norm="both", allow_zero_in_degree=True),
        "GAT": lambda width: with_builtin_functions(dgl)(width, WIDTH, graph),
        "RGCN": lambda width: dgl.nn.RelGraphConv(width, WIDTH, types),
        "HGT": lambda width: dgl.nn.HGTConv(width, WIDTH, 1, graph.num_node_types, types, dropout=0.0),
    }[name]
    model = Net(make(inputs), make(WIDTH), **({"presorted": True} if name in ("RGCN", "HGT") else {}))
    model.load_state_dict(like.state_dict())
    return model
