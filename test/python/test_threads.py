"""Compiled models in several threads."""

import copy
import sys
import threading
import warnings

import pytest
import rgnn
import torch
from checks import run_threads
from models import Branches, Net, compiled_net, inputs, layer_inputs
from pyg import R, error, gnn, versions
from rgnn._runner import runner_of

pytestmark = pytest.mark.usefixtures("strict")


def test_threads_share_the_first_call():
    model, compiled = compiled_net()
    with torch.no_grad():
        graphs = [inputs(nodes=20 + 7 * n, edges=50 * n, seed=n) for n in range(6)]
        expected = [model(*graph) for graph in graphs]

    def work(number):
        for i in range(12):
            k = (number + i) % 6
            assert error(compiled(*graphs[k]), expected[k]) <= 1e-10

    run_threads(work)
    assert versions(compiled) == 1
    run_threads(work)


def test_threads_on_one_changing_graph(layer):
    """Each thread has tensors of its own that come and go, and all share one."""
    model, compiled = layer
    shared = layer_inputs(seed=1)
    with torch.no_grad():
        right = model(*shared)

    references = [copy.deepcopy(model) for _ in range(6)]  # RGATConv keeps its attention in itself during a call

    def work(number):
        for i in range(10):
            own = layer_inputs(10 + number, 30 + i, seed=100 * number + i)
            assert error(compiled(*own), references[number](*own)) <= 1e-10
            assert error(compiled(*shared), right) <= 1e-10

    run_threads(work)


def test_threads_compile_different_models():
    models = [Net().double().eval(), gnn.RGCNConv(16, 20, R, num_bases=2).double().eval(), Branches().double().eval()]
    args = inputs()
    with torch.no_grad():
        expected = [model(*args) for model in models]

    def work(number):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = rgnn.compile(models[number % 3])
            assert error(compiled(*args), expected[number % 3]) <= 1e-9

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_threads(work)


# ---- models in PyTorch, and captures ---------------------------------------------------------------------------------


class Meeting(Branches):
    """A model that PyTorch runs, and that calls ``meet`` in between."""

    def __init__(self):
        super().__init__()
        self.meet = lambda: None

    def forward(self, x, edge_index, edge_type):
        out = super().forward(x, edge_index, edge_type)
        self.meet()
        return out


def in_pytorch(model, args):
    """The model compiled; it is known to run in PyTorch."""
    compiled = rgnn.compile(model)
    with torch.no_grad(), pytest.warns(UserWarning, match="the model runs in PyTorch"):
        compiled(*args)
    return compiled


def test_threads_run_in_pytorch_at_once():
    """One model in two threads, and two models."""
    args = inputs()
    models = [Meeting().double().eval() for _ in range(2)]
    compiled = [in_pytorch(model, args) for model in models]
    for first, second in ((0, 0), (0, 1)):
        barrier = threading.Barrier(2, timeout=60)
        for model in models:
            model.meet = barrier.wait
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # another function to call is another version
            run_threads(lambda number, pair=(first, second): compiled[pair[number]](*args), count=2)


def test_a_run_in_pytorch_holds_up_no_other_model():
    args, inside, compiled_other = inputs(), threading.Event(), threading.Event()
    model = Meeting().double().eval()
    slow = in_pytorch(model, args)

    def meet():
        inside.set()
        assert compiled_other.wait(60)

    model.meet = meet

    def work(number):
        if number:
            slow(*args)
        else:
            assert inside.wait(60)
            other, compiled = compiled_net()
            assert error(compiled(*args), other(*args)) <= 1e-10
            compiled_other.set()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_threads(work, count=2)


class Sometimes(Net):
    """A model that PyTorch runs where it is to look at its result."""

    def forward(self, x, edge_index, edge_type, look=False):
        out = super().forward(x, edge_index, edge_type)
        return -out if look and out.isnan().any() else out


@pytest.fixture
def hasty():
    """Threads take turns often."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.parametrize("look", [False, True], ids=["compiled", "in PyTorch"])
def test_capture_of_a_model_that_another_thread_runs(look, hasty):
    """It may be captured anew, since PyTorch's tracer replaces methods of modules meanwhile; values stay right."""
    model, args = Sometimes().double().eval(), inputs()
    with torch.no_grad():
        expected = model(*args)
    compiled, done = rgnn.compile(model), threading.Event()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.no_grad():
            compiled(*args, look=look)

    def work(number):
        if number:
            while not done.is_set():
                got = compiled(*args, look=look)
                assert type(got) is torch.Tensor and error(got, expected) <= 1e-10
            return
        try:
            for _ in range(2):
                assert rgnn.explain(compiled, *args).kernels
        finally:
            done.set()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_threads(work, count=2)


class Outer(torch.nn.Module):
    """PyTorch runs a part of it; what it calls is compiled."""

    def __init__(self, inner, meet):
        super().__init__()
        self.inner, self.meet = inner, meet

    def forward(self, x, edge_index, edge_type):
        sign = 1 if x.isfinite().all() else -1
        self.meet()
        return sign * self.inner(x, edge_index, edge_type)


def test_threads_compile_a_part_of_a_model_that_runs_in_pytorch():
    """Both are inside the model when they come to the part, and both want to capture it."""
    args, net = inputs(), Net().double().eval()
    with torch.no_grad():
        expected = net(*args)
    outer = Outer(rgnn.compile(net, fullgraph=True), threading.Barrier(2, timeout=60).wait)
    compiled = rgnn.compile(outer)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run_threads(lambda number: error(compiled(*args), expected) <= 1e-10 or pytest.fail("wrong"), count=2)
    assert any(version.regions for version in runner_of(compiled).versions)
