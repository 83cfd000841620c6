//===- Places.cpp - rows that are placed in a graph and back --------------===//

#include "Places.h"

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::rgnn;

/// The rows that `value` is, which were placed in another graph; null for
/// others.
static Value getUnplaced(Value value) {
  auto place = value.getDefiningOp<PlaceOp>();
  auto unplace = place ? place.getTensor().getDefiningOp<UnplaceOp>() : nullptr;
  return unplace ? unplace.getRows() : Value();
}

/// What computes `value` of single rows, for nothing else.
static Operation *getRowwise(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_present<MapOp, ReshapeOp>(op) && op->hasOneUse() ? op
                                                                  : nullptr;
}

/// Whether `op`, or what computes its operands of single rows, reads rows that
/// were `rows` before.
static bool readsRowsOf(Operation *op, RowsAttr rows) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Value before = getUnplaced(operand);
    if (before && getRows(before.getType()) == rows)
      return true;
    Operation *inner = getRowwise(operand);
    return inner && readsRowsOf(inner, rows);
  });
}

static Type withRows(Type type, RowsAttr rows) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                               rows);
}

namespace {
/// Messages whose features come of one list of edges, and whose weights come of
/// another one with as many, go back to the first: between the gather and the
/// sum there is no tensor of all edges then.
///
///     %p = place(unplace(%x in A)) in B          %v = place(unplace(%w in B))
///     in A %m = map(%p, %w) in B                 ->   %q = map(%x, %v) in A %q
///     = place(unplace(%m)) in A
struct ComputeWherePlaced : OpRewritePattern<PlaceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PlaceOp op,
                                PatternRewriter &rewriter) const override {
    auto unplace = op.getTensor().getDefiningOp<UnplaceOp>();
    Operation *rowwise = unplace && unplace->hasOneUse()
                             ? getRowwise(unplace.getRows())
                             : nullptr;
    RowsAttr rows = getRows(op.getType());
    if (!rowwise || !readsRowsOf(rowwise, rows))
      return rewriter.notifyMatchFailure(op,
                                         "its rows were never of the graph");
    RowsAttr others = getRows(unplace.getRows().getType());
    IRMapping mapping;
    for (Value operand : rowwise->getOperands()) {
      if (getRows(operand.getType()) != others)
        continue; // what all rows share
      Value before = getUnplaced(operand);
      if (!before || getRows(before.getType()) != rows) {
        Value plain = UnplaceOp::create(rewriter, op.getLoc(), operand);
        before = PlaceOp::create(rewriter, op.getLoc(),
                                 withRows(operand.getType(), rows), plain,
                                 op.getGraph());
      }
      mapping.map(operand, before);
    }
    Operation *moved = rewriter.clone(*rowwise, mapping);
    moved->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, moved);
    return success();
  }
};
} // namespace

void rgnn::populatePlacePatterns(RewritePatternSet &patterns) {
  patterns.add<ComputeWherePlaced>(patterns.getContext());
}
