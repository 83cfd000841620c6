"""Every configuration for NVIDIA GPUs: ptxas takes its kernels, and by the simulator they compute what they should."""

import hashlib
import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import rgnn
import torch
from _rgnn import differentiate, run_pipeline
from configurations import BF16, CONFIGURATIONS, F16, F32, F64, each
from rgnn._compile import capture_checked
from rgnn._explain_gpu import compile_for
from rgnn._ptx import assemble
from rgnn._target import Target, assembler

CHIP = "sm_90"
TRANSLATE = Path(__file__).resolve().parents[2] / "build/bin/rgnn-translate"


def read_functions(configuration, dtype):
    """What is compiled: the function of a call without gradients, and those of a training step."""
    torch.manual_seed(0)
    model = configuration.make().to(dtype).train(configuration.training)
    args = configuration.inputs(next(iter(configuration.graphs)), dtype)
    captured = capture_checked(model, args, {}).text
    signature = re.search(r"func\.func @forward\((.*?)\) -> ", captured, re.DOTALL)[1]
    arguments = re.findall(r"^ *%\w+: tensor<(?:[\d?]+x)*(\w+)>(.*)", signature, re.MULTILINE)
    wanted = [number for number, (element, attributes) in enumerate(arguments)
              if "f" in element and "rgnn.drawn" not in attributes]  # fmt: skip
    training = json.loads(differentiate(captured, wanted, "split-sides=false")[0])
    return captured, training["forward"], training["backward"]


@pytest.fixture(scope="session")
def check_ptx(tmp_path_factory):
    """Assembles PTX, each text once whatever its kernel is called, in all processes of a run of tests."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    if not (ptxas := assembler()):
        pytest.skip("ptxas is not installed")

    def check(name, ptx):
        ptx = ptx.replace(name, "kernel")
        done = folder / hashlib.sha256(ptx.encode()).hexdigest()
        if not done.exists():
            assert assemble(ptx, CHIP, ptxas).registers > 0
            done.touch()

    return check


def check_semantics(functions, dtype):
    """Runs the kernels by the simulator, on graphs with all that is awkward, against the interpreter."""
    lifted = [run_pipeline(text, "rgnn-lift-torch,canonicalize,cse") for text in functions]
    # Numbers between kernels are rounded to the precision, of which the interpreter knows nothing.
    error = {F32: ["--relative-error=1e-4"], F16: ["--relative-error=0.02"], BF16: ["--relative-error=0.06"]}
    command = [TRANSLATE, "--rgnn-check-gpu", "--split-input-file", "--seeds=4", *error.get(dtype, [])]
    result = subprocess.run(command, input="// -----\n".join(lifted), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert len(re.findall(r"agree on 4 seeds, [1-9]\d* launches", result.stdout)) == len(functions)


def once(configuration):
    """Without float64 where there is another precision: kernels differ in nothing else, and the most run in float64."""
    others = tuple(precision for precision in configuration.precisions if precision != F64)
    return replace(configuration, precisions=others or (F64,))


@pytest.mark.parametrize("configuration, dtype", each({name: once(c) for name, c in CONFIGURATIONS.items()}))
def test_kernels(configuration, dtype, check_ptx):
    functions = read_functions(configuration, dtype)
    check_semantics(functions, dtype)
    for text in functions:
        host, kernels, _ = compile_for(text, Target((CHIP,)), rgnn.Options())
        assert not re.search(r"\b(hetkernel\.(gemm|outer_sum|traverse|concat)|linalg\.\w+|memref\.copy)\b", host)
        for name, ptx in kernels.items():
            check_ptx(name, ptx)
