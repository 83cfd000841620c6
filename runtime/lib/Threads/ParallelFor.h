//===- ParallelFor.h - Threads that kernels run on --------------*- C++ -*-===//

#ifndef RGNN_RUNTIME_THREADS_PARALLELFOR_H
#define RGNN_RUNTIME_THREADS_PARALLELFOR_H

#include "rgnn/runtime.h"

namespace rgnn {

using RangeBody = void (*)(int64_t begin, int64_t end, void *env);

/// Runs `body` over [0, count). Each thread takes small ranges of a part of its
/// own, then of the others' parts, since the rows of a graph differ in cost;
/// inside a body it runs inline.
void parallelFor(int64_t count, RangeBody body, void *env);
/// The same of several loops, without waiting between them.
void parallelForAll(int64_t numLoops, const RgnnLoop *loops);

int32_t numThreads();

/// Uses PyTorch's threads from now on if PyTorch is loaded into the process.
void findTorchThreads();
bool usesTorchThreads();

} // namespace rgnn

#endif // RGNN_RUNTIME_THREADS_PARALLELFOR_H
