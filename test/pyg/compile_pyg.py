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
import torch_geometric.nn
from rgnn._compile import Runner, _install
from rgnn._dynamo.part import Part
from rgnn._options import Options
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
            _install(self, Options(), None, False)

    construct.compiles = True
    return construct


def _count_calls():
    """Counts the calls that run a compiled region, so that a run in which nothing is compiled is seen."""
    run, call = Part._run, Runner.__call__
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

    Part._run, Runner.__call__ = counting_run, counting_call


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
    scripts, traces = torch.jit.script, torch.jit.trace
    torch.jit.script = lambda obj, *args, **kwargs: scripts(_plain(obj), *args, **kwargs)
    torch.jit.trace = lambda obj, *args, **kwargs: traces(_plain(obj), *args, **kwargs)


def _plain(obj):
    """A module as PyG made it."""
    if isinstance(obj, nn.Module):
        for name in ("_compiled_call_impl", "__getstate__", "__deepcopy__", "__call__", "save", "export"):
            vars(obj).pop(name, None)
    return obj
