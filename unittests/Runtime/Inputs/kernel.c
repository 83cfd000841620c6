//===- kernel.c - Functions with the interface of compiled code -----------===//
//
// What the compiler would make of: out[v] = sum of x[u] over the edges u -> v.
//
//===----------------------------------------------------------------------===//

#include "rgnn/runtime.h"
#include <string.h>

enum {
  Workspace,
  NumNodes,
  Offsets,
  OffsetRows,
  Sources,
  SourceRows,
  X,
  XRows,
  Out,
  OutRows
};

enum { Width = 4 };

static void sumRows(int64_t begin, int64_t end, void *env) {
  const uint64_t *words = (const uint64_t *)env;
  const int32_t *offsets = (const int32_t *)words[Offsets];
  const int32_t *sources = (const int32_t *)words[Sources];
  const float *x = (const float *)words[X];
  float *workspace = (float *)words[Workspace], *out = (float *)words[Out];
  for (int64_t node = begin; node < end; ++node) {
    float *sum = workspace + node * Width;
    memset(sum, 0, Width * sizeof(float));
    for (int32_t p = offsets[node]; p < offsets[node + 1]; ++p)
      for (int64_t i = 0; i < Width; ++i)
        sum[i] += x[sources[p] * (int64_t)Width + i];
    memcpy(out + node * Width, sum, Width * sizeof(float));
  }
}

RGNN_EXPORT uint64_t rgnn_forward_workspace(const uint64_t *words) {
  return words[NumNodes] * Width * sizeof(float);
}

RGNN_EXPORT int32_t rgnn_forward(const RgnnContext *context,
                                 const uint64_t *words) {
  if (context->abi_version != RGNN_ABI_VERSION || words[Workspace] % 64 ||
      words[OffsetRows] != words[NumNodes] + 1 ||
      words[XRows] != words[NumNodes] || words[OutRows] != words[NumNodes])
    return 1;
  context->parallel_for(context, (int64_t)words[NumNodes], sumRows,
                        (void *)(uintptr_t)words);
  return 0;
}

/// The same in another order, over edges, and with the other sign, so that a
/// test sees which ran.
RGNN_EXPORT uint64_t rgnn_forward_1_workspace(const uint64_t *words) {
  const uint64_t numEdges = words[1];
  return numEdges * Width * sizeof(float);
}

RGNN_EXPORT int32_t rgnn_forward_1(const RgnnContext *context,
                                   const uint64_t *words) {
  enum {
    NumEdges = 1,
    Src,
    SrcRows,
    Dst,
    DstRows,
    Rows,
    NumRows,
    Sum,
    SumRows
  };
  const int32_t *src = (const int32_t *)words[Src];
  const int32_t *dst = (const int32_t *)words[Dst];
  const float *x = (const float *)words[Rows];
  float *messages = (float *)words[Workspace], *out = (float *)words[Sum];
  const int64_t count = (int64_t)words[NumEdges] * Width;
  if (context->abi_version != RGNN_ABI_VERSION ||
      words[SrcRows] != words[NumEdges] || words[DstRows] != words[NumEdges] ||
      words[SumRows] != words[NumRows])
    return 1;
  for (int64_t i = 0; i < count; ++i)
    messages[i] = x[src[i / Width] * (int64_t)Width + i % Width];
  memset(out, 0, words[SumRows] * Width * sizeof(float));
  for (int64_t i = 0; i < count; ++i)
    out[dst[i / Width] * (int64_t)Width + i % Width] -= messages[i];
  return 0;
}

RGNN_EXPORT int32_t rgnn_failing(const RgnnContext *context,
                                 const uint64_t *words) {
  (void)context, (void)words;
  return 7;
}

static void sumNumberedRows(int64_t begin, int64_t end, void *env) {
  sumRows(begin, end, (uint64_t *)env + 1);
}

static void doNothing(int64_t begin, int64_t end, void *env) {
  (void)begin, (void)end, (void)env;
}

/// As rgnn_forward, by kernel 1, behind work on weights.
RGNN_EXPORT int32_t rgnn_numbered(const RgnnContext *context,
                                  const uint64_t *words) {
  uint64_t weights[1] = {(uint64_t)-1}, env[1 + OutRows + 1] = {1};
  memcpy(env + 1, words, (OutRows + 1) * sizeof(uint64_t));
  context->parallel_for(context, 2, doNothing, weights);
  context->parallel_for(context, (int64_t)words[NumNodes], sumNumberedRows,
                        env);
  return 0;
}
