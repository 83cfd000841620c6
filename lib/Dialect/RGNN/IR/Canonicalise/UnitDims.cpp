//===- UnitDims.cpp - rows without dimensions of size one -----------------===//

#include "Places.h"

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::rgnn;

using Shape = SmallVector<int64_t>;

/// The dimensions of a row that say nothing, among those but the last `kept`;
/// a row of nothing else keeps the last one.
static llvm::SmallBitVector findUnitDims(Type type, unsigned kept) {
  ArrayRef<int64_t> shape = getRowShape(type);
  llvm::SmallBitVector dims(shape.size());
  if (!getRows(type))
    return dims;
  for (size_t dim = 0; dim + kept < shape.size(); ++dim)
    if (shape[dim] == 1)
      dims.set(dim);
  if (!dims.empty() && dims.all())
    dims.reset(dims.size() - 1);
  return dims;
}

/// `shape` without `dims`, of which its first dimension is number `first`.
static Shape drop(ArrayRef<int64_t> shape, const llvm::SmallBitVector &dims,
                  int64_t first = 0) {
  Shape narrow;
  for (auto [at, size] : llvm::enumerate(shape)) {
    int64_t dim = first + at;
    if (dim < 0 || dim >= int64_t(dims.size()) || !dims.test(dim))
      narrow.push_back(size);
  }
  return narrow;
}

/// A tensor with the same elements.
static Value reshape(OpBuilder &builder, Location loc, Value value,
                     ArrayRef<int64_t> shape) {
  Type type =
      getRowsType(getRows(value.getType()), shape, getElementTypeOrSelf(value));
  return value.getType() == type
             ? value
             : ReshapeOp::create(builder, loc, type, value).getResult();
}

/// Replaces `op` by itself on narrower operands, of which `narrow` gives the
/// shapes.
static LogicalResult replace(
    PatternRewriter &rewriter, Operation *op, ArrayRef<int64_t> result,
    function_ref<Shape(OpOperand &)> narrow,
    function_ref<void(Operation *)> change = [](Operation *) {}) {
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      mapping.map(operand.get(), reshape(rewriter, op->getLoc(), operand.get(),
                                         narrow(operand)));
  Value wide = op->getResult(0);
  Value made = cloneOnto(
      rewriter, op, mapping,
      getRowsType(getRows(wide.getType()), result, getElementTypeOrSelf(wide)));
  change(made.getDefiningOp());
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, wide.getType(), made);
  return success();
}

namespace {
/// An op whose result has the row shape that its first operand has, but for the
/// last `Kept` dimensions.
template <typename Op, unsigned Kept>
struct OfAlikeRows : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getOperand(0).getType();
    llvm::SmallBitVector dims = findUnitDims(type, Kept);
    if (dims.none())
      return rewriter.notifyMatchFailure(op, "no dimension of size one");
    // Weights by type have the dimensions of rows behind that of types.
    return replace(
        rewriter, op, drop(getRowShape(op.getResult().getType()), dims),
        [&](OpOperand &operand) -> Shape {
          ArrayRef<int64_t> shape = getRowShape(operand.get().getType());
          if (getRows(operand.get().getType()))
            return drop(shape, dims);
          return isa<TypedLinearOp>(*op) ? drop(shape, dims, -1) : Shape(shape);
        });
  }
};

struct OfMap : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getResult().getType();
    llvm::SmallBitVector dims = findUnitDims(type, 0);
    if (dims.none())
      return rewriter.notifyMatchFailure(op, "no dimension of size one");
    return replace(
        rewriter, op, drop(getRowShape(type), dims), [&](OpOperand &operand) {
          ArrayRef<int64_t> shape = getRowShape(operand.get().getType());
          // What is shorter is broadcast along the first ones.
          return drop(shape, dims, dims.size() - shape.size());
        });
  }
};

struct OfReducedFeatures : OpRewritePattern<ReduceFeaturesOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceFeaturesOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> shape = getRowShape(op.getX().getType());
    llvm::SmallBitVector dims = findUnitDims(op.getX().getType(), 0);
    size_t reduced = op.getDim() - 1;
    if (getRows(op.getX().getType()))
      dims.reset(reduced);
    if (dims.none())
      return rewriter.notifyMatchFailure(op, "no dimension of size one");
    size_t before = 0;
    for (size_t dim = 0; dim < reduced; ++dim)
      before += dims.test(dim);
    Shape narrow = drop(shape, dims), result = narrow;
    result.erase(result.begin() + (reduced - before));
    return replace(
        rewriter, op, result, [&](OpOperand &) { return narrow; },
        [&](Operation *made) {
          cast<ReduceFeaturesOp>(made).setDim(op.getDim() - before);
        });
  }
};
} // namespace

void RGNNDialect::getCanonicalizationPatterns(
    RewritePatternSet &patterns) const {
  patterns.add<OfMap, OfReducedFeatures, OfAlikeRows<GatherOp, 0>,
               OfAlikeRows<ReduceOp, 0>, OfAlikeRows<GroupSoftmaxOp, 0>,
               OfAlikeRows<LinearOp, 1>, OfAlikeRows<TypedLinearOp, 1>,
               OfAlikeRows<DotOp, 1>, OfAlikeRows<SoftmaxOp, 1>>(getContext());
  populatePlacePatterns(patterns);
}
