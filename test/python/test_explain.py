"""rgnn.explain, and options."""

import collections
import pathlib
import random
import re
import subprocess

import pytest
import rgnn
import torch
from _rgnn import CompileError, rewrites
from models import Net, inputs, same
from pyg import GRAPHS, R, gnn, rows
from rgnn import _compiler
from rgnn._options import REWRITES
from rgnn._ptx import Resources
from torch import nn

pytestmark = pytest.mark.usefixtures("strict")


ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_options_of_a_call_that_is_not_compiled():
    for bad, message in ((rgnn.Options(cpu="z80"), "expected native or a processor .* got 'z80'"),
                         (rgnn.Options(features="+magic"), r"expected features .* got '\+magic'"),
                         (rgnn.Options(schedule={"gemm": {"vector_width": 3}}), "expected a power of two .* got 3")):
        compiled = rgnn.compile(Net().double().eval(), options=bad)
        with pytest.raises(rgnn.CompileError, match=message):
            compiled(*inputs())


@pytest.mark.parametrize("options", [
    {"cpu": "x86-64"},
    {"cpu": "x86-64-v3"},
    {"features": "-avx512f"},
    {"schedule": {"gemm": {"tile_rows": 16, "block_rows": 2, "coarsening": 4}, "traverse": {"task_rows": 1}}},
    {"schedule": {"gemm": {"tile_rows": 1, "block_rows": 1, "block_vectors": 1, "vector_width": 1}}},
    {"schedule": {"traverse": {"mapping": "edge", "task_rows": 3, "coarsening": 2}}},
    {"schedule": {"traverse": {"hoisting": False, "partial_aggregation": False, "coarsening": 4}}},
    {"layout": {"padding": 32, "adjacency": "coo"}},
    {"layout": {"adjacency": "csc"}},
    {"cache": False},
])  # fmt: skip
@pytest.mark.sample(3)
def test_options(options):
    model = Net().double().eval()
    compiled = rgnn.compile(model, options=rgnn.Options(**options), fullgraph=True)
    for graph in ("awkward", "one node", "large"):
        nodes, *edges = GRAPHS[graph]
        assert same(model, compiled, (rows(nodes, 16), *edges))


@pytest.fixture(scope="module")
def tool():
    path = ROOT / "build" / "bin" / "rgnn-opt"
    assert path.exists(), "rgnn-opt is not built"
    return path


def count_kinds(report):
    """How many kernels of each kind a report lists."""
    return collections.Counter(re.match(r"[\w.]+", kernel)[0] for kernel in report.kernels)


