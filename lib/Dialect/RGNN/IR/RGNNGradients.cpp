//===- RGNNGradients.cpp - reverse mode over a list of ops ----------------===//

#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

DenseSet<Value> rgnn::findActiveValues(ArrayRef<Operation *> ops,
                                       ValueRange sources) {
  DenseSet<Value> active;
  for (Value source : sources)
    if (isFloat(source))
      active.insert(source);
  for (Operation *op : ops)
    if (llvm::any_of(op->getOperands(),
                     [&](Value operand) { return active.contains(operand); }))
      for (Value result : op->getResults())
        if (isFloat(result))
          active.insert(result);
  return active;
}

Value rgnn::addGradients(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  if (isa<FloatType>(a.getType()))
    return arith::AddFOp::create(builder, loc, a, b);
  return MapOp::create(builder, loc, a.getType(), {a, b},
                       [](OpBuilder &inner, Location loc, ValueRange x) {
                         return arith::AddFOp::create(inner, loc, x[0], x[1]);
                       });
}

Value rgnn::createZeros(OpBuilder &builder, Location loc, Value like,
                        Type type) {
  return MapOp::create(
      builder, loc, type, like,
      [&](OpBuilder &inner, Location loc, ValueRange) -> Value {
        return arith::ConstantOp::create(
            inner, loc, inner.getZeroAttr(getElementTypeOrSelf(type)));
      });
}

FailureOr<Value> rgnn::findGraphOf(Operation *op, RowsAttr rows) {
  auto isOfSchema = [&](Value value) {
    auto type = dyn_cast<rgnn::GraphType>(value.getType());
    return type && type.getSchema() == rows.getGraph();
  };
  for (Operation *before = op; before; before = before->getPrevNode())
    for (ValueRange values :
         {ValueRange(before->getOperands()), ValueRange(before->getResults())})
      for (Value value : values)
        if (isOfSchema(value))
          return value;
  for (BlockArgument argument : op->getBlock()->getArguments())
    if (isOfSchema(argument))
      return Value(argument);
  return op->emitOpError() << "has no gradient: expected a graph of "
                           << rows.getGraph() << " before it, got none";
}

Value rgnn::createRows(OpBuilder &builder, Location loc, Value graph,
                       RowsAttr rows, Type element) {
  auto count = [&](Domain domain, Path path) -> Value {
    auto encoding = RowsAttr::get(rows.getContext(), domain, rows.getGraph());
    return DegreeOp::create(builder, loc, getRowsType(encoding, {}, element),
                            graph, path);
  };
  switch (rows.getDomain()) {
  case Domain::Edge:
    return GatherOp::create(builder, loc, count(Domain::Node, Path::Dst), graph,
                            Path::Dst, Domain::Edge);
  case Domain::SrcPair:
    return count(Domain::SrcPair, Path::SrcPair);
  case Domain::DstPair:
    return count(Domain::DstPair, Path::DstPair);
  case Domain::EType:
    return count(Domain::EType, Path::EType);
  case Domain::NType:
    return ReduceOp::create(builder, loc, count(Domain::Node, Path::Dst), graph,
                            Path::NType, Reduction::Sum);
  case Domain::Node:
    break;
  }
  Value ofAll = count(Domain::Node, Path::Dst);
  if (rows.getType() < 0)
    return ofAll;
  return SliceTypeOp::create(builder, loc, getRowsType(rows, {}, element),
                             ofAll, graph);
}

LogicalResult rgnn::propagateGradients(OpBuilder &builder,
                                       ArrayRef<Operation *> ops,
                                       const DenseSet<Value> &active,
                                       Gradients &gradients) {
  for (Operation *op : llvm::reverse(ops)) {
    Value gradient =
        op->getNumResults() == 1 ? gradients.lookup(op->getResult(0)) : Value();
    SmallVector<bool> needed;
    for (Value operand : op->getOperands())
      needed.push_back(active.contains(operand));
    bool isBetween = llvm::is_contained(needed, true) &&
                     llvm::any_of(op->getResults(), [&](Value result) {
                       return gradients.contains(result);
                     });
    if (!isBetween)
      continue;
    auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
    if (!gradient || !differentiable)
      return op->emitOpError("expected an op with a gradient");
    FailureOr<SmallVector<Value>> contributions =
        differentiable.buildGradients(builder, gradient, needed);
    if (failed(contributions))
      return failure();
    for (auto [operand, contribution] :
         llvm::zip_equal(op->getOperands(), *contributions)) {
      if (!contribution)
        continue;
      Value &sum = gradients[operand];
      sum = addGradients(builder, op->getLoc(), sum, contribution);
    }
  }
  return success();
}
