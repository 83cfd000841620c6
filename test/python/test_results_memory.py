"""The memory of results is used again, and never while somebody holds it."""

import gc
import threading

import pytest
import rgnn
import torch
from torch_geometric.nn import GCNConv

NODES = 5000  # rows of 64 floats: more than what is left to PyTorch's allocator


@pytest.fixture
def layer():
    torch.manual_seed(0)
    return GCNConv(64, 64)


def features(nodes=NODES, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(nodes, 64, generator=generator), torch.randint(nodes, (2, 4 * nodes), generator=generator)


@torch.no_grad()
def test_results_that_are_held_stay(layer):
    compiled, inputs = rgnn.compile(layer), [features(NODES + 10 * i, i) for i in range(6)]
    held = [compiled(*one) for one in inputs]
    views = [compiled(*one)[1:3] for one in inputs]
    arrays = [compiled(*one).numpy() for one in inputs]
    for one, result, view, array in zip(inputs, held, views, arrays):
        expected = layer(*one)
        torch.testing.assert_close(result, expected)
        torch.testing.assert_close(view, expected[1:3])
        torch.testing.assert_close(torch.from_numpy(array), expected)


@torch.no_grad()
def test_the_memory_is_used_again(layer):
    compiled, inputs = rgnn.compile(layer), features()
    compiled(*inputs)
    first = compiled(*inputs)
    place = first.data_ptr()
    assert place % 64 == 0
    second = compiled(*inputs)
    assert second.data_ptr() != place
    del first
    assert compiled(*inputs).data_ptr() == place


def test_gradients_that_are_held_stay(layer):
    compiled, (x, edges) = rgnn.compile(layer), features()
    found = []
    for scale in (1.0, 2.0, 3.0):
        rows = (x * scale).requires_grad_()
        compiled(rows, edges).square().sum().backward()
        found.append((rows, rows.grad))
    for rows, gradient in found:
        own = rows.detach().requires_grad_()
        layer(own, edges).square().sum().backward()
        torch.testing.assert_close(gradient, own.grad)


@torch.no_grad()
def test_results_are_changed_in_place_alone(layer):
    compiled, inputs = rgnn.compile(layer), features()
    expected, first = layer(*inputs), compiled(*inputs)
    first.zero_()
    second = compiled(*inputs)
    first.fill_(torch.nan)
    torch.testing.assert_close(second, expected)


@torch.no_grad()
def test_threads_have_results_of_their_own(layer):
    compiled, inputs = rgnn.compile(layer), [features(seed=i) for i in range(4)]
    compiled(*inputs[0])
    wrong = []

    def work(place):
        expected = layer(*inputs[place])
        for _ in range(20):
            result = compiled(*inputs[place])
            if not torch.allclose(result, expected, rtol=1e-4, atol=1e-4):
                wrong.append(place)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@torch.no_grad()
def test_results_outlive_their_model(layer):
    compiled, inputs = rgnn.compile(layer), features()
    result = compiled(*inputs)
    del compiled
    torch._dynamo.reset()
    gc.collect()
    rgnn.release_workspace()
    torch.testing.assert_close(result, layer(*inputs))
