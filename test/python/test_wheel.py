"""The wheel for machines that run saved modules: no compiler in it, and none needed."""

import os
import pathlib
import subprocess
import sys
import types
from importlib.metadata import distributions

import pytest
import rgnn
import rgnn._torch_compile
import torch
from models import Net, inputs
from rgnn import _version

ROOT = pathlib.Path(__file__).resolve().parents[2]

CHILD = """
import sys
import types
sys.modules["_rgnn"] = sys.modules["torch_geometric"] = None  # as where they are not installed
import rgnn, torch
import _rgnn_runtime
assert rgnn.__file__.startswith(sys.argv[1]) and _rgnn_runtime.__file__.startswith(sys.argv[1]), rgnn.__file__
inputs, expected = torch.load(sys.argv[3])
with torch.no_grad():
    assert torch.equal(rgnn.load(sys.argv[2])(*inputs), expected)
try:
    rgnn.compile
except ImportError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with what the wheel has."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT / "runtime")]
    subprocess.run(build, check=True)
    (wheel,) = folder.glob("rgnn_runtime-*.whl")
    assert "-cp311-abi3-" in wheel.name and wheel.stat().st_size < 2 << 20
    subprocess.run([*pip, "install", "--no-deps", "--target", str(folder / "site"), str(wheel)], check=True)
    return folder / "site"


def test_runs_saved_modules_without_the_compiler(installed, tmp_path):
    torch.manual_seed(0)
    model = rgnn.compile(Net().eval(), fullgraph=True)
    args = inputs(dtype=torch.float32)
    with torch.no_grad():
        torch.save((args, model(*args)), tmp_path / "expected.pt")
    model.save(tmp_path / "net.rgnn")
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(installed), str(tmp_path / "net.rgnn"), str(tmp_path / "expected.pt")],
        env={**os.environ, "PYTHONPATH": str(installed)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("rgnn.compile: expected the compiler and PyG, got an installation without ")


def test_names_the_backend_of_torch_compile(installed):
    (point,) = [point for found in distributions(path=[str(installed)]) for point in found.entry_points]
    assert (point.group, point.name) == ("torch_dynamo_backends", "rgnn")
    assert point.load() is rgnn._torch_compile.compile_graph  # of this process, which has the compiler


@pytest.mark.long
def test_needs_no_other_libraries(installed):
    """Neither that of C++, which is in the extension, nor one Python's."""
    (extension,) = installed.glob("_rgnn_runtime*.so")
    needed = subprocess.run(["readelf", "-d", str(extension)], capture_output=True, text=True, check=True).stdout
    assert extension.name == "_rgnn_runtime.abi3.so"
    assert "libstdc++" not in needed and "libpython" not in needed


def test_refuses_extensions_of_another_version():
    other = types.SimpleNamespace(__name__="_rgnn", __version__="0.0.9", __file__="site/_rgnn.so")
    with pytest.raises(ImportError, match=rf"expected _rgnn of version {rgnn.__version__}, got 0.0.9 at site/_rgnn.so"):
        _version.check(other)
