//===- ScaleRows.cpp - products with rows of one number -------------------===//

#include "RGNN/Dialect/RGNN/Utils/ComposeProducts.h"

#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNSCALEROWSPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {

/// The rows of `x`, of one number, times the weight of their type.
struct ScaleByWeight : OpRewritePattern<TypedLinearOp> {
  ScaleByWeight(MLIRContext *context, const PassRemarks &remarks,
                int64_t &numScaled)
      : OpRewritePattern(context), remarks(remarks), numScaled(numScaled) {}

  LogicalResult matchAndRewrite(TypedLinearOp op,
                                PatternRewriter &rewriter) const override {
    if (getRowShape(op.getX().getType()).back() != 1)
      return rewriter.notifyMatchFailure(op, "rows have more than one number");
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.front() =
        cast<RankedTensorType>(op.getWeight().getType()).getDimSize(0);
    Value weight = ReshapeOp::create(
        rewriter, loc, RankedTensorType::get(shape, type.getElementType()),
        op.getWeight());
    weight = gatherByType(rewriter, loc, weight, getRows(op.getX().getType()),
                          op.getGraph(), op.getPath());
    rewriter.replaceOp(op, multiply(rewriter, loc, type, op.getX(), weight));
    remarks.passed(loc, "rows of one number are scaled by the weight of their "
                        "type");
    ++numScaled;
    return success();
  }

private:
  const PassRemarks &remarks;
  int64_t &numScaled;
};

struct ScaleRows : rgnn::impl::RGNNScaleRowsPassBase<ScaleRows> {
  void runOnOperation() override {
    PassRemarks remarks(getOperation(), getArgument(), "Products");
    int64_t numScaled = 0;
    RewritePatternSet patterns(&getContext());
    patterns.add<ScaleByWeight>(&getContext(), remarks, numScaled);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    reportCounts(getOperation(), getArgument(), {{"num-scaled", numScaled}});
  }
};

} // namespace
