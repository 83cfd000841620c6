"""Makes the package in this checkout importable, built or not, and keeps compiled code out of the user's cache."""

import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))


def pytest_configure(config):
    config.rgnn_cache = tempfile.mkdtemp(prefix="rgnn-test-cache-")
    os.environ["RGNN_CACHE_DIR"] = config.rgnn_cache


def pytest_unconfigure(config):
    shutil.rmtree(config.rgnn_cache, ignore_errors=True)
