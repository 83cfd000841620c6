"""The disk cache: hits, keys, damage, concurrent writers, a folder that cannot be written."""

import ctypes
import os
import pathlib
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

import _rgnn

TEXT = """module attributes {rgnn.manifest = "the manifest"} {
  func.func @forward(%out: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    memref.store %one, %out[%c0] : memref<?xf32>
    return
  }
}"""

folder = pathlib.Path(sys.argv[1])
shutil.rmtree(folder, ignore_errors=True)
os.environ["RGNN_CACHE_DIR"] = str(folder)


def compiled(text=TEXT, options="start=buffers", **arguments):
    return _rgnn.compile(text, options, **arguments)


first, second = compiled(), compiled()
assert not first["cached"] and second["cached"] and first["so"] == second["so"]
assert first["manifest"] == second["manifest"] == "the manifest"
assert first["so"].startswith(str(folder)) and not list(folder.rglob("*.tmp"))
ctypes.CDLL(first["so"]).rgnn_forward  # noqa: B018

# Text, options and target are part of the key; spelling out a default is not.
assert compiled(TEXT.replace("1.0", "2.0"))["so"] != first["so"]
assert compiled(options="start=buffers cpu=x86-64")["so"] != first["so"]
assert compiled(options="start=buffers approximate-math=false")["so"] != first["so"]
assert compiled(options="cpu=native start=buffers")["so"] == first["so"]

# A truncated or changed entry is compiled anew.
path = pathlib.Path(first["so"])
whole = path.read_bytes()
for damaged in (b"", whole[:100], whole[:-1], whole[:200] + bytes([whole[200] ^ 1]) + whole[201:], whole[8:]):
    path.unlink()
    path.write_bytes(damaged)
    again = compiled()
    assert not again["cached"] and again["manifest"] == "the manifest"
    assert compiled()["cached"]

path.unlink()
with ThreadPoolExecutor(4) as pool:
    results = list(pool.map(lambda _: compiled(), range(8)))
assert {result["so"] for result in results} == {first["so"]} and not list(folder.rglob("*.tmp"))

# Without the cache, and with the text of every stage.
loose = compiled(cache=False)
assert not loose["so"].startswith(str(folder))
os.remove(loose["so"])
stages = compiled(dump=True)["ir"]
assert list(stages) == ["input", "runtime-interface", "llvm-dialect", "llvm-ir", "assembly"], list(stages)
assert "llvm.func @rgnn_forward" in stages["llvm-dialect"] and "rgnn_forward:" in stages["assembly"]

# A cache that cannot be written is a remark, not an error.
os.environ["RGNN_CACHE_DIR"] = "/proc/no-such-folder"
result = compiled()
assert os.path.exists(result["so"]) and any("not cached" in remark.text for remark in result["remarks"])
os.remove(result["so"])

for text, options, message in (
    ("func.func @f( {", "", "error"),
    ("module {}", "start=buffers", "expected a function @forward, got none"),
    (TEXT, "cpu=8086", "expected native or a processor of"),
    (TEXT, "features=+abacus", "expected features of"),
    (TEXT, "speed=high", "no such option speed"),
    (TEXT, "start=nowhere", "expected captured or buffers as start, got nowhere"),
    (
        TEXT.replace("return", "call @missing() : () -> ()\n return") + "\nfunc.func private @missing()",
        "start=buffers",
        "",
    ),
):
    try:
        compiled(text, options)
    except _rgnn.CompileError as error:
        assert isinstance(error, ValueError) and message in str(error), error
    else:
        raise AssertionError(f"compiled: {text} {options}")
