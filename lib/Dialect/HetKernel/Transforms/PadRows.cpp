//===- PadRows.cpp - rows that start at multiples of a size ---------------===//

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELPADROWSPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

/// Whether only kernels see the buffer: they read rows with any distance
/// between them, callers and reshapes do not.
static bool isInternal(tensor::EmptyOp empty) {
  if (!empty->hasOneUse())
    return false;
  OpOperand &use = *empty->getUses().begin();
  auto kernel = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
  if (!kernel || !isa<GemmOp, TraverseOp, ConcatOp>(use.getOwner()) ||
      !kernel.isDpsInit(&use))
    return false;
  auto isRead = [](OpOperand &reader) {
    if (auto row = dyn_cast<RowOp>(reader.getOwner()))
      return row.getIndices().size() == 1;
    auto other = dyn_cast<GemmOp>(reader.getOwner());
    return other && &reader == &other.getXMutable();
  };
  return llvm::all_of(kernel.getTiedOpResult(&use).getUses(), isRead);
}

namespace {

struct PadRowsPass : hetkernel::impl::HetKernelPadRowsPassBase<PadRowsPass> {
  using HetKernelPadRowsPassBase::HetKernelPadRowsPassBase;

  void runOnOperation() override {
    if (multiple < 1 || multiple > maxMultiple) {
      getOperation().emitError()
          << "expected rows padded to a multiple of 1 to " << maxMultiple
          << ", got " << multiple.getValue();
      return signalPassFailure();
    }
    int64_t numPadded = 0;
    getOperation().walk([&](tensor::EmptyOp empty) {
      RankedTensorType type = empty.getType();
      if (type.getRank() != 2 || type.isDynamicDim(1) ||
          type.getDimSize(1) % multiple == 0 || !isInternal(empty))
        return;
      pad(empty, llvm::alignTo(type.getDimSize(1), multiple));
      ++numPadded;
    });
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-padded", numPadded}});
  }

private:
  /// A page of 4-byte elements.
  static constexpr int64_t maxMultiple = 1024;

  static void pad(tensor::EmptyOp empty, int64_t columns) {
    OpBuilder builder(empty);
    Location loc = empty.getLoc();
    SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
    SmallVector<OpFoldResult> paddedSizes{sizes[0],
                                          builder.getIndexAttr(columns)};
    Value padded = tensor::EmptyOp::create(builder, loc, paddedSizes,
                                           empty.getType().getElementType());
    SmallVector<OpFoldResult> offsets(2, builder.getIndexAttr(0)),
        strides(2, builder.getIndexAttr(1));
    Value rows = tensor::ExtractSliceOp::create(builder, loc, padded, offsets,
                                                sizes, strides);
    empty.replaceAllUsesWith(rows);
    empty.erase();
  }
};

} // namespace
