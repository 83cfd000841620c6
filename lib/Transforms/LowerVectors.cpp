//===- LowerVectors.cpp - vectors of any shape ----------------------------===//

#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNLOWERVECTORSPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

/// Ops on whole tiles, to ops on vectors of any rank.
static void populateTilePatterns(RewritePatternSet &patterns) {
  vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
  vector::populateVectorContractLoweringPatterns(
      patterns, vector::VectorContractLowering::OuterProduct);
  vector::populateVectorOuterProductLoweringPatterns(patterns);
  // Inner-reduction keeps the order of the elements: the rows of a tile are
  // reduced one by one, without a transpose.
  vector::populateVectorMultiReductionLoweringPatterns(
      patterns, vector::VectorMultiReductionLowering::InnerReduction);
  vector::populateVectorScanLoweringPatterns(patterns);
  vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
}

/// Ops of any rank, to one dimension.
static void populateRankPatterns(RewritePatternSet &patterns) {
  vector::populateVectorTransferLoweringPatterns(patterns,
                                                 /*maxTransferRank=*/1);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorTransposeLoweringPatterns(
      patterns, vector::VectorTransposeLowering::Shuffle1D);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorMaskOpLoweringPatterns(patterns);
  vector::populateVectorGatherLoweringPatterns(patterns);
  vector::populateVectorInterleaveLoweringPatterns(patterns);
  vector::populateVectorInterleaveToShufflePatterns(patterns);
  vector::populateVectorBitCastLoweringPatterns(patterns);
  vector::populateVectorStepLoweringPatterns(patterns);
  vector::populateVectorRankReducingFMAPattern(patterns);
  vector::populateVectorToElementsUnrollPatterns(patterns);
  vector::populateVectorFromElementsUnrollPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
}

namespace {

struct LowerVectorsPass
    : rgnn::impl::RGNNLowerVectorsPassBase<LowerVectorsPass> {
  void runOnOperation() override {
    for (auto populate : {populateTilePatterns, populateRankPatterns}) {
      RewritePatternSet patterns(&getContext());
      populate(patterns);
      if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
        getOperation()->emitError(
            "expected the lowering of vectors to end, got no fixed point");
        return signalPassFailure();
      }
    }
  }
};

} // namespace
