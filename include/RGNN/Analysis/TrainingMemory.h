//===- TrainingMemory.h - what training keeps in memory ---------*- C++ -*-===//

#ifndef RGNN_ANALYSIS_TRAININGMEMORY_H
#define RGNN_ANALYSIS_TRAININGMEMORY_H

#include "RGNN/Analysis/Cost.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::rgnn {

/// Bytes that a forward and its backward have in memory between the two.
struct TrainingMemory {
  /// What the caller gives and gets.
  int64_t arguments = 0, results = 0;
  /// All that ops of the forward compute on the way to the results.
  int64_t intermediate = 0;
  /// What the backward would get of the forward if it computed nothing again,
  /// as in Zhang et al. (MLSys 2022, sec. 6) before recomputation. What it
  /// computes again is recognised by its form, so that the forward is to be as
  /// canonical as the backward.
  int64_t needed = 0;
  /// What it gets: results `{rgnn.saved}`.
  int64_t saved = 0;
};

/// The memory of what `rgnn-differentiate` has made of a function. Fails, with
/// an error, where a size is not known.
FailureOr<TrainingMemory> getTrainingMemory(func::FuncOp forward,
                                            func::FuncOp backward,
                                            const GraphSizes &sizes);

} // namespace mlir::rgnn

#endif // RGNN_ANALYSIS_TRAININGMEMORY_H
