"""Every configuration for NVIDIA GPUs: by the simulator its kernels compute what they should, and have no race."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import torch
from _rgnn import differentiate, run_pipeline
from checks import find_wanted
from configurations import BF16, CONFIGURATIONS, F16, F32, each, once
from rgnn._dynamo.full_graph import capture

TRANSLATE = Path(__file__).resolve().parents[2] / "build/bin/rgnn-translate"


def read_functions(configuration, dtype):
    """What is compiled: the function of a call without gradients, and those of a training step."""
    torch.manual_seed(0)
    model = configuration.make().to(dtype).train(configuration.training)
    args = configuration.inputs(next(iter(configuration.graphs)), dtype)
    captured = capture(model, args).text
    training = json.loads(differentiate(captured, find_wanted(captured), "split-sides=false")[0])
    return captured, training["forward"], training["backward"]


def check_semantics(functions, dtype):
    """Runs the kernels by the simulator, on graphs with all that is awkward, against the interpreter."""
    lifted = [run_pipeline(text, "rgnn-lift-torch,canonicalize,cse") for text in functions]
    # Numbers between kernels are rounded to the precision, of which the interpreter knows nothing.
    error = {F32: ["--relative-error=1e-4"], F16: ["--relative-error=0.02"], BF16: ["--relative-error=0.06"]}
    command = [TRANSLATE, "--rgnn-check-gpu", "--split-input-file", "--seeds=4", *error.get(dtype, [])]
    result = subprocess.run(command, input="// -----\n".join(lifted), capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert len(re.findall(r"agree on 4 seeds, [1-9]\d* launches", result.stdout)) == len(functions)


WHOLE = {
    name: configuration
    for name, configuration in CONFIGURATIONS.items()
    if not configuration.makes_lists and not configuration.shares_rows
}


@pytest.mark.sample(52)
@pytest.mark.parametrize("configuration, dtype", each(once(WHOLE)))
def test_kernels(configuration, dtype):
    check_semantics(read_functions(configuration, dtype), dtype)
