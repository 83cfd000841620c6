//===- ProductLaunch.h - blocks and threads of products ---------*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_PRODUCTLAUNCH_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_PRODUCTLAUNCH_H

#include "../Launches.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::hetkernel {

/// The threads of a block for a schedule, whose lanes divide it.
FailureOr<int64_t> getThreads(Operation *kernel, GPUGemmScheduleAttr schedule,
                              const LaunchOptions &options);

/// One of `tasks` tasks for each block, or a loop over `coarsening` of them,
/// into which `builder` goes. Returns the number of the task.
Value enterCoarse(ImplicitLocOpBuilder &builder, Value block, Value tasks,
                  int64_t coarsening);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_PRODUCTS_PRODUCTLAUNCH_H
