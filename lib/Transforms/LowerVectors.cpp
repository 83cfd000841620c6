//===- LowerVectors.cpp - vectors of any shape ----------------------------===//

#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNLOWERVECTORSPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

/// The position in the memref of row `row` of a vector that starts at `start`.
static SmallVector<Value> rowPosition(OpBuilder &builder, Location loc,
                                      ValueRange start, ArrayRef<int64_t> row) {
  SmallVector<Value> position(start);
  // The vector's dimensions are the last ones of the memref.
  const size_t first = start.size() - row.size() - 1;
  for (auto [dim, offset] : llvm::enumerate(row)) {
    Value step = arith::ConstantIndexOp::create(builder, loc, offset);
    position[first + dim] =
        arith::AddIOp::create(builder, loc, position[first + dim], step);
  }
  return position;
}

/// Sizes of all dimensions but the last, if there are any.
static FailureOr<SmallVector<int64_t>> rowShape(VectorType type) {
  if (type.getRank() < 2 || type.isScalable())
    return failure();
  return SmallVector<int64_t>(type.getShape().drop_back());
}

/// Loads row by row; upstream lowers loads of one dimension only.
static LogicalResult unrollLoad(vector::LoadOp op, PatternRewriter &rewriter) {
  VectorType type = op.getVectorType();
  FailureOr<SmallVector<int64_t>> shape = rowShape(type);
  if (failed(shape))
    return rewriter.notifyMatchFailure(op, "one dimension, or scalable");
  auto rowType = VectorType::get(type.getShape().back(), type.getElementType());
  Value result = ub::PoisonOp::create(rewriter, op.getLoc(), type);
  for (SmallVector<int64_t> row :
       StaticTileOffsetRange(*shape, SmallVector<int64_t>(shape->size(), 1))) {
    Value loaded = vector::LoadOp::create(
        rewriter, op.getLoc(), rowType, op.getBase(),
        rowPosition(rewriter, op.getLoc(), op.getIndices(), row));
    result =
        vector::InsertOp::create(rewriter, op.getLoc(), loaded, result, row);
  }
  rewriter.replaceOp(op, result);
  return success();
}

/// Stores row by row.
static LogicalResult unrollStore(vector::StoreOp op,
                                 PatternRewriter &rewriter) {
  FailureOr<SmallVector<int64_t>> shape = rowShape(op.getVectorType());
  if (failed(shape))
    return rewriter.notifyMatchFailure(op, "one dimension, or scalable");
  for (SmallVector<int64_t> row :
       StaticTileOffsetRange(*shape, SmallVector<int64_t>(shape->size(), 1))) {
    Value value = vector::ExtractOp::create(rewriter, op.getLoc(),
                                            op.getValueToStore(), row);
    vector::StoreOp::create(
        rewriter, op.getLoc(), value, op.getBase(),
        rowPosition(rewriter, op.getLoc(), op.getIndices(), row));
  }
  rewriter.eraseOp(op);
  return success();
}

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
  vector::populateVectorMaskMaterializationPatterns(
      patterns, /*force32BitVectorIndices=*/false);
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
  patterns.add(unrollLoad);
  patterns.add(unrollStore);
}

/// Lets the numbers of a row be added up in a tree: one after another they
/// would wait for each other, and lose more bits.
static void addUpInTrees(vector::ReductionOp op) {
  op.setFastmath(op.getFastmath() | arith::FastMathFlags::reassoc);
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
    getOperation()->walk(addUpInTrees);
  }
};

} // namespace
