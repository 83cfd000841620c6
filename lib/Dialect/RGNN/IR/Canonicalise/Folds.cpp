//===- Folds.cpp - folders and canonicalisations
//---------------------------===//

#include "Joins.h"
#include "TypedProducts.h"

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

namespace {
/// Rows are reshaped once, where they become rows of another graph in between.
struct ReshapeBeforePlace : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto place = op.getX().getDefiningOp<PlaceOp>();
    auto unplace =
        place ? place.getTensor().getDefiningOp<UnplaceOp>() : nullptr;
    auto inner =
        unplace ? unplace.getRows().getDefiningOp<ReshapeOp>() : nullptr;
    if (!inner)
      return rewriter.notifyMatchFailure(op,
                                         "its rows are not reshaped before");
    Type type = op.getResult().getType(), before = inner.getX().getType();
    Value rows = rewriter.createOrFold<ReshapeOp>(
        op.getLoc(),
        getRowsType(getRows(before), getRowShape(type),
                    getElementTypeOrSelf(type)),
        inner.getX());
    Value plain = UnplaceOp::create(rewriter, unplace.getLoc(), rows);
    rewriter.replaceOpWithNewOp<PlaceOp>(op, type, plain, place.getGraph());
    return success();
  }
};
} // namespace

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ReshapeBeforePlace>(context);
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
    std::optional<size_t> onlyWithRows = findOnlyWithRows(op);
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      BlockArgument argument = body.getArgument(index);
      if (argument.use_empty() && index != onlyWithRows) {
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
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "every operand is used once");
    rewriter.modifyOpInPlace(op, [&] {
      body.eraseArguments(dropped);
      op.getInputsMutable().assign(kept);
    });
    return success();
  }

private:
  /// An operand that says how many rows the result has, if the region reads
  /// none that does so.
  static std::optional<size_t> findOnlyWithRows(MapOp op) {
    auto type = cast<RankedTensorType>(op.getResult().getType());
    if (type.hasStaticShape())
      return std::nullopt;
    std::optional<size_t> found;
    for (auto [input, argument] :
         llvm::zip(op.getInputs(), op.getBody().front().getArguments())) {
      auto inputType = cast<RankedTensorType>(input.getType());
      // Without rows, a static operand is broadcast.
      if (getRows(inputType) != getRows(type) ||
          (!getRows(type) && inputType.hasStaticShape()))
        continue;
      if (!argument.use_empty())
        return std::nullopt;
      if (!found)
        found = argument.getArgNumber();
    }
    return found;
  }
};
} // namespace

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DropUnusedAndRepeatedInputs>(context);
  populateJoinPatterns(patterns);
}

namespace {
/// Rows of one number are scaled, not multiplied by a matrix: a map shares a
/// traversal with what reads it.
struct ScaleRowsOfOne : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getX().getType());
    if (!getRows(type) || type.getShape().back() != 1)
      return rewriter.notifyMatchFailure(op, "rows of more than one number");
    auto result = cast<RankedTensorType>(op.getResult().getType());
    Value factors =
        ReshapeOp::create(rewriter, op.getLoc(),
                          RankedTensorType::get(result.getShape().back(),
                                                result.getElementType()),
                          op.getWeight());
    rewriter.replaceOpWithNewOp<MapOp>(
        op, result, ValueRange{op.getX(), factors},
        [](OpBuilder &inner, Location loc, ValueRange x) -> Value {
          return arith::MulFOp::create(inner, loc, x[0], x[1]);
        });
    return success();
  }
};
} // namespace

void LinearOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<ScaleRowsOfOne>(context);
}

namespace {
/// Of a table with a row for each type, whose rows are gathered, a part is
/// taken first: kernels look up rows of tables whole.
struct SliceTable : OpRewritePattern<SliceOp> {
  using OpRewritePattern::OpRewritePattern;

  static bool isTable(Value rows) {
    Domain domain = getRows(rows.getType()).getDomain();
    return domain == Domain::EType || domain == Domain::NType;
  }

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = [&](Value x) {
      return SliceOp::create(rewriter, op.getLoc(), x, op.getDim(),
                             op.getBegin(), op.getSize());
    };
    RowsAttr rows = getRows(op.getResult().getType());
    auto gather = op.getX().getDefiningOp<GatherOp>();
    if (gather && isTable(gather.getRows())) {
      rewriter.replaceOpWithNewOp<GatherOp>(op, slice(gather.getRows()),
                                            gather.getGraph(), gather.getPath(),
                                            rows.getDomain());
      return success();
    }
    auto place = op.getX().getDefiningOp<PlaceOp>();
    if (place && isTable(op.getX())) {
      rewriter.replaceOpWithNewOp<PlaceOp>(op, op.getResult().getType(),
                                           slice(place.getTensor()),
                                           place.getGraph());
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no part of a table");
  }
};
} // namespace

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<SliceTable>(context);
}

