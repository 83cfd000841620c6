//===- Traverse.cpp - traversals as parallel loops ------------------------===//

#include "../Launches.h"
#include "LongRows.h"
#include "RGNN/Conversion/HetKernelToSCF/HetKernelToSCF.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// While a thread of a GPU waits for memory, others run: no prefetch. Where
/// blocks have rows, they have what is coarse as well.
LogicalResult hetkernel::spreadTraverse(TraverseOp traverse,
                                        int64_t &numTemporaries) {
  auto schedule = traverse.getSchedule();
  if (schedule)
    traverse.setScheduleAttr(TraverseScheduleAttr::get(
        traverse.getContext(), schedule->getTaskRows(), schedule->getMapping(),
        schedule->getBlockAbove() ? 1 : schedule->getCoarsening(),
        schedule->getHoisting(), schedule->getPartialAggregation(),
        /*prefetch=*/0, schedule->getThreads(), schedule->getBlockAbove()));
  FailureOr<scf::ForallOp> tasks =
      lowerTraverse(traverse, /*serialBelow=*/0, numTemporaries);
  if (succeeded(tasks))
    (*tasks)->setAttr(scheduleAttrName, *schedule);
  return tasks;
}
