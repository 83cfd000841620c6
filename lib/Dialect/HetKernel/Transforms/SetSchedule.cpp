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
              failedAny |= failed(setSchedule(
                  kernel, chooseSchedule(kernel, /*vectorBits=*/256), *gemm));
          })
          .Case([&](TraverseOp kernel) {
            if (!traverse.empty())
              failedAny |= failed(
                  setSchedule(kernel, chooseSchedule(kernel), *traverse));
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
    auto anyGemm = GemmScheduleAttr::get(&getContext(), INT64_MAX, 1, 1, 1, 1,
                                         RowScale::Store, 0);
    auto anyTraverse = TraverseScheduleAttr::get(
        &getContext(), 1, Mapping::Vertex, 1, true, true, 0, 0, 0);
    return success(succeeded(setFields(anyGemm, *gemm, emitError)) &&
                   succeeded(setFields(anyTraverse, *traverse, emitError)));
  }

  /// Changes fields of the kernel's schedule; of `chosen` if it has none.
  template <typename KernelOp, typename ScheduleAttr>
  static LogicalResult setSchedule(KernelOp kernel, ScheduleAttr chosen,
                                   ArrayRef<std::string> fields) {
    FailureOr<ScheduleAttr> schedule =
        setFields(kernel.getSchedule().value_or(chosen), fields,
                  [&] { return kernel.emitOpError(); });
    if (failed(schedule))
      return failure();
    if constexpr (std::is_same_v<ScheduleAttr, GemmScheduleAttr>) {
      std::optional<int64_t> rows = getViewTileRows(kernel.getTiles());
      if (rows && *rows != schedule->getTileRows())
        return kernel.emitOpError()
               << "expected a schedule with tiles of " << *rows
               << " rows, as its view has, got " << schedule->getTileRows();
    }
    kernel.setScheduleAttr(*schedule);
    return success();
  }
};

} // namespace
