//===- FuseLinalg.cpp - element-wise work on weights, at once -------------===//

#include "RGNN/Support/Remarks.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNFUSELINALGPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

/// Whether each element is computed once, as before: others would compute those
/// that they repeat, or read elsewhere, again.
static bool isComputedOnce(OpOperand *operand) {
  auto reader = dyn_cast<linalg::LinalgOp>(operand->getOwner());
  return reader && operand->get().hasOneUse() &&
         reader.getNumParallelLoops() == reader.getNumLoops() &&
         reader.getMatchingIndexingMap(operand).isPermutation();
}

namespace {
struct FuseLinalgPass : rgnn::impl::RGNNFuseLinalgPassBase<FuseLinalgPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseOpsFusionPatterns(patterns, isComputedOnce);
    int64_t before = count();
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-fused", before - count()}});
  }

private:
  int64_t count() {
    int64_t number = 0;
    getOperation().walk([&](linalg::LinalgOp) { ++number; });
    return number;
  }
};
} // namespace