def count_lowered(tool, captured):
    """How many of each kind become loops of ``@forward`` in the end."""
    command = [tool, "--rgnn-to-cpu", "--remarks-filter-analyse=convert-hetkernel-to-scf", "-o", "/dev/null"]
    told = subprocess.run(command, input=captured, capture_output=True, text=True, check=True).stderr
    (line,) = re.findall(r"Function=forward \|(.*)", told)
    counts = {kind: int(number) for kind, number in re.findall(r"num-([\w-]+)=(\d+)", line)}
    names = {"gemms": "gemm", "outer-sums": "outer_sum", "concats": "concat", "traversals": "traverse"}
    return collections.Counter({f"hetkernel.{name}": counts[kind] for kind, name in names.items() if counts[kind]})


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ["RGCN", "RGAT", "HGT"])
def test_explain(name, tool):
    metadata = ["a", "b"], [("a", "x", "b"), ("b", "y", "a")]
    hetero = {"a": rows(5, 16), "b": rows(4, 16)}, {
        ("a", "x", "b"): torch.tensor([[0, 4, 4], [1, 3, 3]]), ("b", "y", "a"): torch.tensor([[2], [2]])}  # fmt: skip
    model, args = {
        "RGCN": (gnn.RGCNConv(16, 20, R, num_bases=2), inputs()),
        "RGAT": (Net(), inputs()),
        "HGT": (gnn.HGTConv(16, 16, metadata, heads=2), hetero),
    }[name]
    model = model.double().eval()
    report = rgnn.explain(model, *args)
    assert report.fallbacks == [] and "runs in PyTorch" not in str(report)
    assert {"captured", "rgnn", "hetkernel", "buffers", "llvm", "assembly"} <= report.ir.keys()
    assert all(isinstance(text, str) and text for text in report.ir.values())
    assert "rgnn.torch" in report.ir["captured"] and "rgnn.torch" not in report.ir["rgnn"]
    assert "rgnn.gather" in report.ir["rgnn"] and "hetkernel.gemm" in report.ir["hetkernel"]
    assert "tensor<" not in report.ir["buffers"] and "llvm.func @rgnn_forward" in report.ir["llvm"]
    assert count_kinds(report) == count_lowered(tool, report.ir["captured"])
    assert isinstance(report.peak_bytes, int) and report.peak_bytes > 0
    assert all(decision.outcome in ("taken", "refused") for decision in report.decisions)
    assert not any("Counts" in decision.reason for decision in report.decisions)
    assert str(len(report.kernels)) in str(report).splitlines()[0] and str(report.peak_bytes) in str(report)

    done = subprocess.run([tool, "--rgnn-to-cpu"], input=report.ir["captured"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == report.ir["llvm"]

    compiled = rgnn.compile(model)
    again = rgnn.explain(compiled, *args)
    assert again.ir == report.ir and not compiled._compiled_call_impl.runner.versions


def test_another_processor():
    model, options = Net().double().eval(), rgnn.Options(features="+amx-fp16")
    if "amx_fp16" in pathlib.Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has what the test takes for missing")
    with pytest.raises(rgnn.CompileError, match="expected a target that this processor can run, .* needs amx-fp16"):
        rgnn.compile(model, options=options)(*inputs())
    report = rgnn.explain(model, *inputs(), options=options)
    assert report.ir["assembly"] and report.kernels and not report.fallbacks and report.peak_bytes is None


def test_explain_with_options(tool):
    model = Net().double().eval()
    options = rgnn.Options(cpu="x86-64-v3", schedule={"gemm": {"tile_rows": 32, "block_rows": 4, "block_vectors": 1}})
    report = rgnn.explain(rgnn.compile(model, options=options), *inputs())
    assert "tile_rows = 32, block_rows = 4, block_vectors = 1" in report.ir["hetkernel"]
    assert report.ir["llvm"] != rgnn.explain(model, *inputs()).ir["llvm"]
    command = [tool, f"--rgnn-to-cpu={options.pipeline()}"]
    done = subprocess.run(command, input=report.ir["captured"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == report.ir["llvm"], done.stderr


def test_explain_peak_grows_with_the_graph():
    model = Net().double().eval()
    small, large = (rgnn.explain(model, *inputs(nodes, 4 * nodes)).peak_bytes for nodes in (50, 500))
    assert 5 * small < large < 20 * small


def test_what_a_training_step_saves():
    layer = gnn.RGATConv(16, 20, R).double().eval()
    nodes, *edges = GRAPHS["awkward"]
    args = rows(nodes, 16), *edges
    one_side = rgnn.Options(split_sides=False)
    with torch.no_grad():
        assert rgnn.explain(layer, *args, options=one_side).saved_bytes is None
    report = rgnn.explain(layer, *args, options=one_side)
    # The row and score of each source and type, the score of each destination and type; and for each node the maximum
    # and the denominator of its softmax, or the weight of each edge.
    sources, destinations = (len(torch.stack([end, edges[1]]).unique(dim=1).T) for end in edges[0])
    of_scores = sources * (20 + 1) + destinations
    assert report.saved_bytes == (of_scores + 2 * nodes) * 8
    assert [outcome for name, _, outcome, *_ in report.decisions if name == "rgnn-recompute"] == ["taken"]
    weights = rgnn.explain(layer, *args, options=rgnn.Options(split_sides=False, recompute=False))
    assert weights.saved_bytes == (of_scores + edges[0].shape[1]) * 8
    assert [outcome for name, _, outcome, *_ in weights.decisions if name == "rgnn-recompute"] == ["left out"]
    assert f"{report.saved_bytes} bytes saved for the backward" in str(report)
    assert "rgnn.typed_linear" in report.ir["forward"] and "rgnn.typed_outer_sum" in report.ir["backward"]
    # A mean of products needs the inputs alone; with sums first, the sums that the product multiplies.
    mean = gnn.FastRGCNConv(16, 20, R).double().eval()
    assert rgnn.explain(mean, *args, options=one_side).saved_bytes == 0
    sums = rgnn.explain(mean, *args, options=rgnn.Options(aggregate_first=True))
    assert sums.saved_bytes == destinations * 16 * 8


def test_why_training_is_not_compiled(monkeypatch):
    def refuse(*args, **keywords):
        raise CompileError("no gradient")

    monkeypatch.setattr(_compiler, "differentiate", refuse)
    report = rgnn.explain(gnn.RGATConv(16, 20, R).double().eval(), *inputs())
    assert report.saved_bytes is None and not report.kernels
    ((_, reason, where),) = report.fallbacks
    assert reason == "training is not compiled: no gradient" and "rgat_conv.py" in where


class Notes(torch.nn.Module):
    """Leaves notes of each call in all that a model has, and draws by every generator."""

    def __init__(self):
        super().__init__()
        self.conv, self.calls, self.seen, self.mode = gnn.FastRGCNConv(16, 8, R), 0, {"sizes": []}, "sum"
        self.register_buffer("mean", torch.zeros(8))

    def forward(self, x, edge_index, edge_type):
        h = self.conv(x, edge_index, edge_type)
        if h.sum() > 1e9:
            return h
        self.calls += 1
        self.seen["sizes"].append(len(x))
        self.mean += h.detach().mean(dim=0)
        self.last = h.detach()
        x.add_(1)
        return h * (2 if self.mode == "sum" else 3) + self.mean + torch.rand(8) + random.random()


def test_explain_leaves_the_model_as_it_was():
    model, args = Notes().double(), inputs()
    model.conv.bias.grad = torch.ones(8, dtype=torch.float64)
    numbers = [tensor.clone() for tensor in (*model.parameters(), *model.buffers(), *args)]
    before, states = dict(vars(model)), (random.getstate(), torch.get_rng_state())
    report = rgnn.explain(model, *args)
    ((op, reason, where), *_) = [fallback for fallback in report.fallbacks if fallback[0] == "graph break"]
    assert reason == "it branches on numbers in a tensor" and where.startswith("test_explain.py:") and report.kernels
    assert vars(model) == before and model.seen == {"sizes": []} and model.calls == 0
    assert all(map(torch.equal, (*model.parameters(), *model.buffers(), *args), numbers))
    assert random.getstate() == states[0] and torch.equal(torch.get_rng_state(), states[1])
    assert torch.equal(model.conv.bias.grad, torch.ones(8, dtype=torch.float64)) and model.conv.weight.grad is None


def test_a_refused_call_leaves_the_model_as_it_was():
    """Averages of batch normalisation change without a word to their versions."""

    class Sorted(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = gnn.SAGEConv(8, 8), nn.BatchNorm1d(8)

        def forward(self, x, edge_index):
            return self.norm(self.conv(x.add_(1), edge_index)).sort(0).values

    model, x = Sorted(), torch.randn(9, 8)
    numbers = [tensor.clone() for tensor in (*model.buffers(), x)]
    with pytest.raises(rgnn.FallbackError):
        rgnn.compile(model, fullgraph=True)(x, torch.randint(9, (2, 20)))
    assert all(map(torch.equal, (*model.buffers(), x), numbers))


@pytest.mark.long
def test_versions_of_a_compiled_model():
    compiled, args = rgnn.compile(Net().double().eval()), inputs()
    assert rgnn.explain(compiled, *args).versions == []
    compiled(*args)
    with torch.no_grad():
        compiled(*args)
    compiled.attention.negative_slope = 0.5
    compiled(*args)
    first, second, third = rgnn.explain(compiled, *args).versions
    assert first == "version 0: 1 region"
    assert second.startswith("version 1: 1 region; made because grad_mode changed")
    assert "attention.negative_slope == 0.2" in third
    assert third in str(rgnn.explain(compiled, *args))


PASSES = set(rewrites().values()) - {"rgnn-recompute", "convert-rgnn-to-hetkernel"}  # that runs without fusion, too


def decided(report, half, *outcomes):
    """The passes with such an outcome in one half."""
    return {d.name for d in report.decisions if d.half == half and d.outcome in outcomes}


def check_halves(explain):
    """Rewrites of both halves of a training step are listed, and without gradients those of the forward alone."""
    with torch.no_grad():
        inference = explain()
    assert {decision.half for decision in inference.decisions} == {"forward"}
    report = explain()
    assert report.decisions[: len(inference.decisions)] == inference.decisions
    assert {"rgnn-reorder-linear", "rgnn-compact"} <= decided(report, "forward", "taken")
    assert {"rgnn-recompute", "convert-rgnn-to-hetkernel"} <= decided(report, "backward", "taken")
    assert {"rgnn-postpone-propagation", "rgnn-compact"} <= decided(report, "backward", "refused")
    lines = str(report).splitlines()
    assert all(f"  {decision}" in lines for decision in report.decisions)
    reason = "rgnn.reduce_features stays on edges: its rows depend on more than src_pair or dst_pair"
    assert re.search(rf"backward: rgnn-compact: refused at torch_geometric/\S+:\d+: {reason}", str(report))
    return report


def test_decisions_of_both_halves():
    layer = gnn.RGATConv(16, 20, R).double().eval()
    report = check_halves(lambda: rgnn.explain(layer, *inputs()))
    assert "left out" not in str(report)


def test_what_is_left_out():
    layer = gnn.FastRGCNConv(16, 20, R).double().eval()
    none = rgnn.explain(layer, *inputs(), options=rgnn.Options(**dict.fromkeys(REWRITES, False)))
    assert decided(none, "forward", "left out") == PASSES
    assert decided(none, "backward", "left out") == PASSES | {"rgnn-recompute"}
    assert not (PASSES | {"rgnn-recompute"}) & decided(none, "forward", "taken", "refused")
    assert "  forward: rgnn-stack-types: left out: stack_types=False\n" in str(none)
    for name in ("compact", "aggregate_first"):
        report = rgnn.explain(layer, *inputs(), options=rgnn.Options(**{name: False}))
        assert decided(report, "forward", "left out") == {rewrites()[name.replace("_", "-")], "rgnn-split-sides"}


@pytest.fixture
def toolkit(monkeypatch):
    """The CUDA toolkit that the tests of the compiler use."""
    root = re.search(r'cuda_root = "(.*)"', (ROOT / "build/test/lit.site.cfg.py").read_text())[1]
    monkeypatch.setenv("CUDA_ROOT", root)
    return pathlib.Path(root)


@pytest.mark.parametrize("target", ["cuda", "sm_80"])
def test_explain_for_a_gpu(toolkit, target):
    report = rgnn.explain(Net().eval(), *inputs(dtype=torch.float32), target=target)
    assert report.fallbacks == []
    assert list(report.ir) == ["captured", "rgnn", "gpu", "ptx", "forward", "backward"]
    chip = "sm_90" if target == "cuda" else target
    assert f".target {chip}" in report.ir["ptx"]
    assert "gpu.launch_func" in report.ir["gpu"] and "gpu.binary" not in report.ir["gpu"]
    assert len(report.kernels) == report.ir["gpu"].count("gpu.launch_func") > 0
    for kernel in report.kernels:
        assert re.fullmatch(r"\w+: \d+ threads, \d+ registers, 0 bytes spilled, \d+ bytes of shared memory, "
                            r"occupancy (0\.\d\d|1\.00)", kernel)  # fmt: skip
    assert str(report).startswith(f"compiled whole: {len(report.kernels)} kernels\n")


def test_decisions_for_a_gpu(toolkit):
    layer = gnn.RGATConv(16, 20, R).eval()
    report = check_halves(lambda: rgnn.explain(layer, *inputs(dtype=torch.float32), target="cuda"))
    for half in ("forward", "backward"):
        assert decided(report, half, "left out") == {"rgnn-split-sides", "rgnn-hoist-normalisation"}
    assert "forward: rgnn-hoist-normalisation: left out: it is for processors alone" in str(report)
    asked = rgnn.Options(split_sides=True, hoist_normalisation=True)
    with torch.no_grad():
        report = rgnn.explain(layer, *inputs(dtype=torch.float32), target="cuda", options=asked)
    assert decided(report, "forward", "left out") == {"rgnn-hoist-normalisation"}
    assert "rgnn-split-sides" in decided(report, "forward", "taken")


def test_explain_for_a_gpu_obeys_options(toolkit):
    def threads(options):
        kernels = rgnn.explain(Net().eval(), *inputs(dtype=torch.float32), target="cuda", options=options).kernels
        return {re.search(r"(\d+) threads", kernel)[1] for kernel in kernels}

    assert "96" in threads(rgnn.Options(schedule={"gemm": {"threads": 96}}))
    assert "96" not in threads(rgnn.Options(cpu="x86-64"))
    wrong = rgnn.Options(schedule={"gemm": {"vector_width": 8}})
    report = rgnn.explain(Net().eval(), *inputs(dtype=torch.float32), target="cuda", options=wrong)
    assert re.search(r"gemm schedule for GPUs \(.*lanes.*\), got 'vector_width'", str(report))


def test_explain_for_a_gpu_without_a_toolkit(monkeypatch, toolkit):
    monkeypatch.setattr("rgnn._explain.gpu.assembler", lambda: None)
    report = rgnn.explain(Net().eval(), *inputs(dtype=torch.float32), target="cuda")
    assert report.kernels and all(kernel.isidentifier() for kernel in report.kernels)


def test_explain_for_no_gpu_that_there_is():
    for target in ("gpu", "sm90", "cuda:0", ""):
        with pytest.raises(ValueError, match=f"target: expected None, 'cpu', 'cuda' or a chip .* got '{target}'"):
            rgnn.explain(Net().eval(), *inputs(), target=target)


@pytest.mark.parametrize(("registers", "shared", "threads", "occupancy"), [
    (32, 0, 256, 1.0), (64, 0, 256, 0.5), (33, 0, 256, 48 / 64), (32, 60000, 256, 16 / 64), (16, 0, 32, 0.5),
    (255, 0, 1024, 0.0),
])  # fmt: skip
def test_occupancy(registers, shared, threads, occupancy):
    assert Resources(registers, 0, shared, threads).occupancy == occupancy


def test_a_call_of_its_own():
    """PyG's aggregations count groups in ``__call__``, in front of ``forward``."""
    model, x, index = gnn.SoftmaxAggregation(learn=True), torch.randn(9, 4), torch.tensor([0, 0, 1, 1, 1, 2, 4, 4, 4])
    for one in (model, rgnn.compile(model)):
        report = rgnn.explain(one, x, index)
        assert report.kernels and not report.fallbacks
    assert model(x, index).shape == (5, 4)
    wrong = rgnn.explain(model, x, index, dim=7)
    assert any("`dim` argument must lay between 0 and 1" in reason for _, reason, _ in wrong.fallbacks)
