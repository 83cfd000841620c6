//===- SerializeLaunches.cpp - launches as loops --------------------------===//

#include "Lowering.h"
#include "RGNN/Conversion/HetKernelToGPU/HetKernelToGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_SERIALIZELAUNCHESPASS
#include "RGNN/Conversion/HetKernelToGPU/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::hetkernel;

static LogicalResult serialize(gpu::LaunchOp launch) {
  if (!launch.getBody().hasOneBlock() || !launch.getAsyncDependencies().empty())
    return launch.emitOpError("expected one block that waits for nothing");
  auto walk = launch.getBody().walk([&](Operation *op) {
    if (!isa<gpu::GPUDialect>(op->getDialect()) || isa<gpu::TerminatorOp>(op))
      return WalkResult::advance();
    op->emitOpError("cannot run in a loop over threads");
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();

  ImplicitLocOpBuilder builder(launch.getLoc(), launch);
  Value zero = createIndex(builder, 0);
  auto replace = [](gpu::KernelDim3 values, const gpu::KernelDim3 &by) {
    values.x.replaceAllUsesWith(by.x);
    values.y.replaceAllUsesWith(by.y);
    values.z.replaceAllUsesWith(by.z);
  };
  gpu::KernelDim3 blocks = launch.getGridSizeOperandValues(),
                  threads = launch.getBlockSizeOperandValues();
  replace(launch.getGridSize(), blocks);
  replace(launch.getBlockSize(), threads);
  auto enter = [&](const gpu::KernelDim3 &sizes) {
    Value z = enterLoop(builder, zero, sizes.z, 1);
    Value y = enterLoop(builder, zero, sizes.y, 1);
    return gpu::KernelDim3{enterLoop(builder, zero, sizes.x, 1), y, z};
  };
  replace(launch.getBlockIds(), enter(blocks));
  replace(launch.getThreadIds(), enter(threads));
  Block &body = launch.getBody().front();
  body.getTerminator()->erase();
  builder.getInsertionBlock()->getOperations().splice(
      builder.getInsertionPoint(), body.getOperations());
  launch.erase();
  return success();
}

namespace {

struct SerializeLaunchesPass
    : rgnn::impl::SerializeLaunchesPassBase<SerializeLaunchesPass> {
  using SerializeLaunchesPassBase::SerializeLaunchesPassBase;

  void runOnOperation() override {
    SmallVector<gpu::LaunchOp> launches;
    getOperation().walk(
        [&](gpu::LaunchOp launch) { launches.push_back(launch); });
    for (gpu::LaunchOp launch : launches)
      if (failed(serialize(launch)))
        return signalPassFailure();
  }
};

} // namespace
