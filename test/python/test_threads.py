"""Compiled models in several threads."""

import copy
import threading
import warnings

import pytest
import rgnn
import torch
from models import Branches, Net, compiled_net, inputs, layer_inputs
from pyg import R, error, gnn, versions

pytestmark = pytest.mark.usefixtures("strict")


def run_threads(work, count=6):
    failures, barrier = [], threading.Barrier(count)

    def body(number):
        try:
            barrier.wait()
            with torch.no_grad():
                work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=body, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


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
