"""PyG's explainers on compiled models: eager's values, in PyTorch for that call alone, and a word of it."""

import copy
import warnings

import pytest
import rgnn
import torch
from pyg import R, gnn
from rgnn._runner import runner_of
from torch import nn
from torch_geometric.explain import AttentionExplainer, Explainer, GNNExplainer

NODES, EDGES = 20, 60


class Net(nn.Module):
    def __init__(self, conv, *more):
        super().__init__()
        self.first, self.second = conv(6, 8, *more), conv(8, 3, *more)

    def forward(self, x, edge_index, edge_type=None):
        more = () if edge_type is None else (edge_type,)
        return self.second(self.first(x, edge_index, *more).relu(), edge_index, *more).log_softmax(-1)


MODELS = {"gat": lambda: Net(gnn.GATConv), "rgat": lambda: Net(gnn.RGATConv, R), "gcn": lambda: Net(gnn.GCNConv)}
EXPLAINERS = {"GNNExplainer": lambda: GNNExplainer(epochs=3), "AttentionExplainer": AttentionExplainer}


@pytest.mark.parametrize("model, explainer", [("gat", "GNNExplainer"), ("gat", "AttentionExplainer"),
                                              ("rgat", "AttentionExplainer"), ("gcn", "GNNExplainer")])  # fmt: skip
def test_explainers(model, explainer):
    torch.manual_seed(0)
    eager = MODELS[model]().eval()
    compiled = rgnn.compile(copy.deepcopy(eager))
    args = torch.randn(NODES, 6), torch.randint(NODES, (2, EDGES))
    more = {"edge_type": torch.randint(R, (EDGES,))} if model == "rgat" else {}
    with torch.no_grad():
        expected = compiled(*args, **more)
    masks = []
    for each in (eager, compiled):
        makes_masks = explainer == "GNNExplainer"
        explain = Explainer(each, EXPLAINERS[explainer](), explanation_type="model", edge_mask_type="object",
                            node_mask_type="attributes" if makes_masks else None,
                            model_config={"mode": "multiclass_classification", "task_level": "node",
                                          "return_type": "log_probs"})  # fmt: skip
        torch.manual_seed(1)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = explain(*args, index=3, **more)
        masks.append([found.edge_mask] + ([found.node_mask] if makes_masks else []))
    assert all(map(torch.equal, *masks))
    texts = [str(one.message) for one in told if str(one.message).startswith("rgnn")]
    assert len(texts) == 1 and "the model runs in PyTorch: " in texts[0]
    assert ("explained" if explainer == "GNNExplainer" else "has hooks") in texts[0]
    # Calls run compiled code again. PyG leaves an attribute on layers that it has explained, which makes one version.
    with torch.no_grad():
        assert all(torch.equal(compiled(*args, **more), expected) for _ in range(3))
    assert len(runner_of(compiled).versions) <= 2 and all(version.regions for version in runner_of(compiled).versions)
