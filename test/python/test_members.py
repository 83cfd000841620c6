"""Numbers in lists of numbers that a call, a size or a tensor says."""

import operator

import pytest
import rgnn
import torch
from pyg import gnn
from torch import nn

pytestmark = [pytest.mark.usefixtures("float64"), pytest.mark.filterwarnings("ignore:rgnn")]
F = 4

ASKED = {
    "size": lambda x, edge_index, only: 0 in edge_index.shape,
    "no size": lambda x, edge_index, only: 1 not in x.shape,
    "sizes": lambda x, edge_index, only: 6 in (x.size(0), edge_index.size(1)),
    "contains": lambda x, edge_index, only: operator.contains([x.size(0), edge_index.size(1)], 0),
    "fraction": lambda x, edge_index, only: 6.0 in [x.size(0), 9],
    "numbers": lambda x, edge_index, only: 0 in edge_index[0].tolist(),
    "count": lambda x, edge_index, only: 0 in [int((edge_index[0] == 0).sum()), 9],
    "tensors": lambda x, edge_index, only: 0 in [(edge_index[0] == 0).sum(), torch.tensor(9)],
    "given": lambda x, edge_index, only: 0 in only,
    "not given": lambda x, edge_index, only: 1 not in only,
    "text": lambda x, edge_index, only: "a" in ["b", x.size(0)],
}


class Asks(nn.Module):
    def __init__(self, ask):
        super().__init__()
        self.conv, self.ask = gnn.SAGEConv(F, F), ask

    def forward(self, x, edge_index, only):
        return self.conv(x, edge_index) * (2 if self.ask(x, edge_index, only) else 3)


@pytest.mark.parametrize("case", ASKED)
def test_equal_pytorchs(case):
    model = Asks(ASKED[case])
    compiled = rgnn.compile(model)
    for nodes, edges, only in ((6, 11, [3, 1]), (6, 0, [1, 0]), (1, 1, [0]), (5, 6, [2, 4]), (7, 6, [])):
        x, edge_index = torch.randn(nodes, F), torch.randint(nodes, (2, edges))
        torch.testing.assert_close(compiled(x, edge_index, only), model(x, edge_index, only))


def test_layers_that_are_left_out():
    class Chosen(nn.Module):
        def __init__(self):
            super().__init__()
            self.convs = nn.ModuleList([gnn.SAGEConv(F, F) for _ in range(3)])

        def forward(self, x, edge_index, only):
            for number, conv in enumerate(self.convs):
                if number not in only:
                    continue
                x = conv(x, edge_index)
            return x

    model = Chosen()
    compiled = rgnn.compile(model)
    for only in ([0], [1], [0, 2], [1, 2], (1,), (2,), [0]):
        x, edge_index = torch.randn(6, F), torch.randint(6, (2, 11))
        torch.testing.assert_close(compiled(x, edge_index, only), model(x, edge_index, only))
