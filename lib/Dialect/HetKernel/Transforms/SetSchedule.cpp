//===- SetSchedule.cpp - schedules by hand --------------------------------===//

#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Dialect/HetKernel/Transforms/Schedule.h"

#include "llvm/ADT/TypeSwitch.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELSETSCHEDULEPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

namespace {

struct SetSchedulePass
    : hetkernel::impl::HetKernelSetSchedulePassBase<SetSchedulePass> {
  using HetKernelSetSchedulePassBase::HetKernelSetSchedulePassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (failed(verifyFields(func)))
      return signalPassFailure();
    int64_t count = 0;
    bool failedAny = false;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<GemmOp, OuterSumOp, TraverseOp>(op))
        return;
      int64_t number = count++;
      if (!kernels.empty() && !llvm::is_contained(kernels, number))
        return;
      llvm::TypeSwitch<Operation *>(op)
          .Case<GemmOp, OuterSumOp>([&](auto kernel) {
            if (!gemm.empty())
              failedAny |= failed(setGemmSchedule(kernel));
          })
          .Case([&](TraverseOp kernel) {
            if (!traverse.empty())
              failedAny |= failed(setTraverseSchedule(kernel));
          });
    });
    for (int64_t number : kernels)
      if (number < 0 || number >= count) {
        func.emitError() << "expected kernel numbers below " << count
                         << ", got " << number;
        failedAny = true;
      }
    if (failedAny)
      signalPassFailure();
  }

private:
  /// Refuses names and values that no kernel can have, also without kernels.
  LogicalResult verifyFields(func::FuncOp func) {
    auto emitError = [&] { return func.emitError(); };
    MLIRContext *context = &getContext();
    GemmScheduleInterface anyGemm = CPUGemmScheduleAttr::get(
        context, INT64_MAX, 1, 1, 1, 1, RowScale::Store);
    TraverseScheduleInterface anyTraverse = CPUTraverseScheduleAttr::get(
        context, 1, Mapping::Vertex, 1, true, true, 0);
    if (gpuThreads != 0) {
      anyGemm = GPUGemmScheduleAttr::get(context, INT64_MAX, 1, 1, 1, 1,
                                         RowScale::Store, 0);
      anyTraverse = GPUTraverseScheduleAttr::get(context, 1, true, true, 0, 0);
    }
    return success(succeeded(setFields(anyGemm, *gemm, emitError)) &&
                   succeeded(setFields(anyTraverse, *traverse, emitError)));
  }

  /// Changes fields of the kernel's schedule; of what is chosen if it has none.
  template <typename KernelOp>
  LogicalResult setGemmSchedule(KernelOp kernel) {
    GemmScheduleInterface own = kernel.getScheduleAttr();
    if (!own && gpuThreads != 0)
      own = chooseGPUSchedule(kernel, gpuThreads);
    else if (!own)
      own = chooseSchedule(kernel, /*vectorBits=*/256);
    FailureOr<GemmScheduleInterface> schedule =
        setFields(own, *gemm, [&] { return kernel.emitOpError(); });
    if (failed(schedule))
      return failure();
    std::optional<int64_t> rows = getViewTileRows(kernel.getTiles());
    if (rows && *rows != schedule->getTileRows())
      return kernel.emitOpError()
             << "expected a schedule with tiles of " << *rows
             << " rows, as its view has, got " << schedule->getTileRows();
    kernel.setScheduleAttr(*schedule);
    return success();
  }

  LogicalResult setTraverseSchedule(TraverseOp kernel) {
    TraverseScheduleInterface own = kernel.getScheduleAttr();
    if (!own && gpuThreads != 0)
      own = chooseGPUSchedule(kernel);
    else if (!own)
      own = chooseSchedule(kernel);
    FailureOr<TraverseScheduleInterface> schedule =
        setFields(own, *traverse, [&] { return kernel.emitOpError(); });
    if (failed(schedule))
      return failure();
    kernel.setScheduleAttr(*schedule);
    return success();
  }
};

} // namespace
