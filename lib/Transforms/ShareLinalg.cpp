//===- ShareLinalg.cpp - element-wise work on weights, in parallel --------===//

#include "RGNN/Support/Remarks.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNSHARELINALGPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

/// Enough for a few threads to end at about the same time.
static constexpr int64_t kTasks = 16;

/// Why threads cannot share the work of `op`.
static rgnn::Refusal whyNotShared(linalg::LinalgOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops())
    return "it adds up";
  if (!llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &out) {
        return op.getMatchingIndexingMap(&out).isPermutation();
      }))
    return "it writes elements more than once";
  return {};
}

static bool isLarge(linalg::LinalgOp op, int64_t serialBelow) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  return op.hasPureBufferSemantics() && !ShapedType::isDynamicShape(sizes) &&
         ShapedType::getNumElements(sizes) >= std::max<int64_t>(serialBelow, 2);
}

namespace {

struct ShareLinalgPass : rgnn::impl::RGNNShareLinalgPassBase<ShareLinalgPass> {
  using RGNNShareLinalgPassBase::RGNNShareLinalgPassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    for (auto op : getOperation().getOps<linalg::LinalgOp>())
      ops.push_back(op);
    IRRewriter rewriter(&getContext());
    rgnn::PassRemarks remarks(getOperation(), getArgument(), "Threads");
    int64_t numShared = 0;
    for (linalg::LinalgOp op : ops) {
      if (!isLarge(op, serialBelow))
        continue;
      if (rgnn::Refusal refusal = whyNotShared(op)) {
        remarks.missed(op.getLoc(),
                       "one thread computes " + op->getName().getStringRef(),
                       refusal);
        continue;
      }
      if (failed(share(rewriter, op)))
        return signalPassFailure();
      ++numShared;
    }
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-shared", numShared}});
  }

private:
  LogicalResult share(RewriterBase &rewriter, linalg::LinalgOp op) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    auto outermost =
        llvm::find_if(ranges, [](int64_t size) { return size > 1; });
    SmallVector<OpFoldResult> sizes(ranges.size(), rewriter.getIndexAttr(0));
    sizes[outermost - ranges.begin()] =
        rewriter.getIndexAttr(llvm::divideCeil(*outermost, kTasks));
    scf::SCFTilingOptions options;
    options.setTileSizes(sizes).setLoopType(
        scf::SCFTilingOptions::LoopType::ForallOp);
    rewriter.setInsertionPoint(op);
    if (failed(
            scf::tileUsingSCF(rewriter, cast<TilingInterface>(*op), options)))
      return op->emitOpError("cannot be shared by threads");
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace
