//===- HetKernelToGPU.cpp - the pass that lowers kernels to launches ------===//

#include "RGNN/Conversion/HetKernelToGPU/HetKernelToGPU.h"
#include "Lowering.h"
#include "RGNN/Transforms/Counts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_CONVERTHETKERNELTOGPUPASS
#include "RGNN/Conversion/HetKernelToGPU/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::hetkernel;

namespace {

struct Counts {
  int64_t gemms = 0, outerSums = 0, traversals = 0, spread = 0, warps = 0,
          merged = 0, launches = 0, temporaries = 0;
};

/// 90 of sm_90, and 100 of sm_100a; nullopt of other names.
std::optional<unsigned> getVersion(StringRef chip) {
  unsigned version;
  if (!chip.consume_front("sm_") || chip.consumeInteger(10, version) ||
      !(chip.empty() || chip == "a" || chip == "f"))
    return std::nullopt;
  return version;
}

/// While a thread of a GPU waits for memory, others run.
void dropPrefetch(TraverseOp traverse) {
  if (auto schedule = traverse.getSchedule())
    traverse.setScheduleAttr(TraverseScheduleAttr::get(
        traverse.getContext(), schedule->getTaskRows(), schedule->getMapping(),
        schedule->getCoarsening(), schedule->getHoisting(),
        schedule->getPartialAggregation(), /*prefetch=*/0,
        schedule->getThreads()));
}

struct ConvertHetKernelToGPUPass
    : rgnn::impl::ConvertHetKernelToGPUPassBase<ConvertHetKernelToGPUPass> {
  using ConvertHetKernelToGPUPassBase::ConvertHetKernelToGPUPassBase;

  LogicalResult launchKernel(Operation *kernel, const LaunchOptions &options,
                             int64_t &numTemporaries) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(kernel)
        .Case([&](GemmOp gemm) { return launchGemm(gemm, options); })
        .Case([&](OuterSumOp sum) {
          return launchOuterSum(sum, options, numTemporaries);
        })
        .Case([&](TraverseOp traverse) {
          dropPrefetch(traverse);
          return lowerTraverse(traverse, /*serialBelow=*/0, numTemporaries);
        })
        .Case([&](ConcatOp concat) { return spreadConcat(concat); });
  }

  LogicalResult launchKernels(Counts &counts) {
    if (threads < 1 || threads > 1024)
      return getOperation().emitError()
             << "expected threads of 1 to 1024, got " << threads.getValue();
    std::optional<unsigned> version = getVersion(chip.getValue());
    if (!version || *version < 75)
      return getOperation().emitError()
             << "expected a chip from sm_75 on, such as sm_90 or sm_100a, got '"
             << chip.getValue() << "'";
    bool isAmpere = *version >= 80;
    LaunchOptions options{threads, isAmpere, isAmpere, tf32};
    SmallVector<Operation *> kernels;
    getOperation().walk([&](Operation *op) {
      if (isa<GemmOp, OuterSumOp, TraverseOp, ConcatOp>(op))
        kernels.push_back(op);
      counts.gemms += isa<GemmOp>(op);
      counts.outerSums += isa<OuterSumOp>(op);
      counts.traversals += isa<TraverseOp>(op);
    });
    for (auto [number, kernel] : llvm::enumerate(kernels)) {
      // For the locations of launches, which say what they compute.
      kernel->setLoc(nameLocation(
          kernel->getLoc(),
          (kernel->getName().getStringRef() + " " + Twine(number))));
      if (failed(launchKernel(kernel, options, counts.temporaries)))
        return failure();
    }
    return spreadElementwise(getOperation());
  }

  LogicalResult launchLoops(Counts &counts) {
    SmallVector<scf::ForallOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
      loops.push_back(loop);
      return WalkResult::skip();
    });
    for (scf::ForallOp loop : loops)
      if (failed(launchTasks(loop, threads, counts.spread, counts.warps)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    Counts counts;
    if (failed(launchKernels(counts)) || failed(launchLoops(counts)) ||
        (!hostAccess && (failed(verifyHost(getOperation())) ||
                         failed(sinkConstants(getOperation())))))
      return signalPassFailure();
    if (mergeLaunches)
      hetkernel::mergeLaunches(getOperation(), counts.merged);
    getOperation().walk([&](gpu::LaunchOp) { ++counts.launches; });
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-gemms", counts.gemms},
                        {"num-outer-sums", counts.outerSums},
                        {"num-traversals", counts.traversals},
                        {"num-spread", counts.spread},
                        {"num-warps", counts.warps},
                        {"num-launches", counts.launches},
                        {"num-merged", counts.merged},
                        {"num-temporaries", counts.temporaries}});
  }
};

} // namespace
