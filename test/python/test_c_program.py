"""A saved module in a C program without Python, PyTorch and LLVM: examples/c/run_model.c."""

import pathlib
import shutil
import subprocess

import pytest
import torch

rgnn = pytest.importorskip("rgnn")
from pyg import R, gnn  # noqa: E402
from rgnn import data  # noqa: E402
from torch import nn  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

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


def described(tensors, folder):
    """The tensors in files, as the program is told of them."""
    texts = []
    for number, tensor in enumerate(tensors):
        path = folder / f"{number}.bin"
        path.write_bytes(tensor.contiguous().numpy().tobytes())
        dtype = str(tensor.dtype).removeprefix("torch.").replace("float", "f").replace("int", "i")
        texts.append(f"{dtype}:{'x'.join(map(str, tensor.shape))}:{path}")
    return texts


@pytest.fixture
def command(program, arguments, tmp_path):
    """The program and its arguments, for a file ``model.rgnn`` that a test makes."""
    return [program, tmp_path / "model.rgnn", *described(arguments, tmp_path)]


def check_same_bits(program, model, args, folder):
    """In a program without Python and PyTorch, every number of the results is that of this process."""
    compiled = rgnn.compile(model.eval(), fullgraph=True)
    with torch.no_grad():
        expected = pytree.tree_leaves(compiled(*args))
    compiled.save(folder / "model.rgnn")
    done = run(program, folder / "model.rgnn", *described(pytree.tree_leaves(args), folder))
    assert done.returncode == 0, done.stderr
    numbers = torch.tensor(list(map(float, done.stdout.split())), dtype=expected[0].dtype)
    assert torch.equal(numbers, torch.cat([leaf.flatten() for leaf in expected]))


def test_same_bits(program, arguments, tmp_path):
    check_same_bits(program, Net(), arguments, tmp_path)
    check_same_bits(program, Net().double(), (arguments[0].double(), *arguments[1:]), tmp_path)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", ["rgcn", "rgat", "hgt"])
def test_same_bits_on_aifb(program, tmp_path, name):
    graph = data.load("aifb")
    x = torch.randn(graph.num_nodes, 16, generator=torch.Generator().manual_seed(0))
    model, args = {
        "rgcn": lambda: (gnn.RGCNConv(16, 16, graph.num_edge_types), (x, graph.edge_index, graph.edge_type)),
        "rgat": lambda: (gnn.RGATConv(16, 16, graph.num_edge_types), (x, graph.edge_index, graph.edge_type)),
        "hgt": lambda: (gnn.HGTConv(16, 16, graph.metadata), (graph.split_nodes(x), graph.edge_index_dict)),
    }[name]()
    check_same_bits(program, model, args, tmp_path)


def test_arguments_are_asked_for(program, tmp_path, arguments):
    check_same_bits(program, Net(), arguments, tmp_path)
    wrong = {(): "expected 3 tensors: x edge_index edge_type\n",
             ("f16:1:x", "i64:2x0:", "i64:0:"): "expected TYPE:SIZExSIZE:FILE with f32, f64, i32 or i64 as type\n",
             ("f32:x:x", "i64:2x0:", "i64:0:"): "expected at most 4 sizes, as in f32:100x16:x.bin\n",
             ("f32:1x8:none", "i64:2x0:", "i64:0:"): "f32:1x8:none\n"}  # fmt: skip
    for texts, message in wrong.items():
        done = run(program, tmp_path / "model.rgnn", *texts)
        assert done.returncode == 1 and done.stderr == message


def test_needs_no_compiler(program):
    libraries = {line.split(".so")[0].split()[-1].split("/")[-1] for line in run("ldd", program).stdout.splitlines()}
    system = {"libc", "libm", "libz", "libstdc++", "libgcc_s", "linux-vdso", "ld-linux-x86-64"}
    assert libraries <= {"librgnn_runtime", *system}


def test_errors_are_those_of_the_runtime(command):
    done = run(*command)
    assert done.returncode == 1
    assert done.stderr == f"'{command[1]}': expected a file, got: No such file or directory\n"
