//===- ChooseSchedule.cpp - schedules that suit a machine -----------------===//

#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Dialect/HetKernel/Transforms/Schedule.h"
#include "RGNN/Transforms/Counts.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELCHOOSESCHEDULEPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

std::optional<int64_t> hetkernel::getViewTileRows(Value tiles) {
  if (!tiles)
    return std::nullopt;
  if (auto view = tiles.getDefiningOp<ViewOp>())
    return static_cast<int64_t>(view.getParam());
  // Once views are collected, they are arguments.
  auto argument = dyn_cast<BlockArgument>(tiles);
  auto function =
      dyn_cast_or_null<func::FuncOp>(tiles.getParentRegion()->getParentOp());
  if (!argument || !function || argument.getOwner() != &function.front())
    return std::nullopt;
  auto rows = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                     "rgnn.tile_rows");
  return rows ? std::optional(rows.getInt()) : std::nullopt;
}

/// Blocks of at most `mostRows` rows for tiles of `tileRows`.
static GemmScheduleAttr chooseBlocks(ShapedType out, int64_t vectorBits,
                                     int64_t tileRows, int64_t mostRows) {
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
  return GemmScheduleAttr::get(
      out.getContext(), tileRows, std::min({blockRows, tileRows, mostRows}),
      blockVectors, width, /*coarsening=*/1, RowScale::Store, /*threads=*/0);
}

GemmScheduleAttr hetkernel::chooseSchedule(GemmOp gemm, int64_t vectorBits) {
  int64_t tileRows = getViewTileRows(gemm.getTiles()).value_or(defaultTileRows);
  return chooseBlocks(cast<ShapedType>(gemm.getOut().getType()), vectorBits,
                      tileRows, /*mostRows=*/tileRows);
}

GemmScheduleAttr hetkernel::chooseSchedule(OuterSumOp sum, int64_t vectorBits) {
  int64_t tileRows =
      getViewTileRows(sum.getTiles()).value_or(defaultOuterSumTileRows);
  int64_t mostRows = 1;
  if (Value x = sum.getX()) {
    int64_t rows = cast<ShapedType>(x.getType()).getShape().back();
    mostRows =
        ShapedType::isDynamic(rows) ? tileRows : std::max<int64_t>(rows, 1);
  }
  return chooseBlocks(cast<ShapedType>(sum.getOut().getType()), vectorBits,
                      tileRows, mostRows);
}

/// Whether inner loops read rows at places that a list gives.
static bool looksUpInnerRows(TraverseOp traverse) {
  auto isLookedUp = [](RowOp row) {
    return row->getParentOp() && isa<ForEachOp>(row->getParentOp()) &&
           llvm::any_of(row.getIndices(), [](Value index) {
             return index.getDefiningOp<LookupOp>() != nullptr;
           });
  };
  return traverse
      .walk([&](RowOp row) {
        return isLookedUp(row) ? WalkResult::interrupt()
                               : WalkResult::advance();
      })
      .wasInterrupted();
}

TraverseScheduleAttr hetkernel::chooseSchedule(TraverseOp traverse) {
  // Measured with HGT on mutag on Zen 3: the traversal of the attention takes a
  // quarter less time with 8, the same with 16. A processor's own guesses end
  // with each node's few edges.
  return TraverseScheduleAttr::get(
      traverse.getContext(), defaultTaskRows, Mapping::Vertex,
      /*coarsening=*/1, /*hoisting=*/true, /*partialAggregation=*/true,
      /*prefetch=*/looksUpInnerRows(traverse) ? 8 : 0, /*threads=*/0);
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
    if (gpuThreads < 0 || gpuThreads > 1024) {
      getOperation().emitError()
          << "expected gpu-threads of 0 to 1024, got " << gpuThreads.getValue();
      return signalPassFailure();
    }
    int64_t numChosen = 0;
    auto choose = [&](auto kernel, auto choice) {
      if (kernel.getSchedule())
        return;
      kernel.setScheduleAttr(choice());
      ++numChosen;
    };
    getOperation().walk([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<GemmOp, OuterSumOp>([&](auto kernel) {
            choose(kernel, [&] {
              return gpuThreads != 0 ? chooseGPUSchedule(kernel, gpuThreads)
                                     : chooseSchedule(kernel, vectorBits);
            });
          })
          .Case([&](TraverseOp traverse) {
            choose(traverse, [&] {
              return gpuThreads != 0 ? chooseGPUSchedule(traverse)
                                     : chooseSchedule(traverse);
            });
          });
    });
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-chosen", numChosen}});
  }
};

} // namespace
