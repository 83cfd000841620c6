"""Captured models compile to the same code from bytecode as from text; wrong bytecode is refused."""

import json
import pathlib
import re
import sys

import _rgnn

LOCATED = """func.func @forward(%x: tensor<4x8xf32> {rgnn.input = "x"}) -> tensor<4x8xf32> {
  %y = rgnn.softmax %x : tensor<4x8xf32> loc("model.py":7:0)
  return %y : tensor<4x8xf32>
}"""


def compiled(module):
    answer = _rgnn.compile(module, "cpu=x86-64", cache=False)
    path = pathlib.Path(answer.pop("so"))
    code = path.read_bytes()
    path.unlink()
    return code, answer


def refusal(call, *arguments):
    try:
        call(*arguments)
    except _rgnn.CompileError as error:
        return str(error)
    raise AssertionError("not refused")


models = pathlib.Path(sys.argv[1]).read_text().split("// -----")
for number, text in enumerate(models):
    text = re.sub(r"func\.func @\w+", "func.func @forward", text)
    bytecode = _rgnn.bytecode(text)
    assert bytecode == _rgnn.bytecode(text) == _rgnn.bytecode(bytecode)
    assert b"rgnn.torch" not in bytecode
    if number % 4:
        continue
    from_text, from_bytecode = compiled(text), compiled(bytecode)
    assert from_text == from_bytecode, text
    names = re.findall(r'rgnn\.(?:input|param) = "([^"]*)"', text)
    given = [entry["name"] for entry in json.loads(from_bytecode[1]["manifest"])["inputs"]]
    assert [name for name in given if name] == names, (given, names)

# What takes text takes bytecode.
assert "rgnn.typed_linear" in _rgnn.run_pipeline(bytecode, "canonicalize")
assert json.loads(_rgnn.split(bytecode)[0]) == {"regions": [], "steps": []}
stages = _rgnn.compile(bytecode, cache=False, dump=True)
pathlib.Path(stages["so"]).unlink()
assert "func.func @forward" in stages["ir"]["input"]

# Places in the source.
located = _rgnn.bytecode(LOCATED)
assert "model.py:7" in refusal(_rgnn.compile, located) == refusal(_rgnn.compile, LOCATED)

# Every beginning of bytecode; no bytecode; a version of the dialect that is not there yet.
for size in range(len(located)):
    refusal(_rgnn.compile, located[:size])
assert "expected a function @forward, got none" in refusal(_rgnn.bytecode, "module {}")
VERSION_1, VERSION_2 = b"\x07\x03\x03", b"\x07\x03\x05"  # a section of one number
message = "expected at most version 1 of the dialect rgnn, got version 2"
assert message in refusal(_rgnn.compile, located.replace(VERSION_1, VERSION_2, 1))

# PyTorch has to run a part of this one.
SORTED = '%z = rgnn.torch "aten.sort"(%y) [#rgnn.operand<0>] : (tensor<4x8xf32>) -> tensor<4x8xf32>\n return %z'
part = LOCATED.replace("return %y", SORTED)
assert "aten.sort" in refusal(_rgnn.bytecode, part)
