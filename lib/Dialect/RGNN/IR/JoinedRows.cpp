//===- JoinedRows.cpp - rows of several domains one after another ---------===//

#include "GraphRows.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Both are rows, of the same shape and elements.
static LogicalResult verifyLike(Operation *op, Type got, Type wanted) {
  for (Type type : {got, wanted})
    if (!rgnn::getRows(type))
      return op->emitOpError() << "expected rows, got " << type;
  if (getRowShape(got) == getRowShape(wanted) &&
      getElementTypeOrSelf(got) == getElementTypeOrSelf(wanted))
    return success();
  return op->emitOpError() << "expected rows like those of " << wanted
                           << ", got " << got;
}

LogicalResult ConcatRowsOp::verify() {
  // C1, C2
  Type result = getResult().getType();
  if (getParts().empty())
    return emitOpError("expected a part, got none");
  for (Value part : getParts())
    if (failed(verifyLike(*this, part.getType(), result)))
      return failure();
  return verifySchema(*this, result, getGraph());
}

LogicalResult RegroupRowsOp::verify() {
  Type from = getRows().getType(), to = getResult().getType();
  // C1
  if (!rgnn::getRows(from))
    return emitOpError() << "expected rows, got " << from;
  if (failed(verifySchema(*this, to, getGraph())))
    return failure();
  // C2
  if (getElementTypeOrSelf(from) != getElementTypeOrSelf(to))
    return emitOpError() << "expected a result of "
                         << getElementTypeOrSelf(from) << ", got "
                         << getElementTypeOrSelf(to);
  // C3
  auto [least, most] = std::minmax(getRowWidth(from), getRowWidth(to));
  if (least > 0 && most % least == 0)
    return success();
  return emitOpError() << "expected rows of a multiple or a part of "
                       << getRowWidth(from) << " numbers, got "
                       << getRowWidth(to);
}

FailureOr<SmallVector<Value>> RegroupRowsOp::buildGradients(OpBuilder &builder,
                                                            Value gradient,
                                                            ArrayRef<bool>) {
  Type type = getRows().getType();
  FailureOr<Value> graph = findGraph(*this, rgnn::getRows(type));
  if (failed(graph))
    return failure();
  Value rows = RegroupRowsOp::create(builder, getLoc(), type, gradient, *graph);
  return SmallVector<Value>{rows, Value()};
}

LogicalResult SliceRowsOp::verify() {
  // C2
  Type result = getResult().getType();
  if (failed(verifyLike(*this, result, getRows().getType())))
    return failure();
  // C1
  SmallVector<RowsAttr> domains(getAfter().getAsRange<RowsAttr>());
  domains.push_back(rgnn::getRows(result));
  if (domains.size() != getGraphs().size())
    return emitOpError() << "expected " << domains.size()
                         << " graphs, one for each domain, got "
                         << getGraphs().size();
  for (auto [rows, graph] : llvm::zip(domains, getGraphs()))
    if (!cast<rgnn::GraphType>(graph.getType()).has(rows))
      return emitOpError() << "expected a graph with rows on " << rows
                           << ", got " << graph.getType();
  return success();
}

FailureOr<SmallVector<Value>>
ConcatRowsOp::buildGradients(OpBuilder &builder, Value gradient,
                             ArrayRef<bool> needed) {
  SmallVector<Value> result, graphs;
  SmallVector<Attribute> before;
  for (auto [part, isNeeded] : llvm::zip(getParts(), needed)) {
    RowsAttr rows = rgnn::getRows(part.getType());
    FailureOr<Value> graph = findGraph(*this, rows);
    if (failed(graph))
      return failure();
    graphs.push_back(*graph);
    result.push_back(isNeeded ? SliceRowsOp::create(
                                    builder, getLoc(), part.getType(), gradient,
                                    builder.getArrayAttr(before), graphs)
                                    .getResult()
                              : Value());
    before.push_back(rows);
  }
  result.push_back(Value());
  return result;
}
