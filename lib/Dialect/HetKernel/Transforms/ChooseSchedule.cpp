//===- ChooseSchedule.cpp - schedules that suit a machine -----------------===//

#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Dialect/HetKernel/Transforms/Schedule.h"
#include "RGNN/Transforms/Counts.h"

#include "llvm/Support/MathExtras.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELCHOOSESCHEDULEPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

std::optional<int64_t> hetkernel::getViewTileRows(GemmOp gemm) {
  Value tiles = gemm.getTiles();
  if (!tiles)
    return std::nullopt;
  if (auto view = tiles.getDefiningOp<ViewOp>())
    return static_cast<int64_t>(view.getParam());
  // Once views are collected, they are arguments.
  auto argument = dyn_cast<BlockArgument>(tiles);
  auto function = gemm->getParentOfType<func::FuncOp>();
  if (!argument || !function || argument.getOwner() != &function.front())
    return std::nullopt;
  auto rows = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                     "rgnn.tile_rows");
  return rows ? std::optional(rows.getInt()) : std::nullopt;
}

GemmScheduleAttr hetkernel::chooseSchedule(GemmOp gemm, int64_t vectorBits) {
  auto out = cast<ShapedType>(gemm.getOut().getType());
  // 16-bit floats are summed up in f32.
  int64_t elementBits =
      std::max<int64_t>(out.getElementType().getIntOrFloatBitWidth(), 32);
  int64_t width = std::max<int64_t>(vectorBits / elementBits, 1),
          columns = out.getShape().back();
  if (!ShapedType::isDynamic(columns))
    width = std::clamp<int64_t>(llvm::PowerOf2Ceil(columns), 1, width);
  int64_t vectors =
      ShapedType::isDynamic(columns) ? 2 : llvm::divideCeil(columns, width);
  // Accumulators leave registers for the vectors of the weight and for a row's
  // element; each row also takes one of 16 registers as pointer. Measured with
  // 64 x 64 weights on Zen 3: 68 GFLOP/s for 6 x 2, 55 for 4 x 3, 38 for 8 x 1.
  // Three vectors therefore only where two would leave one over.
  int64_t accumulators = vectorBits >= 512 ? 24 : 12,
          maxRows = vectorBits >= 512 ? 12 : 8;
  int64_t blockVectors = vectors <= 1 ? 1 : vectors == 3 ? 3 : 2;
  int64_t blockRows = std::min(accumulators / blockVectors, maxRows);
  int64_t tileRows = getViewTileRows(gemm).value_or(defaultTileRows);
  return GemmScheduleAttr::get(gemm.getContext(), tileRows,
                               std::min(blockRows, tileRows), blockVectors,
                               width, /*coarsening=*/1, RowScale::Store,
                               /*threads=*/0);
}

TraverseScheduleAttr hetkernel::chooseSchedule(TraverseOp traverse) {
  return TraverseScheduleAttr::get(
      traverse.getContext(), defaultTaskRows, Mapping::Vertex,
      /*coarsening=*/1, /*hoisting=*/true, /*partialAggregation=*/true,
      /*threads=*/0);
}

namespace {

struct ChooseSchedulePass
    : hetkernel::impl::HetKernelChooseSchedulePassBase<ChooseSchedulePass> {
  using HetKernelChooseSchedulePassBase::HetKernelChooseSchedulePassBase;

  void runOnOperation() override {
    if (vectorBits != 128 && vectorBits != 256 && vectorBits != 512) {
      getOperation().emitError()
          << "expected vector-bits of 128, 256 or 512, got "
          << vectorBits.getValue();
      return signalPassFailure();
    }
    int64_t numChosen = 0;
    getOperation().walk([&](Operation *op) {
      if (auto gemm = dyn_cast<GemmOp>(op); gemm && !gemm.getSchedule()) {
        gemm.setScheduleAttr(chooseSchedule(gemm, vectorBits));
        ++numChosen;
      } else if (auto traverse = dyn_cast<TraverseOp>(op);
                 traverse && !traverse.getSchedule()) {
        traverse.setScheduleAttr(chooseSchedule(traverse));
        ++numChosen;
      }
    });
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-chosen", numChosen}});
  }
};

} // namespace
