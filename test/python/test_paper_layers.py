"""PyG's layers come to what the papers count of their examples, which test/Papers has in the dialect."""

import re
import subprocess

import pytest
import rgnn
import torch
import torch_geometric.nn as gnn
from conftest import ROOT
from torch import nn
from torch_geometric.utils import scatter

N, E, F, K = 50, 200, 64, 2
POSTPONED = ["--rgnn-postpone-propagation", "--canonicalize", "--cse"]
BACKWARD = ["--rgnn-differentiate", "--canonicalize", "--cse", "--rgnn-recompute"]


class MoNet(nn.Module):
    """As Zhang et al. write it (appendix A.2): the mean over kernels of sums over neighbours."""

    def __init__(self):
        super().__init__()
        self.features, self.coordinates = nn.Linear(16, K * F, bias=False), nn.Linear(2, 1, bias=False)
        self.mean, self.scale = nn.Parameter(torch.randn(K, 1)), nn.Parameter(torch.rand(K, 1))

    def forward(self, x, edge_index, pseudo):
        src, dst = edge_index
        near = self.coordinates(pseudo).tanh().unsqueeze(1)
        weight = (-0.5 * (near - self.mean).square() * self.scale).sum(-1).exp()
        sent = self.features(x).view(-1, K, F)[src] * weight.unsqueeze(-1)
        return scatter(sent, dst, 0, x.shape[0], "sum").mean(1)


LAYERS = {
    "EdgeConv": lambda: gnn.EdgeConv(nn.Linear(32, F), aggr="max"),
    "GAT": lambda: gnn.GATConv(16, F, heads=4, add_self_loops=False),
    "GAT, one head": lambda: gnn.GATConv(16, F, add_self_loops=False),
    "GATv2": lambda: gnn.GATv2Conv(16, F, add_self_loops=False),
    "MoNet": lambda: gnn.GMMConv(16, F, dim=2, kernel_size=K, bias=False),
    "MoNet, of the paper": MoNet,
    "GCN": lambda: gnn.GCNConv(16, F),
    "SGC": lambda: gnn.SGConv(16, F, K=2),
    "TAGCN": lambda: gnn.TAGConv(16, F, K=2),
    "GraphSAGE": lambda: gnn.SAGEConv(16, F),
}


def run(name, *passes):
    """What rgnn-opt prints of a captured layer."""
    tool = ROOT / "build" / "bin" / "rgnn-opt"
    assert tool.exists(), "rgnn-opt is not built"
    torch.manual_seed(0)
    args = torch.randn(N, 16), torch.randint(N, (2, E)), torch.rand(E, 2)
    report = rgnn.explain(LAYERS[name]().eval(), *args[: 3 if "MoNet" in name else 2])
    assert report.fallbacks == []
    command = [tool, "--rgnn-lift-torch", "--canonicalize", "--cse", *passes, "-o", "/dev/null"]
    done = subprocess.run(command, input=report.ir["captured"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def costs(name, *passes):
    """Rows and operations of each op, in their order, how many operations are redundant, and bytes that are saved."""
    told = run(name, *passes, f"--rgnn-print-cost=nodes={N} edges={E}")
    ops = [(op, domain, int(rows), int(operations)) for op, domain, rows, operations
           in re.findall(r"^  rgnn\.(\w+) +(\w+) +(\d+) +(\d+)", told, re.M)]  # fmt: skip
    redundant = float(re.search(r"redundant: ([\d.]+) %", told)[1])
    saved = re.search(r"saved for the backward +(\d+) bytes", told)
    return ops, redundant, saved and int(saved[1])


def test_edge_conv_multiplies_rows_of_nodes():
    """Section 4 and figure 4: a product with both ends of each edge becomes two with rows of nodes."""
    ops, redundant, _ = costs("EdgeConv")
    assert ("linear", "edge", E, 2 * E * 32 * F) in ops and redundant > 70
    ops, redundant, saved = costs("EdgeConv", *POSTPONED)
    products = [op for op in ops if op[0] == "linear"]
    assert products == [("linear", "node", N, 2 * N * 16 * F)] * 2
    assert [op for op in ops if op[1] == "edge"] == [("reduce", "edge", E, E * F)] and redundant == 0
    # The maximum and what candidates are made of, each a row of every node.
    _, _, saved = costs("EdgeConv", *POSTPONED, *BACKWARD)
    assert saved == 2 * N * F * 4


def test_gat_computes_scores_of_nodes():
    ops, redundant, _ = costs("GAT")
    assert [op for op in ops if op[0] == "linear"] == [("linear", "node", N, 2 * N * 16 * 4 * F)] and redundant == 0
    assert sum(op[3] for op in ops if op[1] == "edge") == E * 4 * (1 + 1 + 5 + 2 * F)
    # Features, and of each head both scores, the maximum and the sum; nothing of edges.
    _, _, saved = costs("GAT", *POSTPONED, *BACKWARD)
    assert saved == N * 4 * (F + 4) * 4


def test_gatv2_multiplies_rows_of_nodes():
    """What both ends are multiplied by comes before the score, which is not linear in them."""
    ops, redundant, _ = costs("GATv2")
    assert [op[1:] for op in ops if op[0] == "linear"] == [("node", N, 2 * N * 16 * F)] * 2 and redundant == 0


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["MoNet", "MoNet, of the paper"])
def test_monet_has_nothing_to_reorganise(name):
    before, after = costs(name), costs(name, *POSTPONED)
    assert before == after and after[1] == 0
    assert ("linear", "node", N, 2 * N * 16 * K * F) in after[0]
    assert not any(op[0] == "linear" and op[2] == E and op[3] > 4 * E for op in after[0])


@pytest.mark.parametrize("name, orders, kept", [
    ("GCN", 12, 4), ("SGC", 132, 6), ("TAGCN", 12, 4), ("GAT, one head", 2, 2), ("GraphSAGE", 2, 2),
])  # fmt: skip
@pytest.mark.sample(4)
def test_orders_of_products(name, orders, kept):
    """SENSEi's compositions (section 3.3) are there for PyG's layers as for the dialect."""
    told = run(name, "--rgnn-reassociate", "--remarks-filter-analyse=.*")
    assert f"{orders} orders, {kept} kept" in told
