//===- Joins.cpp - sums of rows that do not overlap -----------------------===//

#include "Joins.h"

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Whether all elements are zero.
static bool isZeros(Value rows) {
  auto map = rows.getDefiningOp<MapOp>();
  return map &&
         matchPattern(map.getBody().front().getTerminator()->getOperand(0),
                      m_AnyZeroFloat());
}

/// What makes both operands of a sum, if both are of `Op` and of its type.
template <typename Op>
static std::optional<std::pair<Op, Op>> getSummands(MapOp map) {
  Block &body = map.getBody().front();
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (map.getInputs().size() != 2 || !sum || &body.front() != sum ||
      !llvm::equal(sum.getOperands(), body.getArguments()))
    return std::nullopt;
  auto one = map.getInputs()[0].getDefiningOp<Op>();
  auto other = map.getInputs()[1].getDefiningOp<Op>();
  Type type = map.getResult().getType();
  if (!one || !other || one.getResult().getType() != type ||
      other.getResult().getType() != type)
    return std::nullopt;
  return std::pair(one, other);
}

namespace {
/// Rows of some node types added to rows of others.
struct JoinTypes : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp op,
                                PatternRewriter &rewriter) const override {
    auto summands = getSummands<ConcatTypesOp>(op);
    if (!summands)
      return rewriter.notifyMatchFailure(op, "no sum of rows of all types");
    SmallVector<Value> parts;
    for (auto [a, b] :
         llvm::zip(summands->first.getParts(), summands->second.getParts())) {
      if (!isZeros(a) && !isZeros(b))
        return rewriter.notifyMatchFailure(op, "both have rows of one type");
      parts.push_back(isZeros(a) ? b : a);
    }
    rewriter.replaceOpWithNewOp<ConcatTypesOp>(
        op, op.getResult().getType(), parts, summands->first.getGraph());
    return success();
  }
};

/// Some columns added to others.
struct JoinColumns : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp op,
                                PatternRewriter &rewriter) const override {
    auto summands = getSummands<ConcatOp>(op);
    if (!summands || summands->first.getDim() != summands->second.getDim())
      return rewriter.notifyMatchFailure(op, "no sum of joined columns");
    int64_t dim = summands->first.getDim();
    std::optional<SmallVector<Piece>> pieces =
        overlay(getPieces(summands->first), getPieces(summands->second));
    if (!pieces)
      return rewriter.notifyMatchFailure(op, "both have some of the columns");
    SmallVector<Value> parts;
    for (Piece piece : *pieces)
      parts.push_back(piece.areZeros
                          ? narrow(rewriter, piece.part, dim, piece.width)
                          : piece.part);
    rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getResult().getType(), parts,
                                          dim);
    return success();
  }

private:
  /// Columns of `part`; of zeros, any number of them.
  struct Piece {
    Value part;
    int64_t width;
    bool areZeros;
  };

  static SmallVector<Piece> getPieces(ConcatOp concat) {
    return llvm::map_to_vector(concat.getInputs(), [&](Value part) {
      auto type = cast<RankedTensorType>(part.getType());
      return Piece{part, type.getDimSize(concat.getDim()), isZeros(part)};
    });
  }

  /// `width` columns of `zeros`.
  static Value narrow(OpBuilder &builder, Value zeros, int64_t dim,
                      int64_t width) {
    auto type = cast<RankedTensorType>(zeros.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (shape[dim] == width)
      return zeros;
    shape[dim] = width;
    // One column says how many rows there are.
    Location loc = zeros.getLoc();
    Value column = SliceOp::create(builder, loc, zeros, dim, 0, 1);
    return createZeros(builder, loc, column,
                       RankedTensorType::get(shape, type.getElementType(),
                                             type.getEncoding()));
  }

  /// The sum, if one of both is zero in each column. Each list covers all.
  static std::optional<SmallVector<Piece>> overlay(SmallVector<Piece> one,
                                                   SmallVector<Piece> other) {
    SmallVector<Piece> result;
    Piece *a = one.begin(), *b = other.begin();
    int64_t columns = 0;
    for (const Piece &piece : one)
      columns += piece.width;
    while (columns > 0) {
      if (a->areZeros)
        std::swap(a, b);
      if (!b->areZeros)
        return std::nullopt;
      // What is no zeros stays whole.
      int64_t width = a->areZeros ? std::min(a->width, b->width) : a->width;
      for (int64_t left = width; left > 0;) {
        if (!b->areZeros)
          return std::nullopt;
        int64_t covered = std::min(left, b->width);
        left -= covered;
        b->width -= covered;
        if (b->width == 0)
          ++b;
      }
      columns -= width;
      result.push_back({a->part, width, a->areZeros});
      a->width -= width;
      if (a->width == 0)
        ++a;
    }
    return result;
  }
};
} // namespace

void rgnn::populateJoinPatterns(RewritePatternSet &patterns) {
  patterns.add<JoinTypes, JoinColumns>(patterns.getContext());
}
