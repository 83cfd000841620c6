"""Models on NVIDIA GPUs, from Python down to the driver, which writes down what it is asked; see pretend_cuda.py."""

import json
import pathlib
import subprocess
import sys

import pytest
import rgnn
import torch
from models import Net, inputs
from pyg import check
from rgnn import _target

CHILD = pathlib.Path(__file__).with_name("cuda_child.py")


@pytest.fixture(scope="module")
def on_gpu(tmp_path_factory):
    """What each function of cuda_child.py found, by its name."""
    folder = tmp_path_factory.mktemp("cuda")
    model = rgnn.compile(Net().eval(), fullgraph=True)
    with torch.no_grad():
        model(*inputs(dtype=torch.float32))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_target, "assembler", lambda: None)  # PTX, which the driver can read
        model.save(folder / "net.rgnn", gpu=True)
    done = subprocess.run([sys.executable, str(CHILD), str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_inference(on_gpu):
    found = on_gpu["inference"]
    assert (found["shape"], found["dtype"], found["other"]) == ([23, 7], "torch.float32", [31, 7])
    # Kernels are loaded first; launches come last, then nothing else is done. PyTorch builds the views.
    first = [line.split()[0] for line in found["first"]]
    assert "copy" not in first and first.index("load") < first.index("launch")
    assert set(first[first.index("launch"):]) == {"launch", "pop"}
    assert found["second"] and found["allocated"] and not found["loaded again"]


def test_training(on_gpu):
    found = on_gpu["training"]
    assert found["forward"] and found["backward"] and found["x"] == [23, 16]
    given = {name: shape for name, shape in found["gradients"].items() if shape is not None}
    assert given and all(found["shapes"][name] == shape for name, shape in given.items())


def test_ranks(on_gpu):
    assert on_gpu["ranks"] == {"forward": True, "backward": True, "shape": [23, 8], "gradients": [[16, 8], [16, 1]]}


def test_float32_precision_is_followed(on_gpu):
    assert on_gpu["precision"] == {"tf32": [False, True]}


def test_parts_of_graphs(on_gpu):
    found = on_gpu["parts"]
    assert found["given"] == found["expected"] and all(found["given"])


def test_errors(on_gpu):
    found = on_gpu["errors"]
    assert found["index"].startswith("InputError: edge_index: expected node indices in [0, 23)")
    assert found["launch"] == "MemoryError: the launch of kernel forward_kernel failed: out of memory (2)"


def test_saved(on_gpu, tmp_path):
    assert on_gpu["saved"]["shape"] == [23, 7] and on_gpu["saved"]["launches"] > 2
    model, args, path = rgnn.compile(Net().eval(), fullgraph=True), inputs(dtype=torch.float32), tmp_path / "net.rgnn"
    with torch.no_grad():
        expected = model(*args)
    model.save(path, gpu=True)
    info = rgnn.inspect(path)
    assert info.gpus == list(_target.SAVED_CHIPS) and f"GPUs: {', '.join(info.gpus)}" in str(info)
    with torch.no_grad():  # the same file runs here
        assert torch.equal(rgnn.load(path)(*args), expected)


def test_tensors_elsewhere():
    """Code for another device than that of the inputs does not run: PyTorch does."""
    model = Net().eval()
    check(model, rgnn.compile(model, target="cuda", fullgraph=True), inputs(dtype=torch.float32))


@pytest.mark.parametrize("target", ["gpu", "sm_", "sm80", 90])
def test_unknown_targets(target):
    with pytest.raises(ValueError, match="target: expected None, 'cpu', 'cuda' or a chip such as 'sm_90', got"):
        rgnn.compile(Net(), target=target)


@pytest.mark.parametrize("chip", ["sm_17", "sm_9000"])
def test_chips_that_no_code_is_for(chip):
    model = rgnn.compile(Net().eval(), target=chip, fullgraph=True)
    with pytest.raises(rgnn.CompileError, match=f"target {chip}.*expected a chip from sm_75 on that LLVM knows"):
        model(*inputs(dtype=torch.float32))


def test_without_a_toolkit(monkeypatch):
    for name in ("CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_target, "toolkit", lambda: None)
    monkeypatch.setattr(_target, "assembler", lambda: None)
    model = rgnn.compile(Net().eval(), target="sm_90", options=rgnn.Options(cache=False), fullgraph=True)
    with pytest.raises(rgnn.CompileError, match="expected the root of a CUDA Toolkit"):
        model(*inputs(dtype=torch.float32))


def test_operators_run_on_gpus():
    for name in ("rgnn_compiled::run", "rgnn_training::run"):
        assert torch._C._dispatch_has_kernel_for_dispatch_key(name, "CUDA")
