//===- Traffic.h - what kernels read, write and compute ---------*- C++ -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_ANALYSIS_TRAFFIC_H
#define RGNN_DIALECT_HETKERNEL_ANALYSIS_TRAFFIC_H

#include "RGNN/Analysis/Cost.h"

namespace mlir::hetkernel {

struct Traffic {
  int64_t rows = 0, innerRows = 0, bytesRead = 0, bytesWritten = 0;
  /// Bytes that pass if memory is read once, and lists of the graph count too.
  int64_t bytesNeeded = 0;
  /// Of floats; a product with an addition is two.
  int64_t operations = 0;
};

/// What `kernel`, on tensors, does on a graph of these sizes. Fails, with an
/// error at the kernel, where a size is not known.
FailureOr<Traffic> countTraffic(Operation *kernel,
                                const rgnn::GraphSizes &sizes);

} // namespace mlir::hetkernel

#endif // RGNN_DIALECT_HETKERNEL_ANALYSIS_TRAFFIC_H
