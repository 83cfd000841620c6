//===- SetSchedule.cpp - schedules by hand --------------------------------===//

#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Dialect/HetKernel/Transforms/Schedule.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELSETSCHEDULEPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

LogicalResult hetkernel::verifySchedule(GemmOp gemm,
                                        GemmScheduleAttr schedule) {
  std::optional<int64_t> tileRows = getViewTileRows(gemm);
  if (tileRows && *tileRows != schedule.getTileRows())
    return gemm.emitOpError()
           << "expected a schedule with tiles of " << *tileRows
           << " rows, as its view has, got " << schedule.getTileRows();
  return success();
}

namespace {

struct SetSchedulePass
    : hetkernel::impl::HetKernelSetSchedulePassBase<SetSchedulePass> {
  using HetKernelSetSchedulePassBase::HetKernelSetSchedulePassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (failed(parseSchedules(func)))
      return signalPassFailure();
    int64_t count = 0;
    bool failedAny = false;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<GemmOp, TraverseOp>(op))
        return;
      int64_t number = count++;
      if (kernels.empty() || llvm::is_contained(kernels, number))
        failedAny |= failed(setSchedule(op));
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
  LogicalResult parseSchedules(func::FuncOp func) {
    auto emitError = [&] { return func.emitError(); };
    if (!gemm.empty()) {
      if (gemm.size() != 4)
        return func.emitError()
               << "expected 4 numbers for gemm, got " << gemm.size();
      gemmSchedule = GemmScheduleAttr::getChecked(
          emitError, &getContext(), gemm[0], gemm[1], gemm[2], gemm[3]);
      if (!gemmSchedule)
        return failure();
    }
    if (!traverse.empty()) {
      if (traverse.size() != 1)
        return func.emitError()
               << "expected one number for traverse, got " << traverse.size();
      traverseSchedule = TraverseScheduleAttr::getChecked(
          emitError, &getContext(), traverse[0]);
      if (!traverseSchedule)
        return failure();
    }
    return success();
  }

  LogicalResult setSchedule(Operation *op) {
    if (auto kernel = dyn_cast<GemmOp>(op); kernel && gemmSchedule) {
      if (failed(verifySchedule(kernel, gemmSchedule)))
        return failure();
      kernel.setScheduleAttr(gemmSchedule);
    } else if (auto kernel = dyn_cast<TraverseOp>(op);
               kernel && traverseSchedule) {
      kernel.setScheduleAttr(traverseSchedule);
    }
    return success();
  }

  GemmScheduleAttr gemmSchedule;
  TraverseScheduleAttr traverseSchedule;
};

} // namespace
