//===- GroupRankOps.cpp - edges compared with those of their group --------===//

#include "GraphRows.h"
#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Rows are those of the edges that `path` starts at.
static LogicalResult verifyRows(Operation *op, Type rows, Value graph,
                                Path path) {
  // C2
  if (failed(verifySchema(op, rows, graph)))
    return failure();
  // C1
  if (getRows(rows).getDomain() != Domain::Edge)
    return op->emitOpError() << "expected rows on edge, got rows on "
                             << stringifyDomain(getRows(rows).getDomain());
  if (!follow(Domain::Edge, path) || path == Path::Whole)
    return op->emitOpError()
           << "expected a path from edge, got " << stringifyPath(path);
  return success();
}

/// Steps of sorting, of sums and of looking a number up, of a few edges.
static constexpr int64_t kRankOperations = 16;

Value rgnn::negate(OpBuilder &builder, Location loc, Value rows) {
  return MapOp::create(builder, loc, rows.getType(), rows,
                       [](OpBuilder &inner, Location loc, ValueRange x) {
                         return arith::NegFOp::create(inner, loc, x[0]);
                       });
}

/// For each edge `f`, the sum of the rows of edges `e` with `x[e] > y[f]`.
static Value sumAbove(OpBuilder &builder, Location loc, Value rows, Value x,
                      Value y, Value graph, Path path) {
  return GroupSumBelowOp::create(builder, loc, rows, negate(builder, loc, x),
                                 negate(builder, loc, y), graph, path);
}

//===----------------------------------------------------------------------===//
// GroupExcess
//===----------------------------------------------------------------------===//

LogicalResult GroupExcessOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location>,
                                              GroupExcessOpAdaptor op,
                                              SmallVectorImpl<Type> &types) {
  types.push_back(op.getX().getType());
  return success();
}

LogicalResult GroupExcessOp::verify() {
  return verifyRows(*this, getX().getType(), getGraph(), getPath());
}

int64_t GroupExcessOp::countOperations(SizeFn size) {
  return kRankOperations * size(getResult());
}

FailureOr<SmallVector<Value>>
GroupExcessOp::buildGradients(OpBuilder &builder, Value gradient,
                              ArrayRef<bool> needed) {
  Location loc = getLoc();
  RankedTensorType type = getX().getType();
  SmallVector<Value> result(3);
  if (needed[0]) {
    Value ones = createOnes(builder, loc, getGraph(), type);
    Value count = GroupSumBelowOp::create(builder, loc, ones, getY(), getX(),
                                          getGraph(), getPath());
    result[0] = multiply(builder, loc, type, gradient, count);
  }
  if (needed[1])
    result[1] = negate(builder, loc,
                       sumAbove(builder, loc, gradient, getX(), getY(),
                                getGraph(), getPath()));
  return result;
}

//===----------------------------------------------------------------------===//
// GroupSumBelow
//===----------------------------------------------------------------------===//

LogicalResult GroupSumBelowOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location>,
                                                GroupSumBelowOpAdaptor op,
                                                SmallVectorImpl<Type> &types) {
  types.push_back(op.getRows().getType());
  return success();
}

LogicalResult GroupSumBelowOp::verify() {
  return verifyRows(*this, getRows().getType(), getGraph(), getPath());
}

int64_t GroupSumBelowOp::countOperations(SizeFn size) {
  return kRankOperations * size(getResult());
}

FailureOr<SmallVector<Value>>
GroupSumBelowOp::buildGradients(OpBuilder &builder, Value gradient,
                                ArrayRef<bool> needed) {
  Value rows = needed[0] ? sumAbove(builder, getLoc(), gradient, getX(), getY(),
                                    getGraph(), getPath())
                         : Value();
  return SmallVector<Value>{rows, Value(), Value(), Value()};
}
