//===- ApproximateMath.cpp - polynomials for functions of f32 -------------===//

#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNAPPROXIMATEMATHPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

static constexpr StringLiteral kApproximated[] = {
    "math.exp",   "math.log",   "math.tanh", "math.erf",
    "math.log1p", "math.expm1", "math.sin",  "math.cos",
    "math.log2",  "math.atan",  "math.erfc"};

namespace {

struct ApproximateMathPass
    : rgnn::impl::RGNNApproximateMathPassBase<ApproximateMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return llvm::is_contained(kApproximated, name);
    });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
  }
};

} // namespace
