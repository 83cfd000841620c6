//===- HetKernelCanonicalize.cpp - kernels without needless outputs -------===//

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Support/CloneSlice.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::hetkernel;

static YieldOp getYield(TraverseOp op) {
  return cast<YieldOp>(op.getBody().front().getTerminator());
}

namespace {
/// The same rows in another shape are not stored twice.
struct ReshapeStoredRows : OpRewritePattern<TraverseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TraverseOp op,
                                PatternRewriter &rewriter) const override {
    for (OpResult result : op.getResults()) {
      Value row = getYield(op).getOperand(result.getResultNumber());
      auto cast = row.getDefiningOp<vector::ShapeCastOp>();
      if (!cast || result.use_empty())
        continue;
      auto yielded = getYield(op).getOperands();
      auto other = llvm::find(yielded, cast.getSource());
      if (other == yielded.end())
        continue;
      rewriter.setInsertionPointAfter(op);
      Value reshaped = reshape(op, op->getResult(other - yielded.begin()),
                               result.getType(), rewriter);
      if (!reshaped)
        continue;
      rewriter.replaceAllUsesWith(result, reshaped);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no rows are stored twice");
  }

private:
  /// Null where neither shape of a row is flat.
  static Value reshape(TraverseOp op, Value rows, Type type,
                       PatternRewriter &rewriter) {
    auto from = llvm::cast<RankedTensorType>(rows.getType()),
         to = llvm::cast<RankedTensorType>(type);
    auto group = [](RankedTensorType of) {
      ReassociationIndices rest = llvm::to_vector(
          llvm::seq<int64_t>(1, std::max<int64_t>(of.getRank(), 2)));
      return SmallVector<ReassociationIndices>{{0}, rest};
    };
    if (from.getRank() == 2 && to.getRank() > 2) {
      // Rows of types may be of a known number.
      SmallVector<OpFoldResult> sizes{
          to.isDynamicDim(0)
              ? OpFoldResult(op.getRows())
              : OpFoldResult(rewriter.getIndexAttr(to.getDimSize(0)))};
      for (int64_t size : to.getShape().drop_front())
        sizes.push_back(rewriter.getIndexAttr(size));
      return tensor::ExpandShapeOp::create(rewriter, op.getLoc(), to, rows,
                                           group(to), sizes);
    }
    if (to.getRank() == 2 && from.getRank() > 2)
      return tensor::CollapseShapeOp::create(rewriter, op.getLoc(), to, rows,
                                             group(from));
    return {};
  }
};

/// What nobody reads is not stored.
struct DropUnusedResults : OpRewritePattern<TraverseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TraverseOp op,
                                PatternRewriter &rewriter) const override {
    BitVector unused(op.getNumResults());
    for (OpResult result : op.getResults())
      unused[result.getResultNumber()] = result.use_empty();
    if (unused.none() || unused.all()) // which is dead
      return rewriter.notifyMatchFailure(op, "all results are read");
    SmallVector<Value> outs, results;
    SmallVector<Type> types;
    for (auto [number, out] : llvm::enumerate(op.getOuts()))
      if (!unused[number]) {
        outs.push_back(out);
        types.push_back(op->getResult(number).getType());
      }
    rewriter.modifyOpInPlace(getYield(op),
                             [&] { getYield(op)->eraseOperands(unused); });
    auto kept =
        TraverseOp::create(rewriter, op.getLoc(), types, op.getRows(),
                           op.getSegments(), outs, op.getScheduleAttr());
    rewriter.inlineRegionBefore(op.getBody(), kept.getBody(),
                                kept.getBody().end());
    unsigned next = 0;
    for (unsigned number = 0; number < unused.size(); ++number)
      results.push_back(unused[number] ? Value() : kept->getResult(next++));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// What is the same for all inner rows of an outer one is not kept for each.
struct TakeInvariantElement : OpRewritePattern<ElementOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ElementOp op,
                                PatternRewriter &rewriter) const override {
    auto result = cast<OpResult>(op.getSegment());
    auto loop = cast<ForEachOp>(result.getOwner());
    Value value = loop.getBody().front().getTerminator()->getOperand(
        result.getResultNumber());
    IRMapping outside;
    if (!isInvariant(value, loop, outside))
      return rewriter.notifyMatchFailure(op, "inner rows differ");
    rewriter.setInsertionPointAfter(loop);
    rewriter.replaceOp(op, rgnn::cloneSlice(rewriter, value, outside));
    return success();
  }

private:
  /// Maps what comes from outside of the loop to itself.
  static bool isInvariant(Value value, ForEachOp loop, IRMapping &outside) {
    if (value.getParentRegion() != &loop.getBody()) {
      outside.map(value, value);
      return true;
    }
    Operation *op = value.getDefiningOp();
    return op && op->getNumRegions() == 0 && isPure(op) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return isInvariant(operand, loop, outside);
           });
  }
};

/// A part of a row of several dimensions is no run of memory: it is taken of
/// the row, which is.
struct TakePartOfRow : OpRewritePattern<RowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RowOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getSource().getDefiningOp<tensor::ExtractSliceOp>();
    auto row = dyn_cast<VectorType>(op.getType());
    if (!slice || !row || row.getRank() < 2)
      return rewriter.notifyMatchFailure(op, "it is no part of such a row");
    RankedTensorType whole = slice.getSourceType();
    ArrayRef<int64_t> offsets = slice.getStaticOffsets(),
                      sizes = slice.getStaticSizes();
    size_t lists = op.getIndices().size();
    if (whole.getRank() != slice.getType().getRank() ||
        !slice.hasUnitStride() || ShapedType::isDynamicShape(offsets) ||
        ShapedType::isDynamicShape(sizes) ||
        llvm::any_of(offsets.take_front(lists),
                     [](int64_t at) { return at; }) ||
        sizes.take_front(lists) != whole.getShape().take_front(lists))
      return rewriter.notifyMatchFailure(op, "other rows are left out");
    auto type = VectorType::get(whole.getShape().drop_front(lists),
                                row.getElementType());
    Value read = RowOp::create(rewriter, op.getLoc(), type, slice.getSource(),
                               op.getIndices());
    SmallVector<int64_t> strides(row.getRank(), 1);
    rewriter.replaceOpWithNewOp<vector::ExtractStridedSliceOp>(
        op, read, offsets.drop_front(lists), sizes.drop_front(lists), strides);
    return success();
  }
};
} // namespace

void TraverseOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<ReshapeStoredRows, DropUnusedResults, TakeInvariantElement,
               TakePartOfRow>(context);
}
