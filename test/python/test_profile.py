"""rgnn.profile: the kernels of compiled code, their work and their times."""

import json

import pytest
import rgnn
import torch
from rgnn._profile import measure_machine
from torch import nn
from torch_geometric.nn import GATConv, GCNConv, RGCNConv

NODES, EDGES = 300, 2000


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = GATConv(16, 32), RGCNConv(32, 8, 3)

    def forward(self, x, edge_index, edge_type):
        return self.second(self.first(x, edge_index).relu(), edge_index, edge_type)


def inputs(dtype=torch.float32):
    torch.manual_seed(0)
    return (torch.randn(NODES, 16, dtype=dtype), torch.randint(NODES, (2, EDGES)), torch.randint(3, (EDGES,)))


@pytest.fixture
def compiled():
    torch.manual_seed(1)
    return rgnn.compile(Net())


def names(kernels, phase):
    return [kernel.name for kernel in kernels if kernel.phase == phase]


def test_kernels(compiled):
    profile = rgnn.profile(compiled, *inputs(), repeat=3)
    assert set(profile.seconds) == {"forward", "backward"}
    for phase, seconds in profile.seconds.items():
        inside = [kernel.seconds for kernel in profile.kernels if kernel.phase == phase]
        assert inside and all(0 < kernel <= seconds * 3 for kernel in inside)  # medians of few calls
    first = profile.kernels[0]
    assert (first.name, first.phase, first.dtype) == ("gemm", "forward", "float32")
    assert first.source.startswith("gat_conv.py:")
    assert (first.rows, first.inner_rows) == (NODES, 0)
    assert first.operations == 2 * NODES * 16 * 32
    assert first.bytes == 4 * (NODES * (16 + 32) + 16 * 32)
    rates = profile.machine
    assert first.bound == max(first.operations / rates.operations["float32"], first.bytes / rates.bandwidth)
    softmax = next(kernel for kernel in profile.kernels if kernel.inner_rows)
    assert (softmax.rows, softmax.source.startswith("gat_conv.py:")) == (NODES, True)
    assert EDGES * 0.9 < softmax.inner_rows <= EDGES + NODES  # self loops are removed, and one of each node added
    assert any(kernel.source.startswith("rgcn_conv.py:") for kernel in profile.kernels if kernel.phase == "backward")
    assert all(kernel.operations is None or kernel.operations >= 0 for kernel in profile.kernels)


def test_kernels_are_those_that_explain_names(compiled):
    with torch.no_grad():
        profile = rgnn.profile(compiled, *inputs(), repeat=1)
        report = rgnn.explain(compiled, *inputs())
    assert set(profile.seconds) == {"forward"}
    named = [name for name in names(profile.kernels, "forward") if name != "weights"]
    assert named == [kernel.removeprefix("hetkernel.").split(" ")[0] for kernel in map(str, report.kernels)]


def test_loops_of_a_kernel_are_one_kernel(compiled):
    # Gradients of weights are sums of tasks, and then of what tasks have summed up.
    profile = rgnn.profile(compiled, *inputs(), repeat=1)
    events = [event for event in profile.events if event.kind == "kernel" and event.name == "outer_sum"]
    sums = [kernel for kernel in profile.kernels if kernel.name == "outer_sum"]
    assert 0 < len(sums) < len(events)


def test_views_are_those_of_a_new_graph(compiled):
    for _ in range(2):  # whether the graph is known or not
        profile = rgnn.profile(compiled, *inputs(), repeat=1)
        assert "dst_offsets" in profile.views
        assert all(seconds > 0 for seconds in profile.views.values())
    assert all(event.kind != "view" for event in profile.events)


def test_nothing_is_changed(compiled):
    x, edge_index, edge_type = inputs()
    x.requires_grad_()
    before = {name: value.clone() for name, value in compiled.state_dict().items()}
    profile = rgnn.profile(compiled, x, edge_index, edge_type, repeat=1)
    assert names(profile.kernels, "backward")
    assert x.grad is None and all(parameter.grad is None for parameter in compiled.parameters())
    assert all(torch.equal(value, before[name]) for name, value in compiled.state_dict().items())


def test_double_has_bounds_of_its_own(compiled):
    profile = rgnn.profile(compiled.double(), *inputs(torch.float64), repeat=1)
    first = profile.kernels[0]
    assert first.dtype == "float64"
    assert first.bytes == 8 * (NODES * (16 + 32) + 16 * 32)
    assert first.bound >= first.operations / profile.machine.operations["float64"]


