//===- ShareLinalg.cpp - element-wise work on weights, in parallel --------===//

#include "RGNN/Transforms/Counts.h"
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

/// The outermost loop that can be shared; none where the op is small, adds up,
/// or has a loop of unknown size.
static std::optional<unsigned> findSharedLoop(linalg::LinalgOp op,
                                              int64_t serialBelow) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  bool writesOnce = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &out) {
    return op.getMatchingIndexingMap(&out).isPermutation();
  });
  if (!op.hasPureBufferSemantics() || !writesOnce ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      ShapedType::isDynamicShape(sizes) ||
      ShapedType::getNumElements(sizes) < serialBelow)
    return std::nullopt;
  auto shared = llvm::find_if(sizes, [](int64_t size) { return size > 1; });
  return shared == sizes.end()
             ? std::nullopt
             : std::optional<unsigned>(shared - sizes.begin());
}

namespace {

struct ShareLinalgPass : rgnn::impl::RGNNShareLinalgPassBase<ShareLinalgPass> {
  using RGNNShareLinalgPassBase::RGNNShareLinalgPassBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    for (auto op : getOperation().getOps<linalg::LinalgOp>())
      ops.push_back(op);
    IRRewriter rewriter(&getContext());
    int64_t numShared = 0;
    for (linalg::LinalgOp op : ops) {
      std::optional<unsigned> loop = findSharedLoop(op, serialBelow);
      if (!loop)
        continue;
      if (failed(share(rewriter, op, *loop)))
        return signalPassFailure();
      ++numShared;
    }
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-shared", numShared}});
  }

private:
  LogicalResult share(RewriterBase &rewriter, linalg::LinalgOp op,
                      unsigned loop) {
    SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0));
    sizes[loop] = rewriter.getIndexAttr(
        llvm::divideCeil(op.getStaticLoopRanges()[loop], kTasks));
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
