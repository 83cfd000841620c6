"""Predicts missing links of fb15k-237 with an RGCN encoder and a DistMult decoder, with PyG and with RGNN side by side.

The model is that of Schlichtkrull et al., "Modeling Relational Data with Graph Convolutional Networks" (ESWC 2018),
section 4: an embedding for each node, two RGCN layers of 5 x 5 blocks, and ``sum(z_s * r * z_o)`` as the score of a
triple. It is smaller (50 wide instead of 500) and has no dropout. Messages pass along the training edges and their
inverses. An epoch is one step on all of them, each with one negative: the triple with its subject or its object
replaced by a random node. Both sides start from the same weights and draw the same negatives, each in a process of its
own.

The test ranks the object of every test triple and of its inverse among all nodes, leaving out the other triples that
are known to hold (filtered): mean reciprocal rank (MRR), and the share of ranks up to 1, 3 and 10 (hits). The exit
status is 1 where anything failed, or where the two MRR differ by more than 0.002.

    .venv/bin/python examples/link_prediction.py                # the data set is found through RGNN_DATASETS
    .venv/bin/python examples/link_prediction.py --quick
    .venv/bin/python examples/link_prediction.py --dataset fb15k-237.npz --epochs 200
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from rgnn import data
from side_by_side import SIDES, Progress, for_side, peak_mib, reset_peak, speed_up, table
from torch import Tensor
from torch_geometric.nn import FastRGCNConv

LIMIT = 0.002  # difference of the MRR
BLOCK = 5
BATCH = 256  # triples that are ranked at a time


class Encoder(torch.nn.Module):
    """Rows of all nodes, ``[N, width]``, from the edges alone."""

    def __init__(self, num_nodes: int, num_relations: int, width: int):
        super().__init__()
        self.nodes = torch.nn.Parameter(torch.empty(num_nodes, width))
        torch.nn.init.xavier_uniform_(self.nodes)
        self.conv1 = FastRGCNConv(width, width, num_relations, num_blocks=width // BLOCK)
        self.conv2 = FastRGCNConv(width, width, num_relations, num_blocks=width // BLOCK)

    def forward(self, edge_index: Tensor, edge_type: Tensor) -> Tensor:
        return self.conv2(self.conv1(self.nodes, edge_index, edge_type).relu(), edge_index, edge_type)


def score(rows: Tensor, relations: Tensor, triples: Tensor) -> Tensor:
    """DistMult's score of triples ``[3, T]`` of subject, object and relation."""
    source, target, relation = triples
    return (rows[source] * relations[relation] * rows[target]).sum(dim=1)


def corrupt(triples: Tensor, num_nodes: int, seed: int) -> Tensor:
    """The triples with a random node for the subject or for the object; the same for the same seed."""
    random = torch.Generator().manual_seed(seed)
    end = torch.randint(2, (triples.size(1),), generator=random)
    result = triples.clone()
    result[end, torch.arange(triples.size(1))] = torch.randint(num_nodes, (triples.size(1),), generator=random)
    return result


def ranks(rows: Tensor, relations: Tensor, triples: Tensor, known: Tensor) -> Tensor:
    """Filtered rank of the object of each triple among all nodes: 1 is best, ties count as half.

    `known` are triples that hold, ``[3, K]``, the ranked ones among them.
    """
    key = known[2] * rows.size(0) + known[0]
    key, order = key.sort()
    objects = known[1][order]
    result = []
    for source, target, relation in triples.split(BATCH, dim=1):
        scores = (rows[source] * relations[relation]) @ rows.T
        own = scores.gather(1, target[:, None])
        wanted = relation * rows.size(0) + source
        first = torch.searchsorted(key, wanted)
        count = torch.searchsorted(key, wanted, right=True) - first
        row = torch.repeat_interleave(torch.arange(len(source)), count)
        at = torch.arange(len(row)) - (count.cumsum(0) - count)[row] + first[row]
        scores[row, objects[at]] = -torch.inf  # the triple itself too
        result.append(1 + (scores > own).sum(dim=1) + (scores == own).sum(dim=1) / 2)
    return torch.cat(result)


def load(dataset: str) -> data.HeteroGraph:
    graph = data.load(dataset)
    if graph.edge_split is None:
        raise data.DatasetError(f"data set '{graph.name}': expected a split of the edges (field split), got none")
    return graph