def test_variants_have_kernels_of_their_own():
    model = rgnn.compile(GCNConv(16, 48))
    torch.manual_seed(0)
    for edges in (30, 9000):
        with torch.no_grad():
            profile = rgnn.profile(model, torch.randn(NODES, 16), torch.randint(NODES, (2, edges)), repeat=1)
        sums = [kernel for kernel in profile.kernels if kernel.inner_rows]
        assert sums and all(edges * 0.9 < kernel.inner_rows <= edges + NODES for kernel in sums)


def test_loaded_models(compiled, tmp_path):
    compiled(*inputs()).sum().backward()
    compiled.save(tmp_path / "net.rgnn")
    loaded = rgnn.load(tmp_path / "net.rgnn")
    profile, loaded_profile = (rgnn.profile(model, *inputs(), repeat=1) for model in (compiled, loaded))
    assert [(kernel.name, kernel.source, kernel.bytes) for kernel in loaded_profile.kernels] == [
        (kernel.name, kernel.source, kernel.bytes) for kernel in profile.kernels]  # fmt: skip


def test_functions(compiled):
    def step(x, edge_index, *, edge_type):
        compiled.zero_grad()
        loss = compiled(x, edge_index, edge_type).square().mean()
        loss.backward()
        return loss

    x, edge_index, edge_type = inputs()
    profile = rgnn.profile(step, x, edge_index, edge_type=edge_type, repeat=2)
    assert set(profile.seconds) == {"forward"}
    assert len(profile.kernels) == len(rgnn.profile(compiled, *inputs(), repeat=1).kernels)


def test_text(compiled):
    lines = str(rgnn.profile(compiled, *inputs(), repeat=1)).splitlines()
    assert lines[0].startswith("forward: ") and lines[1].startswith("backward: ")
    assert lines[2].startswith("views of a new graph: ") and lines[3].startswith("bounds by ")
    assert lines[4].split() == ["ms", "bound", "GB/s", "GFLOP/s", "rows", "inner", "phase", "kernel", "line"]
    fields = lines[5].split()
    assert fields[4:7] == [str(NODES), "forward", "gemm"] and fields[7].startswith("gat_conv.py:")
    plain = str(rgnn.profile(Net(), *inputs(), repeat=1))
    assert plain.endswith("no compiled code ran: expected a model of rgnn.compile or rgnn.load, on a processor")


def test_chrome_trace(compiled, tmp_path):
    profile = rgnn.profile(compiled, *inputs(), repeat=1)
    profile.to_chrome_trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    calls = [event for event in events if event["cat"] == "call"]
    assert len(calls) == 2
    for event in events:
        assert event["ph"] == "X" and event["ts"] >= 0 and event["dur"] >= 0
        assert any(call["ts"] <= event["ts"] and event["ts"] + event["dur"] <= call["ts"] + call["dur"] + 1e-3
                   for call in calls)  # fmt: skip


@pytest.mark.parametrize("repeat", [0, -1, 1.5, True, "2"])
def test_repeat_is_a_positive_integer(compiled, repeat):
    with pytest.raises(ValueError, match="repeat: expected a positive integer, got "):
        rgnn.profile(compiled, *inputs(), repeat=repeat)


def test_inputs_that_the_model_computes(compiled):
    x, edge_index, edge_type = inputs()
    encoder = nn.Linear(16, 16)
    profile = rgnn.profile(compiled, encoder(x), edge_index, edge_type, repeat=2)
    assert names(profile.kernels, "backward") and encoder.weight.grad is None


def test_one_profile_at_a_time(compiled):
    def nested(*arguments):
        with pytest.raises(RuntimeError, match="expected no profile that is under way"):
            rgnn.profile(compiled, *arguments, repeat=1)
        return compiled(*arguments)

    assert rgnn.profile(nested, *inputs(), repeat=1).kernels


def test_machines_are_measured_without_the_callers_settings():
    measure_machine.cache_clear()
    with torch.autocast("cpu", torch.bfloat16), torch.device("meta"):
        machine = measure_machine(torch.get_num_threads())
    measure_machine.cache_clear()
    again = measure_machine(torch.get_num_threads())
    for dtype, rate in again.operations.items():
        assert 0.1 < machine.operations[dtype] / rate < 10
    assert 0.1 < machine.bandwidth / again.bandwidth < 10


def test_errors_of_the_model_are_its_own(compiled):
    x, edge_index, edge_type = inputs()
    with pytest.raises(Exception, match="index"):
        rgnn.profile(compiled, x, edge_index + NODES, edge_type)
    assert rgnn.profile(compiled, *inputs(), repeat=1).kernels
