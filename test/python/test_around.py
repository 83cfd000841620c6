"""What PyTorch wraps around compiled code: torch.compile, with RGNN within or as its backend, and
DistributedDataParallel in two processes."""

import copy
import datetime
import faulthandler
import os
import pathlib
import subprocess
import sys

import pytest
import rgnn
import torch
import torch.distributed
import torch.multiprocessing
from checks import seeded
from models import Net, inputs
from pyg import R, error, gnn, random_graph, rows, versions
from rgnn._run.region import Region
from rgnn._torch_compile import compile_graph
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[2]

# ---- torch.compile ---------------------------------------------------------------------------------------------------


class Holder(nn.Module):
    """A model between operators that torch.compile takes."""

    def __init__(self, inner):
        super().__init__()
        self.inner, self.output = inner, nn.Linear(7, 3).double()

    def forward(self, x, edge_index, edge_type):
        return self.output(self.inner(x * 2, edge_index, edge_type).relu())


@pytest.fixture
def runs(monkeypatch):
    """Numbers of inputs of the compiled code that was run."""
    found, stock = [], Region.run
    monkeypatch.setattr(Region, "run", lambda self, tensors: found.append(len(tensors)) or stock(self, tensors))
    torch._dynamo.reset()
    yield found
    torch._dynamo.reset()


@pytest.mark.sample(2)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("holds", [False, True], ids=["around", "inside"])
def test_torch_compile(backend, holds, runs):
    """RGNN's operator runs the compiled part, of any size, and what is around it is captured once."""
    torch.manual_seed(0)
    plain = Net().double()  # with dropout
    inner = rgnn.compile(copy.deepcopy(plain), fullgraph=True)
    reference, model = (Holder(plain), Holder(inner)) if holds else (plain, inner)
    if holds:
        model.output.load_state_dict(reference.output.state_dict())
    graphs, stock = [], torch._dynamo.lookup_backend(backend)
    wrapped = torch.compile(model, backend=lambda graph, args: graphs.append(graph) or stock(graph, args))
    for number, sizes in enumerate([(23, 80), (30, 90), (31, 0), (40, 100), (50, 7), (9, 30)]):
        args, before = inputs(*sizes, seed=number), len(graphs)
        outcomes = []
        for call, parameters in ((reference, reference.parameters()), (wrapped, model.parameters())):
            out = seeded(call)(*args)
            outcomes.append((out, *torch.autograd.grad(out.square().sum(), list(parameters), allow_unused=True)))
        for own, got in zip(*outcomes, strict=True):
            assert (own is None) == (got is None)
            assert own is None or error(got.detach(), own.detach()) <= 1e-10
        assert len(runs) == 2 * (number + 1)  # forward and backward
        assert number < 3 or len(graphs) == before  # sizes are dynamic by then, and it has seen that there may be none
    wrapped.eval(), reference.eval()
    with torch.no_grad():
        assert error(wrapped(*args), reference(*args)) <= 1e-10
    assert versions(inner) == 2 and len(runs) == 13


# ---- RGNN as a backend -----------------------------------------------------------------------------------------------


def test_backend(runs):
    """Graphs of torch.compile, with its own settings: what pays of them is compiled."""
    torch.manual_seed(0)
    layer = gnn.GATConv(8, 8).double()
    compiled = torch.compile(layer, backend=compile_graph, fullgraph=True, dynamic=True, options={"cpu": "x86-64"})
    for nodes, edges in ((9, 30), (9, 12), (5, 0), (9, 1)):
        x, edge_index = rows(nodes, 8).requires_grad_(), random_graph(nodes, edges)[1]
        outcomes = []
        for call in (layer, compiled):
            out = call(x, edge_index)
            outcomes.append((out.detach(), *torch.autograd.grad(out.square().sum(), [x, *layer.parameters()])))
        assert all((got - own).abs().max() <= 1e-10 for own, got in zip(*outcomes, strict=True))
    assert len(runs) >= 4
    for options, kind in (({"cpus": 2}, "TypeError.*cpus"), ({"target": "tpu"}, "ValueError: target: expected")):
        with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=f"(?s){kind}"):
            torch.compile(gnn.GATConv(8, 8), backend=compile_graph, options=options)(rows(3, 8), edge_index[:, :0])