def run(side: str, dataset: str, epochs: int, width: int) -> dict:
    """Seconds of an epoch, peak MiB of the training, the last loss, and MRR and hits on the test triples."""
    graph = load(dataset)
    triples = torch.stack([graph.src, graph.dst, graph.edge_type])
    training, test = triples[:, graph.edge_split == 0].contiguous(), triples[:, graph.edge_split == 2]
    edges = training[:2].contiguous(), training[2]

    torch.manual_seed(0)
    model = Encoder(graph.num_nodes, graph.num_edge_types, width)
    relations = torch.nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(graph.num_edge_types, width)))
    encoder, parameters = for_side(side, model), [*model.parameters(), relations]
    optimizer = torch.optim.Adam(parameters, lr=0.01)
    truth = torch.cat([torch.ones(training.size(1)), torch.zeros(training.size(1))])
    seconds = []
    reset_peak()
    for epoch in range(epochs):
        start = time.perf_counter()
        candidates = torch.cat([training, corrupt(training, graph.num_nodes, seed=epoch)], dim=1)
        optimizer.zero_grad()
        rows = encoder(*edges)
        loss = F.binary_cross_entropy_with_logits(score(rows, relations, candidates), truth)
        loss = loss + 0.01 * (rows.square().mean() + relations.square().mean())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        seconds.append(time.perf_counter() - start)
    result = {"first": seconds[0], "epoch": statistics.median(seconds[1:] or seconds), "peak": peak_mib()}
    with torch.no_grad():
        found = ranks(encoder(*edges), relations, test, known=triples)
    hits = {f"hits@{k}": (found <= k).double().mean().item() for k in (1, 3, 10)}
    return {**result, "loss": loss.item(), "mrr": (1 / found.double()).mean().item(), **hits}


def report(results: dict[str, dict]) -> str:
    measures = ["mrr", "hits@1", "hits@3", "hits@10"]
    lines = [["", "loss", *measures, "first epoch", "an epoch", "speed-up", "peak memory"]]
    for side, who in SIDES.items():
        got = results[side]
        if "error" in got:
            lines.append([who, "failed", *[""] * 8])
            continue
        lines.append([who, f"{got['loss']:.6f}", *(f"{got[measure]:.4f}" for measure in measures),
                      f"{got['first']:.2f} s", f"{got['epoch']:.3f} s",
                      speed_up(results, "epoch") if side == "rgnn" else "", f"{got['peak']:,.0f} MiB"])  # fmt: skip
    return table(lines, left=1)


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", default="fb15k-237", help="name, or path of an npz file with a split of edges")
    parser.add_argument("--epochs", type=int, default=None, help="default 50; quick 5")
    parser.add_argument("--width", type=int, default=None, help=f"a multiple of {BLOCK}; default 50; quick 10")
    parser.add_argument("--quick", action="store_true", help="a small model and few epochs")
    options = parser.parse_args(argv)
    options.epochs = options.epochs if options.epochs is not None else 5 if options.quick else 50
    options.width = options.width if options.width is not None else 10 if options.quick else 50
    if options.epochs < 1:
        parser.error(f"expected at least one epoch, got {options.epochs}")
    if options.width < BLOCK or options.width % BLOCK:
        parser.error(f"expected a width that is a multiple of {BLOCK}, got {options.width}")
    return options


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    try:
        print(load(options.dataset))
    except (data.DatasetNotFoundError, data.DatasetError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"RGCN, 2 layers, {options.width} wide, and DistMult; {options.epochs} epochs")
    progress = Progress(len(SIDES))
    results = {side: progress.run(f"training with {who}", run, side, options.dataset, options.epochs, options.width)
               for side, who in SIDES.items()}  # fmt: skip
    print(f"\n{report(results)}")
    failures = [f"{SIDES[side]} failed: {got['error']}" for side, got in results.items() if "error" in got]
    if not failures:
        difference = abs(results["rgnn"]["mrr"] - results["pyg"]["mrr"])
        print(f"The MRR differ by {difference:.1e}")
        if not difference <= LIMIT:
            failures.append(f"expected MRR within {LIMIT} of PyG's, got a difference of {difference:.1e}")
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
