//===- once.c - Functions that share values of a graph --------------------===//
//
// What the compiler would make of a function that reads 1 / degree of each
// node, and of the function that computes it once.
//
//===----------------------------------------------------------------------===//

#include "rgnn/runtime.h"

enum { Width = 4 };

static int64_t numRuns;

enum {
  OnceWorkspace,
  OnceNumNodes,
  OnceOffsets,
  OnceOffsetRows,
  Scale,
  ScaleRows,
  Ends,
  EndsRows,
  Run
};

static void makeScale(int64_t begin, int64_t end, void *env) {
  const uint64_t *words = (const uint64_t *)env;
  const int32_t *offsets = (const int32_t *)words[OnceOffsets];
  float *degrees = (float *)words[OnceWorkspace];
  float *scale = (float *)words[Scale];
  for (int64_t node = begin; node < end; ++node) {
    degrees[node] = (float)(offsets[node + 1] - offsets[node]);
    scale[node] = degrees[node] > 0 ? 1 / degrees[node] : 0;
  }
}

RGNN_EXPORT uint64_t rgnn_once_workspace(const uint64_t *words) {
  return words[OnceNumNodes] * sizeof(float);
}

/// 1 / degree of each node, two numbers for each edge, and how often this ran.
RGNN_EXPORT int32_t rgnn_once(const RgnnContext *context,
                              const uint64_t *words) {
  const int64_t numNodes = (int64_t)words[OnceNumNodes];
  const int32_t *offsets = (const int32_t *)words[OnceOffsets];
  int32_t *ends = (int32_t *)words[Ends];
  if (context->abi_version != RGNN_ABI_VERSION ||
      words[OnceOffsetRows] != words[OnceNumNodes] + 1 ||
      words[ScaleRows] != words[OnceNumNodes] ||
      (int64_t)words[EndsRows] != offsets[numNodes] || words[Scale] % 64 ||
      words[Ends] % 64 || words[Run] % 64)
    return 1;
  context->parallel_for(context, numNodes, makeScale, (void *)(uintptr_t)words);
  for (int64_t i = 0; i < (int64_t)words[EndsRows]; ++i) {
    ends[2 * i] = (int32_t)i;
    ends[2 * i + 1] = 1;
  }
  *(int64_t *)words[Run] = __atomic_add_fetch(&numRuns, 1, __ATOMIC_RELAXED);
  return 0;
}

/// The same with the other sign, so that a test sees which ran.
RGNN_EXPORT int32_t rgnn_once_1(const RgnnContext *context,
                                const uint64_t *words) {
  const int32_t status = rgnn_once(context, words);
  float *scale = (float *)words[Scale];
  for (uint64_t i = 0; i < words[ScaleRows]; ++i)
    scale[i] = -scale[i];
  return status;
}

RGNN_EXPORT int32_t rgnn_failing_once(const RgnnContext *context,
                                      const uint64_t *words) {
  (void)context, (void)words;
  return 7;
}

/// Of each node: 1 / degree, its edges, how often rgnn_once had run, and the
/// last column of x.
RGNN_EXPORT int32_t rgnn_forward(const RgnnContext *context,
                                 const uint64_t *words) {
  enum {
    Workspace,
    NumNodes,
    Offsets,
    OffsetRows,
    Scale,
    ScaleRows,
    Ends,
    EndsRows,
    Run,
    X,
    XRows,
    Out,
    OutRows
  };
  const int32_t *offsets = (const int32_t *)words[Offsets];
  const float *scale = (const float *)words[Scale];
  const int32_t *ends = (const int32_t *)words[Ends];
  const float *x = (const float *)words[X];
  float *out = (float *)words[Out];
  const int64_t numNodes = (int64_t)words[NumNodes];
  if (context->abi_version != RGNN_ABI_VERSION ||
      words[OffsetRows] != words[NumNodes] + 1 ||
      words[ScaleRows] != words[NumNodes] ||
      (int64_t)words[EndsRows] != offsets[numNodes] ||
      words[XRows] != words[NumNodes] || words[OutRows] != words[NumNodes])
    return 1;
  for (int64_t node = 0; node < numNodes; ++node) {
    int32_t numEdges = 0;
    for (int32_t p = offsets[node]; p < offsets[node + 1]; ++p)
      numEdges += ends[2 * p] == p ? ends[2 * p + 1] : 0;
    out[node * Width] = scale[node];
    out[node * Width + 1] = (float)numEdges;
    out[node * Width + 2] = (float)*(const int64_t *)words[Run];
    out[node * Width + 3] = x[node * Width + 3];
  }
  return 0;
}
