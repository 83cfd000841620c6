"""A kernel written in C, as the runtime calls compiled ones, and its calls."""

import shutil
import subprocess

import pytest
import torch

_rgnn_runtime = pytest.importorskip("_rgnn_runtime")
from _rgnn_runtime import Graph  # noqa: E402

# out[v] = sum of x[u] over the edges u -> v; degree[v] = its number of edges.
KERNEL = r"""
#include <stdint.h>
#include <stdlib.h>
typedef struct RgnnContext {
  uint32_t abi_version;
  void (*parallel_for)(const struct RgnnContext *, int64_t, void (*)(int64_t, int64_t, void *), void *);
  int32_t (*num_threads)(const struct RgnnContext *);
} RgnnContext;

enum { WORKSPACE, NODES, OFFSETS, OFFSET_ROWS, SOURCES, SOURCE_ROWS, X, X_ROWS, SCALE, OUT, OUT_ROWS, DEGREE };

static void rows(int64_t begin, int64_t end, void *env) {
  const uint64_t *words = env;
  const int32_t *offsets = (void *)words[OFFSETS], *sources = (void *)words[SOURCES];
  const float *x = (void *)words[X], *scale = (void *)words[SCALE];
  float *out = (void *)words[OUT];
  int64_t *degree = (void *)words[DEGREE];
  for (int64_t v = begin; v < end; ++v) {
    out[2 * v] = out[2 * v + 1] = 0;
    for (int32_t p = offsets[v]; p < offsets[v + 1]; ++p)
      for (int i = 0; i < 2; ++i)
        out[2 * v + i] += scale[i] * x[2 * sources[p] + i];
    degree[v] = offsets[v + 1] - offsets[v];
  }
}
int32_t rgnn_forward(const RgnnContext *context, const uint64_t *words) {
  if (context->abi_version < 1 || words[WORKSPACE] % 64)
    return 1;
  context->parallel_for(context, words[NODES], rows, (void *)words);
  return 0;
}
uint64_t rgnn_forward_workspace(const uint64_t *words) { return 8 * words[NODES]; }
int32_t fails(const RgnnContext *context, const uint64_t *words) { return 42; }
"""

MANIFEST = {
    "version": 1,
    "entry": "rgnn_forward",
    "workspace": "rgnn_forward_workspace",
    "inputs": [
        {"name": "x", "dtype": "float32", "shape": [-1, 2]},
        {"name": "edge_index", "dtype": "int64", "shape": [2, -1], "used": False},
        {"name": "edge_type", "dtype": "int64", "shape": [-1], "used": False},
        {"name": "scale", "dtype": "float32", "shape": [2]},
    ],
    "graphs": [
        {"edge_index": [1], "edge_type": 2, "num_edge_types": 3, "num_nodes": [{"input": 0, "dim": 0}],
         "src_type": [], "dst_type": []}
    ],
    "views": [{"graph": 0, "kind": "dst_offsets", "param": 0}, {"graph": 0, "kind": "src_of_edge", "param": 0}],
    "sizes": [{"graph": 0, "of": "node"}],
    "outputs": [
        {"dtype": "float32", "shape": [{"graph": 0, "of": "node"}, 2]},
        {"dtype": "int64", "shape": [{"graph": 0, "of": "node"}]},
    ],
}


def build_library(folder):
    """The path of a shared library of the kernel, made in ``folder``; skips the test without a C compiler."""
    compiler = next((c for c in ("cc", "gcc", "clang", "clang-22") if shutil.which(c)), None)
    if compiler is None:
        pytest.skip("needs a C compiler")
    (folder / "kernel.c").write_text(KERNEL)
    path = folder / "kernel.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", path, folder / "kernel.c"], check=True)
    return path


class KernelCall:
    """The arguments of a call on random data, any of which a test can replace."""

    def __init__(self, nodes=6, edges=20):
        generator = torch.Generator().manual_seed(nodes + edges)
        self.x = torch.randn(nodes, 2, generator=generator)
        self.edge_index = torch.randint(0, max(nodes, 1), (2, edges), generator=generator)
        self.edge_type = torch.randint(0, 3, (edges,), generator=generator)
        self.scale = torch.tensor([1.0, -2.0])
        self.graph = Graph([self.edge_index], self.edge_type, 3, [nodes], [], [])

    @property
    def arguments(self):
        return (self.graph,), (self.x, self.edge_index, self.edge_type, self.scale)

    def expected(self):
        src, dst = self.edge_index
        messages = (self.x * self.scale)[src]
        return torch.zeros_like(self.x).index_add(0, dst, messages), torch.bincount(dst, minlength=len(self.x))

    def check(self, module):
        out, degree = module(*self.arguments)
        wanted, wanted_degree = self.expected()
        torch.testing.assert_close(out, wanted.detach())
        assert torch.equal(degree, wanted_degree)
        assert not out.requires_grad
