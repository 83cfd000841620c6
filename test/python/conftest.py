"""Makes the package in this checkout importable, built or not, and keeps compiled code out of the user's cache."""

import os
import pathlib
import shutil
import sys
import tempfile
import warnings
import zlib
from collections import Counter

# Threads that wait for others sleep: test processes that run side by side would take the cores from each other.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import pytest  # noqa: E402
import torch  # noqa: E402

# Where one of their assertions fails, the values are printed, as they are for those of a test.
pytest.register_assert_rewrite("checks", "kernel", "models", "pyg")

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
sys.path.append(str(ROOT / "examples"))


def pytest_configure(config):
    """One cache for all processes of a run: the first makes it, and the others inherit its environment."""
    config.addinivalue_line("markers", "sample(n): tests that take long; `make check` runs one of n of them")
    config.addinivalue_line("markers", "long: a test that takes long; `make check-all` runs it, `make check` does not")
    config.rgnn_cache = None if hasattr(config, "workerinput") else tempfile.mkdtemp(prefix="rgnn-test-cache-")
    if config.rgnn_cache:
        os.environ["RGNN_CACHE_DIR"] = config.rgnn_cache


def pytest_collection_modifyitems(config, items):
    """Of tests that are marked ``sample(n)``, one of ``n`` parameters stays, the same in each run, and of those that
    are marked ``long`` none; all of them where RGNN_CHECK is "all"."""
    if os.environ.get("RGNN_CHECK") == "all":
        return
    left, kept = [], Counter()
    for last, item in enumerate(items):
        mark, test = item.get_closest_marker("sample"), item.nodeid.partition("[")[0]
        is_last = last + 1 == len(items) or items[last + 1].nodeid.partition("[")[0] != test
        others = mark and zlib.crc32(item.name.encode()) % mark.args[0] and not (is_last and not kept[test])
        if others or item.get_closest_marker("long"):
            left.append(item)
        else:
            kept[test] += 1
    config.hook.pytest_deselected(items=left)
    without = set(left)
    items[:] = [item for item in items if item not in without]


def pytest_unconfigure(config):
    if config.rgnn_cache:
        shutil.rmtree(config.rgnn_cache, ignore_errors=True)


@pytest.fixture
def float64():
    """A known seed, and float64 unless a test says otherwise."""
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture
def strict():
    """A known seed; and a fallback that no test expects is an error."""
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="rgnn")
        yield


@pytest.fixture(scope="module")
def layer():
    """A layer with all kinds of inputs, and the same compiled."""
    import rgnn
    from pyg import R, gnn

    torch.manual_seed(0)
    model = gnn.RGATConv(16, 20, R, heads=3, edge_dim=4).double().eval()
    return model, rgnn.compile(model, fullgraph=True)


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """A shared library with the kernel of kernel.py."""
    from kernel import build_library

    return build_library(tmp_path_factory.mktemp("kernel"))


@pytest.fixture
def threads(monkeypatch):
    """Kernels run on all threads, even where the graph is so small that one would."""
    import rgnn

    options = rgnn.Options.pipeline
    monkeypatch.setattr(rgnn.Options, "pipeline", lambda self: f"{options(self)} serial-below=0")
