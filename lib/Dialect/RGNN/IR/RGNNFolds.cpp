//===- RGNNFolds.cpp - folders and canonicalisations ----------------------===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::rgnn;

OpFoldResult UnplaceOp::fold(FoldAdaptor) {
  if (auto place = getRows().getDefiningOp<PlaceOp>())
    return place.getTensor();
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getX().getType() == getResult().getType())
    return getX();
  if (auto inner = getX().getDefiningOp<ReshapeOp>()) {
    getXMutable().assign(inner.getX());
    return getResult();
  }
  return {};
}

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (llvm::equal(getOrder(), llvm::seq<int64_t>(0, getOrder().size())))
    return getX();
  return {};
}

/// A map that gives what it is given is no work.
OpFoldResult MapOp::fold(FoldAdaptor) {
  Value yielded = getBody().front().getTerminator()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(yielded);
  if (!argument)
    return {};
  Value input = getInputs()[argument.getArgNumber()];
  return input.getType() == getResult().getType() ? input : Value();
}

namespace {
/// A map reads each of its operands through one argument, and none that its
/// region ignores, unless it is the last one that says how many rows there are.
struct DropUnusedAndRepeatedInputs : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    SmallVector<Value> kept;
    BitVector dropped(op.getInputs().size());
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      BlockArgument argument = body.getArgument(index);
      if (argument.use_empty()) {
        dropped.set(index);
        continue;
      }
      auto *earlier = llvm::find(kept, input);
      if (earlier == kept.end()) {
        kept.push_back(input);
        continue;
      }
      // The earlier argument is the one of the same input that was not dropped.
      for (size_t other = 0; other < index; ++other)
        if (!dropped[other] && op.getInputs()[other] == input)
          rewriter.replaceAllUsesWith(argument, body.getArgument(other));
      dropped.set(index);
    }
    bool isStatic =
        cast<RankedTensorType>(op.getResult().getType()).hasStaticShape();
    if (kept.empty() && !isStatic && dropped.any()) {
      dropped.reset(0);
      kept.push_back(op.getInputs().front());
    }
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "every operand is used once");
    rewriter.modifyOpInPlace(op, [&] {
      body.eraseArguments(dropped);
      op.getInputsMutable().assign(kept);
    });
    return success();
  }
};
} // namespace

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DropUnusedAndRepeatedInputs>(context);
}