namespace {
/// Elements stay where they are if dimensions of size 1 alone change places.
struct ReshapeOfOnes : OpRewritePattern<PermuteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getX().getType());
    SmallVector<int64_t> moved = llvm::filter_to_vector(
        op.getOrder(), [&](int64_t dim) { return type.getDimSize(dim) != 1; });
    if (!llvm::is_sorted(moved))
      return rewriter.notifyMatchFailure(op, "elements change places");
    if (ShapedType::isDynamicShape(getRowShape(type)))
      return rewriter.notifyMatchFailure(op, "sizes are not known");
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getResult().getType(),
                                           op.getX());
    return success();
  }
};

/// The transpose of a sum of outer products is that of the products the other
/// way round. Where its rows are shorter, the copy is cheaper: kernels compute
/// vectors of a row.
template <typename Sum>
struct SumTransposed : OpRewritePattern<PermuteOp> {
  using OpRewritePattern<PermuteOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(PermuteOp op,
                                PatternRewriter &rewriter) const override {
    auto sum = op.getX().getDefiningOp<Sum>();
    if (!sum || !sum->hasOneUse())
      return rewriter.notifyMatchFailure(op, "no sum for it alone");
    auto type = cast<RankedTensorType>(op.getResult().getType());
    int64_t last = type.getRank() - 1;
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, last + 1));
    std::swap(order[last], order[last - 1]);
    if (op.getOrder() != ArrayRef<int64_t>(order) ||
        type.getDimSize(last) < type.getDimSize(last - 1))
      return rewriter.notifyMatchFailure(op, "no transpose to longer rows");
    Operation *turned = rewriter.clone(*sum);
    turned->setOperand(0, sum.getY());
    turned->setOperand(1, sum.getX());
    turned->getResult(0).setType(type);
    rewriter.replaceOp(op, turned);
    return success();
  }
};
} // namespace

void PermuteOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ReshapeOfOnes, SumTransposed<OuterSumOp>,
               SumTransposed<TypedOuterSumOp>>(context);
}

namespace {
/// The sum of joined rows, each of which has one number of the dimension, is
/// the sum of these rows.
struct AddUpJoined : OpRewritePattern<ReduceFeaturesOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceFeaturesOp op,
                                PatternRewriter &rewriter) const override {
    auto joined = op.getX().getDefiningOp<ConcatOp>();
    auto type = cast<RankedTensorType>(op.getResult().getType());
    bool isMean = op.getKind() == Reduction::Mean;
    // Sums of 16 bits are rounded once.
    if (!joined || !op.getX().hasOneUse() || joined.getDim() != op.getDim() ||
        (op.getKind() != Reduction::Sum && !isMean) ||
        type.getElementTypeBitWidth() < 32)
      return rewriter.notifyMatchFailure(op, "no sum of joined rows");
    SmallVector<Value> parts;
    for (Value part : joined.getInputs()) {
      if (cast<RankedTensorType>(part.getType()).getDimSize(op.getDim()) != 1)
        return rewriter.notifyMatchFailure(op, "a part has several numbers");
      parts.push_back(ReshapeOp::create(rewriter, op.getLoc(), type, part));
    }
    double count = parts.size();
    Value sum = MapOp::create(
        rewriter, op.getLoc(), type, parts,
        [&](OpBuilder &builder, Location loc, ValueRange x) -> Value {
          Value total = x[0];
          for (Value next : x.drop_front())
            total = arith::AddFOp::create(builder, loc, total, next);
          return total;
        });
    if (!isMean) {
      rewriter.replaceOp(op, sum);
      return success();
    }
    // A map of its own: rewrites look for sums.
    rewriter.replaceOpWithNewOp<MapOp>(
        op, type, sum,
        [&](OpBuilder &builder, Location loc, ValueRange x) -> Value {
          Value number = arith::ConstantOp::create(
              builder, loc, builder.getFloatAttr(type.getElementType(), count));
          return arith::DivFOp::create(builder, loc, x[0], number);
        });
    return success();
  }
};
} // namespace

void ReduceFeaturesOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *context) {
  patterns.add<AddUpJoined>(context);
  populateTypedProductPatterns(patterns);
}
