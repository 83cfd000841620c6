//===- GPUSimulator.h - launches of kernels run without a GPU ---*- C++ -*-===//
//
// What launches of the gpu dialect mean: a host function and its kernels, at
// the level of gpu, nvgpu, memref, vector, scf, arith and math, executed thread
// by thread, with checks that hardware does not make. docs/GPUSimulator.md says
// which.
//
//===----------------------------------------------------------------------===//

#ifndef RGNN_REFERENCE_GPUSIMULATOR_H
#define RGNN_REFERENCE_GPUSIMULATOR_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace mlir::rgnn::simulator {

/// A value that a host function takes or returns.
struct Datum {
  /// A contiguous memref, empty for a number: one element.
  SmallVector<int64_t> shape;
  /// Its elements in their own format.
  std::vector<char> bytes;
  /// An input is read and not written; anything else is written before it is
  /// read, and whole.
  bool isInput = true;
};

struct Outcome {
  SmallVector<Datum> results;
  unsigned numLaunches;
};

/// Runs `function` on as many arguments as it has; memrefs that are no inputs
/// get what it writes. On failure an error was reported: at the op of a race,
/// an access out of bounds, a barrier that not all threads reach, or whatever
/// the simulator does not know.
FailureOr<Outcome> simulate(func::FuncOp function,
                            MutableArrayRef<Datum> arguments);

} // namespace mlir::rgnn::simulator

#endif // RGNN_REFERENCE_GPUSIMULATOR_H
