//===- HetKernelToGPU.cpp - the pass that lowers kernels to launches ------===//

#include "RGNN/Conversion/HetKernelToGPU/HetKernelToGPU.h"
#include "Lowering.h"
#include "RGNN/Transforms/Counts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_CONVERTHETKERNELTOGPUPASS
#include "RGNN/Conversion/HetKernelToGPU/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::hetkernel;

namespace {

struct ConvertHetKernelToGPUPass
    : rgnn::impl::ConvertHetKernelToGPUPassBase<ConvertHetKernelToGPUPass> {
  using ConvertHetKernelToGPUPassBase::ConvertHetKernelToGPUPassBase;

  LogicalResult lowerKernels(int64_t &numGemms, int64_t &numTraversals) {
    SmallVector<Operation *> kernels;
    getOperation().walk([&](Operation *op) {
      if (isa<GemmOp, OuterSumOp, TraverseOp>(op))
        kernels.push_back(op);
    });
    int64_t temporaries = 0;
    for (Operation *kernel : kernels) {
      if (auto gemm = dyn_cast<GemmOp>(kernel)) {
        if (failed(launchGemm(gemm, threads)))
          return failure();
        ++numGemms;
      } else if (isa<OuterSumOp>(kernel)) {
        return kernel->emitOpError(
            "expected kernels of a forward pass, got the gradient of a weight, "
            "which only CPUs compute yet");
      } else {
        if (failed(lowerTraverse(cast<TraverseOp>(kernel), /*serialBelow=*/0,
                                 temporaries)))
          return failure();
        ++numTraversals;
      }
    }
    // While a thread of a GPU waits for memory, others run.
    getOperation().walk([](memref::PrefetchOp prefetch) { prefetch.erase(); });
    return success();
  }

  LogicalResult launchLoops(int64_t &numSpread) {
    SmallVector<scf::ForallOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
      loops.push_back(loop);
      return WalkResult::skip();
    });
    for (scf::ForallOp loop : loops)
      if (failed(launchTasks(loop, threads, numSpread)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    int64_t numGemms = 0, numTraversals = 0, numSpread = 0;
    if (failed(lowerKernels(numGemms, numTraversals)) ||
        failed(launchLoops(numSpread)))
      return signalPassFailure();
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-gemms", numGemms},
                        {"num-traversals", numTraversals},
                        {"num-spread", numSpread}});
  }
};

} // namespace
