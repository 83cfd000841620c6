"""Saved modules as the runtime reads them from Python; the files are made by the zipfile of Python."""

import json
import re
import struct
import zipfile
import zlib

import pytest
import torch

_rgnn_runtime = pytest.importorskip("_rgnn_runtime")
from _rgnn_runtime import InputError, LoadError, Model, Module  # noqa: E402
from kernel import MANIFEST, KernelCall  # noqa: E402

SCALE = [1.0, -2.0]


def safetensors(**tensors):
    """A file of (dtype, shape, elements) by name."""
    header, elements = {}, b""
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(elements), len(elements) + len(data)]}
        elements += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + elements


def manifest(**changes):
    return {
        "format": "rgnn-module", "version": 1, "abi": 1, "compiler": {}, "name": "Sum", "arch": "x86_64",
        "targets": [{"name": "portable", "cpu": "x86-64", "features": []}],
        "functions": [{"name": "forward_0", "interface": MANIFEST, "ir": "ir/forward_0.mlirbc",
                       "code": {"portable": "code/portable/forward_0.so"}}],
        "regions": [{"function": 0, "trainings": [], "split": None}],
        "plans": [],
        "calls": [{"arguments": {"args": [{"tensor": 0}, {"tensor": 1}, {"tensor": 2}], "kwargs": {}},
                   "paths": ["x", "edge_index", "edge_type"], "returns": {"tuple": [{"tensor": 0}, {"tensor": 1}]},
                   "parameters": ["scale"], "constants": [], "region": 0, "plan": None, "training": False,
                   "autocast": None, "dtypes": None, "widens": False, "derived": None, "drawn": None}],
        "parameters": [{"name": "scale", "kind": "parameter", "dtype": "float32", "shape": [2]}],
        "weights": "weights.safetensors", "constants": "constants.safetensors", **changes,
    }


@pytest.fixture
def entries(library):
    return {
        "manifest.json": json.dumps(manifest()).encode(),
        "ir/forward_0.mlirbc": b"ML\xefR",
        "code/portable/forward_0.so": library.read_bytes(),
        "weights.safetensors": safetensors(scale=("F32", [2], struct.pack("<2f", *SCALE))),
        "constants.safetensors": safetensors(none=("BF16", [0, 3], b""), ä=("I64", [], struct.pack("<q", -7))),
    }


@pytest.fixture
def save(tmp_path):
    """Writes entries to a file, each at a multiple of 64."""

    def write(entries):
        path = tmp_path / "model.rgnn"
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in entries.items():
                info = zipfile.ZipInfo(name)
                padding = -(archive.fp.tell() + 34 + len(name)) % 64
                info.extra = struct.pack("<HH", 0x4752, padding) + bytes(padding)
                archive.writestr(info, data)
        return path

    return write


def test_content(entries, save):
    path = save(entries)
    for model in Model(path), Model(path=str(path)):
        assert model.manifest == entries["manifest.json"].decode()
        assert model.target == "portable"
        assert model.names == [".constants.none", ".constants.ä", "scale"]


def test_tensors_own_their_memory(entries, save):
    model = Model(save(entries))
    first, second = model.read("scale"), model.read("scale")
    first += 1
    number, none = model.read(".constants.ä"), model.read(".constants.none")
    del model
    assert first.tolist() == [2.0, -1.0] and second.tolist() == SCALE and second.dtype == torch.float32
    assert number.item() == -7 and number.shape == ()
    assert none.shape == (0, 3) and none.dtype == torch.bfloat16
    assert torch.nn.Parameter(second).requires_grad


def test_no_such_tensor(entries, save):
    with pytest.raises(KeyError, match="expected the name of a tensor in the file, got 'ä'"):
        Model(save(entries)).read("ä")


def test_code(entries, save):
    model = Model(save(entries))
    module = model.load(0)
    assert type(module) is Module
    call = KernelCall()
    call.scale = model.read("scale")
    del model
    call.check(module)
    assert module.workspace_bytes > 0
    with pytest.raises(InputError, match="expected 4 inputs, got 3"):
        module((call.graph,), call.arguments[1][:3])


def test_no_such_function(entries, save):
    with pytest.raises(InputError, match=re.escape("expected a function in [0, 1), got 1")):
        Model(save(entries)).load(1)


def test_no_target(entries, save):
    entries["manifest.json"] = json.dumps(manifest(arch="sparc")).encode()
    model = Model(save(entries))
    assert model.target is None
    assert model.read("scale").tolist() == SCALE
    with pytest.raises(LoadError, match=r"expected a target for this processor \(.*\), got code for sparc"):
        model.load(0)


def test_wrong_files(entries, save, tmp_path):
    assert issubclass(LoadError, RuntimeError)
    with pytest.raises(LoadError, match="none.rgnn': expected a file, got: No such file"):
        Model(tmp_path / "none.rgnn")
    entries["manifest.json"] = json.dumps(manifest(version=2)).encode()
    with pytest.raises(LoadError, match=r"model.rgnn': manifest.version: expected 1, got 2"):
        Model(save(entries))
    with pytest.raises(LoadError, match="manifest: expected JSON"):
        Module("none.so", "{")


def test_damaged_file(entries, save):
    path = save(entries)
    good = path.read_bytes()
    for entry in entries:
        at = good.index(entries[entry])
        path.write_bytes(good[: at + 1] + bytes([good[at + 1] ^ 255]) + good[at + 2 :])
        message = f"expected the CRC-32 {zlib.crc32(entries[entry])} of entry '{entry}'"
        if entry.startswith("ir/"):  # of no use to the runtime
            Model(path).load(0)
        else:
            with pytest.raises(LoadError, match=message):
                Model(path).load(0)


def test_compressed_file(entries, tmp_path):
    with zipfile.ZipFile(tmp_path / "model.rgnn", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", entries["manifest.json"])
    with pytest.raises(LoadError, match="expected stored entries, of method 0 in the archive, got 8"):
        Model(tmp_path / "model.rgnn")


def test_name_of_other_bytes(tmp_path):
    with zipfile.ZipFile(tmp_path / "model.rgnn", "w") as archive:
        archive.writestr("\xe9", b"")
    path = tmp_path / "model.rgnn"
    path.write_bytes(path.read_bytes().replace("\xe9".encode(), b"\xff\xfe"))
    with pytest.raises(LoadError, match="got '\ufffd\ufffd'"):
        Model(path)
