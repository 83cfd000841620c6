//===- Canonicalize.cpp - upstream's patterns without a wrong one ---------===//

#include "RGNN/Transforms/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNCANONICALIZEPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

/// Wrong in LLVM 22.1, test/Transforms/canonicalize.mlir shows how.
static const char *const kWrongPatterns[] = {
    "(anonymous namespace)::ShapeCastBroadcastFolder"};

namespace {

struct CanonicalizePass
    : rgnn::impl::RGNNCanonicalizePassBase<CanonicalizePass> {
  using RGNNCanonicalizePassBase::RGNNCanonicalizePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(all, context);
    const SmallVector<std::string> wrong(std::begin(kWrongPatterns),
                                         std::end(kWrongPatterns));
    patterns = FrozenRewritePatternSet(std::move(all), wrong);
    return success();
  }

  void runOnOperation() override {
    // As upstream's pass, which does not mind either if this takes too long.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true).setRegionSimplificationLevel(
        GreedySimplifyRegionLevel::Normal);
    (void)applyPatternsGreedily(getOperation(), patterns, config);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
