"""Compiled models against what they are compared with: gradients, precisions, dropout, threads, equal bits.

What they give without gradients, `pyg.check` compares.
"""

import copy
import re
import threading

import rgnn
import torch
from pyg import as_reference, error, to
from torch.utils import _pytree as pytree

BF16, F64 = torch.bfloat16, torch.float64


def build(make, dtype, seed=0):
    """The model of ``make()`` in evaluation mode, and the same model compiled."""
    torch.manual_seed(seed)
    model = make().to(dtype).eval()
    with torch.no_grad():
        for parameter in model.parameters():  # biases start as zeros, skips as ones
            parameter.add_(0.1 * torch.randn_like(parameter))
    return model, rgnn.compile(model, fullgraph=True)


# ---- gradients -------------------------------------------------------------------------------------------------------


def gradients(call, parameters, args):
    """Gradients of a weighted sum of all results, by the floating-point inputs and the parameters."""
    args = pytree.tree_map_only(
        torch.Tensor, lambda t: t.detach().clone().requires_grad_() if t.is_floating_point() else t, args
    )
    results = pytree.tree_leaves(call(*args))
    weights = [torch.randn(r.shape, generator=torch.Generator().manual_seed(5), dtype=F64).to(r.dtype) for r in results]
    loss = sum((weight * result).sum() for weight, result in zip(weights, results))
    sources = [leaf for leaf in pytree.tree_leaves(args) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    sources += parameters
    return torch.autograd.grad(loss, sources, allow_unused=True)


def check_gradients(model, compiled, args, dtype, least=1e-5, may_be_zero=False):
    """Compares with PyG.

    ``least`` is the bound where twice PyG's own error is smaller, but for float64. Gradients that PyG does not have
    are not there, or ``may_be_zero``.
    """
    reference = as_reference(model)
    exact = copy.deepcopy(reference).double()
    got = gradients(compiled, list(compiled.parameters()), args)
    single = gradients(reference, list(reference.parameters()), args)
    double = gradients(exact, list(exact.parameters()), to(F64, args))
    for number, (one, own, right) in enumerate(zip(got, single, double, strict=True)):
        if right is None:  # no result changes with it
            assert one is None or (may_be_zero and not one.any())
            continue
        assert one is not None and one.dtype == own.dtype, f"gradient {number}: {one}"
        if right.numel() and right.abs().max() <= 1e-12:  # rounding, where a softmax over one edge is constant
            assert one.abs().max() <= (1e-12 if dtype == F64 else 1e-5)
            continue
        bound = 1e-10 if dtype == F64 else max(least, 2 * error(own, right))
        found = error(one, right)
        assert found <= bound, f"gradient {number}: error {found:.2e}, bound {bound:.2e}"


def find_wanted(captured):
    """The numbers of a function's arguments that may want a gradient."""
    signature = re.search(r"func\.func @forward\((.*?)\) -> ", captured, re.DOTALL)[1]
    arguments = re.findall(r"^ *%\w+: tensor<(?:[\d?]+x)*(\w+)>(.*)", signature, re.MULTILINE)
    return [number for number, (element, attributes) in enumerate(arguments)
            if "f" in element and "rgnn.drawn" not in attributes]  # fmt: skip


# ---- 16 bits ---------------------------------------------------------------------------------------------------------


def check_half(model, compiled, args):
    """The error is at most twice that of PyG in this precision, or some units in the last place."""
    reference = as_reference(model)
    with torch.no_grad():
        got, own = compiled(*args), model(*args)
        exact = copy.deepcopy(reference).double()(*to(F64, args))
    unit = torch.finfo(args[0].dtype if isinstance(args[0], torch.Tensor) else BF16).eps
    for a, b, c in zip(*map(pytree.tree_leaves, (got, own, exact)), strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        assert error(a, c) <= max(4 * unit, 2 * error(b, c))


# ---- dropout ---------------------------------------------------------------------------------------------------------


def seeded(call, seed=5):
    """A call that starts from a seed."""

    def run(*args):
        torch.manual_seed(seed)
        return call(*args)

    return run


def drawn_outcome(model, args):
    """Results, what the generator draws next, and gradients."""
    with torch.no_grad():
        results = pytree.tree_leaves(seeded(model)(*args))
    following = torch.rand(3)
    return results, following, gradients(seeded(model), list(model.parameters()), args)


def check_dropout(model, compiled, args, bound=1e-10):
    """Compares with the model in PyTorch."""
    own, following, own_gradients = drawn_outcome(model, args)
    got, got_following, got_gradients = drawn_outcome(compiled, args)
    assert torch.equal(got_following, following)
    check_equal((*got, *got_gradients), (*own, *own_gradients), bound)


def check_equal(got, expected, bound=1e-10):
    """What is zero but for rounding may differ by rounding."""
    for one, other in zip(got, expected, strict=True):
        assert (one is None) == (other is None)
        if one is None or not one.numel():
            continue
        assert one.dtype == other.dtype and one.shape == other.shape
        assert (one - other).abs().max() <= 1e-12 or error(one, other) <= bound


# ---- equal computations ----------------------------------------------------------------------------------------------


def step(model, args):
    """The results that a training step computes, and the gradients of inputs and parameters."""
    results = []

    def call(*args):
        results.append(model(*args))
        return results[-1]

    derived = gradients(call, list(model.parameters()), args)
    return [*(leaf.detach() for leaf in pytree.tree_leaves(results)), *derived]


def outcome(model, args):
    """Results without gradients, and all of a training step."""
    with torch.no_grad():
        results = pytree.tree_leaves(model(*args))
    return [*results, *step(model, args)]


def compare(got, expected):
    """Compares two outcomes in float64."""
    for number, (one, right) in enumerate(zip(got, expected, strict=True)):
        assert (one is None) == (right is None), f"tensor {number}"
        if right is None:  # no result changes with it
            continue
        assert one.dtype == right.dtype and one.shape == right.shape
        if right.numel() and right.abs().max() <= 1e-12:  # rounding, where a softmax over one edge is constant
            assert one.abs().max() <= 1e-12, f"tensor {number}"
            continue
        found = error(one, right)
        assert found <= 1e-10, f"tensor {number}: error {found:.2e}"


def same_bits(got, expected):
    """Whether two outcomes are equal bit for bit."""
    return all(a is b is None or torch.equal(a, b) for a, b in zip(got, expected, strict=True))


# ---- threads ---------------------------------------------------------------------------------------------------------


def run_threads(work, count=6):
    """Calls ``work`` with the number of a thread, in all threads at once."""
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
