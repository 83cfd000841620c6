"""A saved module in a C program without Python, PyTorch and LLVM: examples/c/run_model.c."""

import pathlib
import shutil
import subprocess

import pytest
import torch

rgnn = pytest.importorskip("rgnn")
from pyg import R, gnn  # noqa: E402
from torch import nn  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
NODES, WIDTH, EDGES = 30, 8, 200


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = gnn.RGCNConv(WIDTH, 16, R, num_bases=2)
        self.second = gnn.RGCNConv(16, 5, R)

    def forward(self, x, edge_index, edge_type):
        return self.second(self.first(x, edge_index, edge_type).relu(), edge_index, edge_type)


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    path = tmp_path_factory.mktemp("c") / "run_model"
    done = run(compiler, "-Wall", "-Wextra", "-Werror", ROOT / "examples/c/run_model.c", "-o", path,
               "-I", ROOT / "runtime/include", "-I", BUILD / "runtime/include",
               "-L", BUILD / "lib", "-lrgnn_runtime", f"-Wl,-rpath,{BUILD / 'lib'}")
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def arguments():
    torch.manual_seed(0)
    return (torch.randn(NODES, WIDTH), torch.randint(0, NODES, (2, EDGES)), torch.randint(0, R, (EDGES,)))


@pytest.fixture
def command(program, arguments, tmp_path):
    """The program and its arguments, for a file ``model.rgnn`` that a test makes."""
    paths = [tmp_path / f"{name}.bin" for name in ("x", "edge_index", "edge_type")]
    for path, tensor in zip(paths, arguments):
        path.write_bytes(tensor.numpy().tobytes())
    return [program, tmp_path / "model.rgnn", NODES, WIDTH, EDGES, *paths]


def test_same_bits(command, arguments):
    model = rgnn.compile(Net().eval(), fullgraph=True)
    with torch.no_grad():
        expected = model(*arguments)
    model.save(command[1])
    done = run(*command)
    assert done.returncode == 0, done.stderr
    result = torch.tensor([[float(number) for number in line.split()] for line in done.stdout.splitlines()])
    assert torch.equal(result, expected)


def test_needs_no_compiler(program):
    libraries = {line.split(".so")[0].split()[-1].split("/")[-1] for line in run("ldd", program).stdout.splitlines()}
    system = {"libc", "libm", "libz", "libstdc++", "libgcc_s", "linux-vdso", "ld-linux-x86-64"}
    assert libraries <= {"librgnn_runtime", *system}


def test_errors_are_those_of_the_runtime(command):
    done = run(*command)
    assert done.returncode == 1
    assert done.stderr == f"'{command[1]}': expected a file, got: No such file or directory\n"
