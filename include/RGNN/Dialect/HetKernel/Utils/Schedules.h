//===- Schedules.h - the schedule of a kernel for a target ------*- C++ -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_UTILS_SCHEDULES_H
#define RGNN_DIALECT_HETKERNEL_UTILS_SCHEDULES_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

namespace mlir::hetkernel {

/// The schedule of a kernel, which is to be one of this kind. On failure an
/// error was reported.
template <typename ScheduleAttr, typename KernelOp>
FailureOr<ScheduleAttr> expectSchedule(KernelOp kernel) {
  Attribute schedule = kernel.getScheduleAttr();
  if (!schedule)
    return kernel.emitOpError("expected a schedule, got none");
  if (auto own = dyn_cast<ScheduleAttr>(schedule))
    return own;
  return kernel.emitOpError()
         << "expected a schedule #hetkernel." << ScheduleAttr::getMnemonic()
         << ", got " << schedule;
}

} // namespace mlir::hetkernel

#endif // RGNN_DIALECT_HETKERNEL_UTILS_SCHEDULES_H
