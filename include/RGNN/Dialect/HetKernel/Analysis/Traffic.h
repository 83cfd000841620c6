//===- Traffic.h - what kernels read, write and compute ---------*- C++ -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_ANALYSIS_TRAFFIC_H
#define RGNN_DIALECT_HETKERNEL_ANALYSIS_TRAFFIC_H

#include "RGNN/Analysis/Cost.h"

#include "mlir/IR/AffineExpr.h"

namespace mlir::hetkernel {

/// A number that is known when a kernel runs: rows of a graph or, where `rows`
/// is null, dimension 0 of an argument of the function.
struct Size {
  rgnn::RowsAttr rows;
  unsigned argument = 0;

  bool operator==(const Size &other) const {
    return rows == other.rows && argument == other.argument;
  }
};

/// What a kernel does, whatever the graph: expressions whose symbols are
/// `sizes`.
struct TrafficForms {
  SmallVector<Size> sizes;
  AffineExpr rows, innerRows, bytesRead, bytesWritten;
  /// Of floats; a product with an addition is two.
  AffineExpr operations;
  /// Of each buffer or list of the graph that is read: the bytes that are,
  /// some perhaps several times, and those that there are.
  SmallVector<std::pair<AffineExpr, AffineExpr>> buffers;
};

struct Traffic {
  int64_t rows = 0, innerRows = 0, bytesRead = 0, bytesWritten = 0;
  /// Bytes that pass if memory is read once, and lists of the graph count too.
  int64_t bytesNeeded = 0;
  int64_t operations = 0;
};

/// What `kernel`, on tensors, does. Fails, without an error, where something
/// else than sizes of graphs and arguments decides.
FailureOr<TrafficForms> getTraffic(Operation *kernel);

/// What `kernel`, on tensors, does on a graph of these sizes. Fails, with an
/// error at the kernel, where a size is not known.
FailureOr<Traffic> countTraffic(Operation *kernel,
                                const rgnn::GraphSizes &sizes);

/// What each op of a function does that computes weights of weights and is no
/// kernel; of shapes that are static.
SmallVector<Traffic> countWeights(Operation *function);

} // namespace mlir::hetkernel

#endif // RGNN_DIALECT_HETKERNEL_ANALYSIS_TRAFFIC_H
