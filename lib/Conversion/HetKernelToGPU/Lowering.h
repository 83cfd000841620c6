//===- Lowering.h - what the lowerings to launches share --------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_LOWERING_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_LOWERING_H

#include "../HetKernelToSCF/Lowering.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::hetkernel {

/// Replaces a GEMM on buffers by a launch with blocks of `threads` threads. On
/// failure an error was reported.
LogicalResult launchGemm(GemmOp gemm, int64_t threads);

/// Replaces a parallel loop by a launch: a thread for each iteration, or for
/// each element of the vectors of an iteration where that is the same
/// computation. `numSpread` counts the latter. On failure an error was
/// reported.
LogicalResult launchTasks(scf::ForallOp loop, int64_t threads,
                          int64_t &numSpread);

/// A launch of `blocks` by `threads`; `builder` goes into it. Behind a
/// condition that there are blocks, unless that is known.
gpu::LaunchOp enterLaunch(ImplicitLocOpBuilder &builder, ArrayRef<Value> blocks,
                          ArrayRef<int64_t> threads);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_LOWERING_H
