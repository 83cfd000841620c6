"""Configurations on an NVIDIA GPU that is emulated, from Python down to PTX: results and gradients against PyG. The
simulator (test_gpu_configurations.py) has all of them; here `make check` has every third, `make check-all` all.

What is left out is PyTorch on a GPU, and the chip: the driver is tools/cuda-emulator, which runs PTX, and PyTorch's
tensors say that they are on a GPU. Memory that nobody wrote to holds NaNs. ptxas takes all that was run.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from configurations import CONFIGURATIONS, each, once, sample
from rgnn._ptx import assemble
from rgnn._target import assembler

CHIP = "sm_90"
ROOT = Path(__file__).resolve().parents[2]
EMULATOR = ROOT / "build/lib/rgnn_cuda_emulator.so"
IN_PYTORCH = ("layers/SAGE (LSTM)",)
sys.path.insert(0, str(ROOT / "benchmark"))

from coverage import PARTS  # noqa: E402


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """Checks one configuration after another in a process, and returns the PTX that was run."""
    folder = tmp_path_factory.mktemp("ptx")
    command = [sys.executable, ROOT / "test/python/emulated_child.py"]
    environment = os.environ | {"RGNN_CUDA_DRIVER": str(EMULATOR), "RGNN_EMULATOR_DUMP": str(folder)}
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:

        def run(name, dtype):
            child.stdin.write(json.dumps({"name": name, "dtype": str(dtype).removeprefix("torch.")}) + "\n")
            child.stdin.flush()
            answer = child.stdout.readline()
            assert answer, f"the process ended with {child.wait()}"
            assert not (found := json.loads(answer)), found["failure"]
            texts = {path: path.read_text() for path in folder.iterdir()}
            for path in texts:
                path.unlink()
            return list(texts.values())

        yield run
        child.stdin.close()


@pytest.fixture(scope="session")
def check_ptx(tmp_path_factory):
    """Assembles PTX, each text once in all processes of a run of tests; without ptxas the test is skipped."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    ptxas = assembler()

    def check(ptx):
        if not ptxas:
            pytest.skip("kernels agree; ptxas is not installed")
        done = folder / hashlib.sha256(ptx.encode()).hexdigest()
        if not done.exists():
            assert assemble(ptx, CHIP, ptxas).registers > 0
            done.touch()

    return check


PARAMETERS = [
    pytest.param(name, parameter.values[1], id=parameter.id)
    for name, configuration in once(CONFIGURATIONS).items()
    for parameter in each({name: configuration})
]


@pytest.mark.sample(42)
@pytest.mark.parametrize("name, dtype", sample(PARAMETERS))
def test_configuration(check, check_ptx, name, dtype):
    kernels = check(name, dtype)
    assert kernels
    for ptx in kernels:
        check_ptx(ptx)


@pytest.mark.filterwarnings("ignore:rgnn")
@pytest.mark.sample(12)
@pytest.mark.parametrize("name", [f"layers/{case.name}" for case in PARTS["layers"][1].CASES])
def test_layer(check, check_ptx, name):
    """PyG's layers as the coverage table has them: GPUs take what processors do."""
    kernels = check(name, torch.float64)
    assert kernels or name in IN_PYTORCH
    for ptx in kernels:
        check_ptx(ptx)


def test_parts_of_tensors(check):
    assert check("parts of tensors", torch.float32)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_functions(check, check_ptx, dtype):
    for ptx in check("functions", dtype):
        check_ptx(ptx)


@pytest.mark.long
def test_hubs(check, check_ptx):
    for ptx in check("hubs", torch.float32):
        check_ptx(ptx)


def test_explained(check):
    assert check("explained", torch.float32)


def test_oldest_chip(check):
    assert check("oldest chip", torch.bfloat16)