@pytest.mark.long
def test_backend_is_found(tmp_path):
    """By its name, without an import of rgnn."""
    subprocess.run([sys.executable, ROOT / "utils/write_metadata.py", tmp_path], check=True)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    code = 'import torch; print(torch._dynamo.lookup_backend("rgnn").__module__)'
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path}, check=True,
                          capture_output=True, text=True)  # fmt: skip
    assert done.stdout == "rgnn._torch_compile\n"


# ---- DistributedDataParallel -----------------------------------------------------------------------------------------


def stack():
    return gnn.Sequential("x, edge_index, edge_type", [
        (gnn.FastRGCNConv(16, 20, R), "x, edge_index, edge_type -> x"),
        nn.ReLU(),
        nn.Dropout(0.5),
        (gnn.FastRGCNConv(20, 7, R), "x, edge_index, edge_type -> x"),
    ])  # fmt: skip


def train(rank, folder):
    """Two steps in each of two processes, each with a graph of its own."""
    faulthandler.dump_traceback_later(300, exit=True)  # one that waits for the other for good says where
    torch.set_num_threads(1)
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"  # whatever the name of this machine stands for
    torch.distributed.init_process_group(
        "gloo", f"file://{folder}/meeting", timeout=datetime.timedelta(minutes=2), rank=rank, world_size=2
    )
    args = inputs(23 + rank, 80 - 30 * rank, seed=rank)
    outcomes = {}
    for name, make, options in (
        ("stack", stack, {}),
        ("unused parameters", Net, {"find_unused_parameters": True}),
        ("static", stack, {"static_graph": True}),
    ):
        torch.manual_seed(0)
        plain = make().double()
        for kind, model in (("plain", copy.deepcopy(plain)), ("compiled", rgnn.compile(plain, fullgraph=True))):
            wrapped = nn.parallel.DistributedDataParallel(model, **options)
            optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.1, momentum=0.9)
            torch.manual_seed(rank)
            losses = []
            for _ in range(2):
                optimizer.zero_grad()
                loss = wrapped(*args).square().mean()
                loss.backward()
                optimizer.step()
                losses.append(loss.detach())
            values = [parameter.detach() for parameter in model.parameters()]
            outcomes[name, kind] = torch.stack(losses), values
        assert versions(model) == 1
    torch.save(outcomes, f"{folder}/{rank}.pt")
    torch.distributed.barrier()
    # The destructor of DistributedDataParallel's reducer waits for Gloo's threads with Python's lock held, and they may
    # want that lock (pytorch/pytorch#56297): with RGNN or without, a process now and then never ends.
    os._exit(0)


@pytest.mark.long
def test_two_processes(tmp_path):
    """Losses and parameters are those of the plain model, and parameters agree between the processes."""
    torch.multiprocessing.spawn(train, (str(tmp_path),), nprocs=2)
    first, second = (torch.load(tmp_path / f"{rank}.pt") for rank in range(2))
    for name in ("stack", "unused parameters", "static"):
        for outcomes in (first, second):
            (own_losses, own), (losses, got) = outcomes[name, "plain"], outcomes[name, "compiled"]
            assert error(losses, own_losses) <= 1e-10
            assert all(error(*pair) <= 1e-10 for pair in zip(got, own, strict=True))
        (losses, got), (other_losses, other) = first[name, "compiled"], second[name, "compiled"]
        assert all(torch.equal(*pair) for pair in zip(got, other, strict=True))
        assert not torch.equal(losses, other_losses)
