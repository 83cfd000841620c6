//===- Traverse.cpp - traversals as parallel loops ------------------------===//

#include "../Launches.h"
#include "LongRows.h"
#include "RGNN/Conversion/HetKernelToSCF/HetKernelToSCF.h"
#include "RGNN/Dialect/HetKernel/IR/DiscardableAttributes.h"
#include "RGNN/Dialect/HetKernel/Utils/Schedules.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// While a thread of a GPU waits for memory, others run: no prefetch. Where
/// blocks have rows, they have what is coarse as well.
LogicalResult hetkernel::spreadTraverse(TraverseOp traverse,
                                        int64_t &numTemporaries) {
  auto schedule = expectSchedule<GPUTraverseScheduleAttr>(traverse);
  if (failed(schedule))
    return failure();
  TraverseLoops loops;
  loops.coarsening =
      schedule->getBlockAbove() != 0 ? 1 : schedule->getCoarsening();
  loops.hoisting = schedule->getHoisting();
  loops.partialAggregation = schedule->getPartialAggregation();
  FailureOr<scf::ForallOp> tasks =
      lowerTraverse(traverse, loops, numTemporaries);
  if (succeeded(tasks))
    (*tasks)->setAttr(kScheduleAttr, *schedule);
  return tasks;
}
