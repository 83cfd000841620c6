"""What the compiler says and makes comes to Python as records: remarks, errors, kernels, launches and PTX."""

import json
import os
import pathlib
import sys
import tempfile

import _rgnn

os.environ["RGNN_CACHE_DIR"] = tempfile.mkdtemp()

TEXT = pathlib.Path(sys.argv[1]).read_text()

# Remarks of passes; those from the cache are the same.
first, second = _rgnn.compile(TEXT), _rgnn.compile(TEXT)
assert second["cached"] and first["remarks"] == second["remarks"]
(taken,) = first["remarks"]
assert (taken.kind, taken.category, taken.name, taken.function) == ("passed", "rgnn-reassociate", "Orders", "forward")
assert (taken.file, taken.line, taken.column, taken.where) == ("model.py", 7, 3, "model.py:7")
assert taken.text == "computed as ((A1 H1) W1)" and taken.op == ""
assert str(taken) == f"model.py:7:3: passed: {taken.text}"

# An operator that is not lifted.
plan, (refused,) = _rgnn.split(TEXT.replace("aten.relu", "aten.cumsum"))
assert (refused.name, refused.op, refused.text) == ("NotLifted", "aten.cumsum", "no rule for it")
assert refused.where == "model.py:9" and '"torch":"aten.cumsum"' in plan

# Errors: of an op, of none, and of no pass.
for text, options, expected in (
    (TEXT.replace("aten.relu", "aten.cumsum"), "", ("rgnn.torch", "model.py:9")),
    ("func.func @forward( {", "", ("", "forward.mlir:1")),
    (TEXT, "speed=high", None),
):
    try:
        _rgnn.compile(text, options)
    except _rgnn.CompileError as error:
        assert str(error) == "\n".join(map(str, error.diagnostics)) or not expected, error
        found = [(message.op, message.where) for message in error.diagnostics if message.kind == "error"]
        assert found[:1] == ([expected] if expected else []), found
    else:
        raise AssertionError(f"compiled: {text}")
assert _rgnn.CompileError("without").diagnostics == ()

# Kernels and launches, in the order in which they run.
for gpu, options in (False, "cpu=x86-64"), (True, "chip=sm_90 format=isa"):
    made = _rgnn.compile(TEXT, options, cache=False, dump=True, gpu=gpu)
    os.remove(made["so"])
    assert made["kernels"] and not set(made["ptx"]) ^ {kernel.name for kernel in made["kernels"] if gpu}
    for kernel in made["kernels"]:
        if gpu:
            assert kernel.text.startswith("gpu.launch_func") and kernel.text in made["ir"]["launches"]
            assert ".entry forward_kernel" in made["ptx"][kernel.name]
        else:
            assert kernel.text.startswith(kernel.name) and kernel.text in made["ir"]["hetkernel"]
            assert "schedule #hetkernel." in kernel.text and "\n" not in kernel.text
    if gpu:
        assert _rgnn.read_ptx(made["ir"]["nvvm"]) == made["ptx"] and "gpu.binary" not in made["ir"]["launches"]
    else:
        names = [kernel.name for kernel in made["kernels"]]
        assert names == ["hetkernel.traverse", "hetkernel.gemm", "hetkernel.traverse"]

# The gradient of a weight is an outer sum.
backward = json.loads(_rgnn.differentiate(TEXT, [0, 2])[0])["backward"]
made = _rgnn.compile(backward, cache=False, dump=True)
os.remove(made["so"])
assert "hetkernel.outer_sum" in [kernel.name for kernel in made["kernels"]]
