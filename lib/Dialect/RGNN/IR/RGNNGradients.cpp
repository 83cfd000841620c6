//===- RGNNGradients.cpp - reverse mode over a list of ops ----------------===//

#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value));
}

/// Whether a region of `op` reads an active value from outside.
static bool capturesActive(Operation *op, const DenseSet<Value> &active) {
  auto readsActive = [&](Operation *inner) {
    return llvm::any_of(inner->getOperands(), [&](Value operand) {
      return active.contains(operand);
    });
  };
  return llvm::any_of(op->getRegions(), [&](Region &region) {
    return region
        .walk([&](Operation *inner) {
          return readsActive(inner) ? WalkResult::interrupt()
                                    : WalkResult::advance();
        })
        .wasInterrupted();
  });
}

DenseSet<Value> rgnn::findActiveValues(ArrayRef<Operation *> ops,
                                       ValueRange sources) {
  DenseSet<Value> active;
  for (Value source : sources)
    if (isFloat(source))
      active.insert(source);
  for (Operation *op : ops)
    if (!isa<DetachOp>(op) && (llvm::any_of(op->getOperands(),
                                            [&](Value operand) {
                                              return active.contains(operand);
                                            }) ||
                               capturesActive(op, active)))
      for (Value result : op->getResults())
        if (isFloat(result))
          active.insert(result);
  return active;
}

/// A place op of `plain`, or the unplace op that makes it: they know which rows
/// it holds.
static Operation *findPlacement(Value plain) {
  if (auto unplace = plain.getDefiningOp<UnplaceOp>())
    return unplace;
  for (Operation *user : plain.getUsers())
    if (isa<PlaceOp>(user))
      return user;
  return nullptr;
}

static Value createSum(OpBuilder &builder, Location loc, Value a, Value b) {
  return MapOp::create(builder, loc, a.getType(), {a, b},
                       [](OpBuilder &inner, Location loc, ValueRange x) {
                         return arith::AddFOp::create(inner, loc, x[0], x[1]);
                       });
}

LogicalResult rgnn::addGradient(OpBuilder &builder, Value value,
                                Value contribution, Gradients &gradients) {
  Value &sum = gradients[value];
  Location loc = contribution.getLoc();
  auto type = dyn_cast<RankedTensorType>(contribution.getType());
  if (!sum) {
    sum = contribution;
  } else if (!type) {
    sum = arith::AddFOp::create(builder, loc, sum, contribution);
  } else if (getRows(type) || type.hasStaticShape()) {
    sum = createSum(builder, loc, sum, contribution);
  } else {
    // Only rows of a graph are added in a number that is not known.
    Operation *placement = findPlacement(value);
    if (!placement)
      return emitError(value.getLoc())
             << "expected one use, or rows of a graph, of a value with a "
                "gradient, got "
             << type << " with several";
    Type rows = isa<PlaceOp>(placement) ? placement->getResult(0).getType()
                                        : placement->getOperand(0).getType();
    FailureOr<Value> graph = findGraph(placement, getRows(rows));
    if (failed(graph))
      return failure();
    auto place = [&](Value plain) -> Value {
      auto unplace = plain.getDefiningOp<UnplaceOp>();
      if (unplace && unplace.getRows().getType() == rows)
        return unplace.getRows();
      return PlaceOp::create(builder, loc, rows, plain, *graph);
    };
    Value a = place(sum), b = place(contribution);
    sum = UnplaceOp::create(builder, loc, createSum(builder, loc, a, b));
  }
  return success();
}

Value rgnn::multiply(OpBuilder &builder, Location loc, Type type, Value a,
                     Value b) {
  return MapOp::create(builder, loc, type, {a, b},
                       [](OpBuilder &inner, Location loc, ValueRange x) {
                         return arith::MulFOp::create(inner, loc, x[0], x[1]);
                       });
}

Value rgnn::markBest(OpBuilder &builder, Location loc, Value x, Value best) {
  return MapOp::create(
      builder, loc, x.getType(), {x, best},
      [](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        auto constant = [&](double number) {
          return arith::ConstantOp::create(
              inner, loc, inner.getFloatAttr(x[0].getType(), number));
        };
        Value isBest = arith::CmpFOp::create(
            inner, loc, arith::CmpFPredicate::OEQ, x[0], x[1]);
        return arith::SelectOp::create(inner, loc, isBest, constant(1),
                                       constant(0));
      });
}

Value rgnn::fillZeros(OpBuilder &builder, Location loc, Value x, Value isZero) {
  return MapOp::create(
      builder, loc, x.getType(), {x, isZero},
      [](OpBuilder &inner, Location loc, ValueRange x) {
        return arith::AddFOp::create(inner, loc, x[0], x[1]).getResult();
      });
}

Value rgnn::buildFactorGradient(OpBuilder &builder, Location loc, Value x,
                                Value isZero, Value numZeros, Value ofAll,
                                Value ofOthers) {
  return MapOp::create(
      builder, loc, x.getType(),
      {fillZeros(builder, loc, x, isZero), isZero, numZeros, ofAll, ofOthers},
      [](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        // Only of the one zero does the product of all say nothing.
        Value zeros = arith::MulFOp::create(inner, loc, x[1], x[2]);
        Value one = arith::ConstantOp::create(
            inner, loc, inner.getFloatAttr(x[0].getType(), 1));
        Value isOnly = arith::CmpFOp::create(
            inner, loc, arith::CmpFPredicate::OEQ, zeros, one);
        Value share = arith::DivFOp::create(inner, loc, x[3], x[0]);
        return arith::SelectOp::create(inner, loc, isOnly, x[4], share);
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

Value rgnn::createRows(OpBuilder &builder, Location loc, Value graph,
                       RowsAttr rows, Type element) {
  auto type = cast<rgnn::GraphType>(graph.getType());
  auto count = [&](Path path) -> Value {
    RowsAttr to = type.getRows(path, Domain::Edge);
    return DegreeOp::create(builder, loc, getRowsType(to, {}, element), graph,
                            path);
  };
  switch (rows.getDomain()) {
  case Domain::Edge:
    return GatherOp::create(builder, loc, count(Path::Dst), graph, Path::Dst,
                            Domain::Edge);
  case Domain::SrcPair:
    return count(Path::SrcPair);
  case Domain::DstPair:
    return count(Path::DstPair);
  case Domain::EType:
    return count(Path::EType);
  case Domain::NType:
    return ReduceOp::create(builder, loc, count(Path::Dst), graph, Path::NType,
                            Reduction::Sum);
  case Domain::Node:
    break;
  }
  if (type.isBipartite())
    return count(rows.getType() == kSrcNodes ? Path::Src : Path::Dst);
  Value ofAll = count(Path::Dst);
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
    // Regions have no gradients of what they capture.
    bool captures = capturesActive(op, active);
    bool isBetween = (captures || llvm::is_contained(needed, true)) &&
                     llvm::any_of(op->getResults(), [&](Value result) {
                       return gradients.contains(result);
                     });
    if (!isBetween)
      continue;
    auto differentiable = dyn_cast<DifferentiableOpInterface>(op);
    if (!gradient || !differentiable || captures)
      return op->emitOpError("expected an op with a gradient");
    FailureOr<SmallVector<Value>> contributions =
        differentiable.buildGradients(builder, gradient, needed);
    if (failed(contributions))
      return failure();
    for (auto [operand, contribution] :
         llvm::zip_equal(op->getOperands(), *contributions)) {
      if (contribution &&
          failed(addGradient(builder, operand, contribution, gradients)))
        return failure();
    }
  }
  return success();
}
