//===- LongRows.h - launches for the outer rows of a traversal --*- C++ -*-===//

#ifndef RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_LONGROWS_H
#define RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_LONGROWS_H

#include "../Launches.h"

namespace mlir::hetkernel {

/// Replaces a loop over outer rows by a launch: a warp or a thread for each, or
/// a block for one with more inner rows than the schedule says. Fails where
/// these cannot share out its inner rows; nothing has changed then.
LogicalResult launchRows(scf::ForallOp loop, int64_t threads,
                         GPUTraverseScheduleAttr schedule, TaskCounts &counts);

} // namespace mlir::hetkernel

#endif // RGNN_LIB_CONVERSION_HETKERNELTOGPU_TRAVERSALS_LONGROWS_H
