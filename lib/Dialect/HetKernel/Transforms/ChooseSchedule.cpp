//===- ChooseSchedule.cpp - schedules that suit a machine -----------------===//

#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Dialect/HetKernel/Transforms/Schedule.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Support/Remarks.h"

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
                                                     rgnn::kTileRowsAttr);
  return rows ? std::optional(rows.getInt()) : std::nullopt;
}

/// How many sums a vector has; those of 16-bit floats are f32.
static int64_t getVectorWidth(Type element, int64_t vectorBits) {
  int64_t bits = std::max<int64_t>(element.getIntOrFloatBitWidth(), 32);
  return std::max<int64_t>(vectorBits / bits, 1);
}

/// Blocks of at most `mostRows` rows for tiles of `tileRows`. A vector of sums
/// takes `registers`.
static CPUGemmScheduleAttr chooseBlocks(ShapedType out, int64_t vectorBits,
                                        int64_t tileRows, int64_t mostRows,
                                        int64_t registers = 1) {
  int64_t width = getVectorWidth(out.getElementType(), vectorBits),
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
  mostRows = std::min(tileRows, mostRows);
  if (mostRows < blockRows) {
    // An addition waits for the one before it: as many sums at a time as there
    // is room for, in blocks of about the same size.
    blockRows = mostRows;
    int64_t most = std::max<int64_t>(accumulators / mostRows / registers, 1);
    vectors = std::max<int64_t>(vectors, 1);
    blockVectors = llvm::divideCeil(vectors, llvm::divideCeil(vectors, most));
  }
  return CPUGemmScheduleAttr::get(out.getContext(), tileRows, blockRows,
                                  blockVectors, width, /*coarsening=*/1,
                                  RowScale::Store);
}

CPUGemmScheduleAttr hetkernel::chooseSchedule(GemmOp gemm, int64_t vectorBits) {
  int64_t tileRows = getViewTileRows(gemm.getTiles()).value_or(defaultTileRows);
  auto out = cast<ShapedType>(gemm.getOut().getType());
  CPUGemmScheduleAttr blocks =
      chooseBlocks(out, vectorBits, tileRows, /*mostRows=*/tileRows);
  // One column has its lanes along the inner dimension.
  int64_t inner = cast<ShapedType>(gemm.getX().getType()).getShape().back();
  if (out.getShape().back() != 1 || ShapedType::isDynamic(inner))
    return blocks;
  int64_t width = getVectorWidth(out.getElementType(), vectorBits);
  return inner < width
             ? blocks
             : CPUGemmScheduleAttr::get(gemm.getContext(), tileRows,
                                        blocks.getBlockRows(),
                                        /*block_vectors=*/1, width,
                                        /*coarsening=*/1, RowScale::Store);
}

CPUGemmScheduleAttr hetkernel::chooseSchedule(OuterSumOp sum,
                                              int64_t vectorBits) {
  int64_t tileRows =
      getViewTileRows(sum.getTiles()).value_or(defaultOuterSumTileRows);
  auto out = cast<ShapedType>(sum.getOut().getType());
  Value x = sum.getX();
  if (!x) // Sums of f32 are made in f64.
    return chooseBlocks(out, vectorBits, tileRows, /*mostRows=*/1,
                        /*registers=*/2);
  int64_t rows = cast<ShapedType>(x.getType()).getShape().back();
  return chooseBlocks(out, vectorBits, tileRows,
                      ShapedType::isDynamic(rows) ? tileRows
                                                  : std::max<int64_t>(rows, 1));
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

CPUTraverseScheduleAttr hetkernel::chooseSchedule(TraverseOp traverse) {
  // Measured with HGT on mutag on Zen 3: the traversal of the attention takes a
  // quarter less time with 8, the same with 16. A processor's own guesses end
  // with each node's few edges.
  return CPUTraverseScheduleAttr::get(
      traverse.getContext(), defaultTaskRows, Mapping::Vertex,
      /*coarsening=*/1, /*hoisting=*/true, /*partialAggregation=*/true,
      /*prefetch=*/looksUpInnerRows(traverse) ? 8 : 0);
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
            choose(kernel, [&]() -> GemmScheduleInterface {
              if (gpuThreads != 0)
                return chooseGPUSchedule(kernel, gpuThreads);
              return chooseSchedule(kernel, vectorBits);
            });
          })
          .Case([&](TraverseOp traverse) {
            choose(traverse, [&]() -> TraverseScheduleInterface {
              if (gpuThreads != 0)
                return chooseGPUSchedule(traverse);
              return chooseSchedule(traverse);
            });
          });
    });
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-chosen", numChosen}});
  }
};

} // namespace
