//===- RGNNMovementGradients.cpp - gradients of ops that move rows --------===//
//
// Gather and reduce are each other's transpose (Zhang et al., MLSys 2022,
// sec. 2).
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;

using Scalars = ValueRange;
using Result = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Place, unplace, types
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
PlaceOp::buildGradients(OpBuilder &builder, Value gradient, ArrayRef<bool>) {
  Value rows = UnplaceOp::create(builder, getLoc(), gradient);
  // Rows of types may be of a static number, which movement forgets.
  Type type = getTensor().getType();
  if (rows.getType() != type)
    rows = tensor::CastOp::create(builder, getLoc(), type, rows);
  return Result{rows, Value()};
}

FailureOr<SmallVector<Value>>
UnplaceOp::buildGradients(OpBuilder &builder, Value gradient, ArrayRef<bool>) {
  Type type = getRows().getType();
  FailureOr<Value> graph = findGraph(*this, rgnn::getRows(type));
  if (failed(graph)) // Nothing to check the rows with.
    return failure();
  return Result{PlaceOp::create(builder, getLoc(), type, gradient, *graph)};
}

FailureOr<SmallVector<Value>>
ConcatTypesOp::buildGradients(OpBuilder &builder, Value gradient,
                              ArrayRef<bool> needed) {
  SmallVector<Value> result;
  for (auto [part, isNeeded] : llvm::zip(getParts(), needed))
    result.push_back(isNeeded ? SliceTypeOp::create(builder, getLoc(),
                                                    part.getType(), gradient,
                                                    getGraph())
                                    .getResult()
                              : Value());
  result.push_back(Value());
  return result;
}

FailureOr<SmallVector<Value>> SliceTypeOp::buildGradients(OpBuilder &builder,
                                                          Value gradient,
                                                          ArrayRef<bool>) {
  // Zeros for the nodes of the other types.
  RowsAttr rows = rgnn::getRows(gradient.getType());
  std::optional<int64_t> types =
      getNumTypes(*this, rows.getGraph(), Domain::NType);
  if (!types)
    return emitOpError() << "has no gradient: expected a number of node types "
                            "in schema "
                         << rows.getGraph() << ", got none";
  SmallVector<Value> parts;
  for (int64_t type = 0; type < *types; ++type) {
    if (type == rows.getType()) {
      parts.push_back(gradient);
      continue;
    }
    Type other = getRowsType(
        RowsAttr::get(getContext(), Domain::Node, rows.getGraph(), type),
        getRowShape(gradient.getType()), getElementTypeOrSelf(gradient));
    Value like = createRows(builder, getLoc(), getGraph(), rgnn::getRows(other),
                            getElementTypeOrSelf(other));
    parts.push_back(createZeros(builder, getLoc(), like, other));
  }
  return Result{ConcatTypesOp::create(builder, getLoc(), getRows().getType(),
                                      parts, getGraph()),
                Value()};
}

//===----------------------------------------------------------------------===//
// Gather, reduce, softmax
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
GatherOp::buildGradients(OpBuilder &builder, Value gradient, ArrayRef<bool>) {
  return Result{ReduceOp::create(builder, getLoc(), gradient, getGraph(),
                                 getPath(), Reduction::Sum),
                Value()};
}

/// `gradient` divided by `count`, which is zero only for rows that no row of
/// the operand reads the gradient of.
static Value divide(OpBuilder &builder, Location loc, Value gradient,
                    Value count) {
  return MapOp::create(builder, loc, gradient.getType(), {gradient, count},
                       [](OpBuilder &inner, Location loc, Scalars x) -> Value {
                         return arith::DivFOp::create(inner, loc, x[0], x[1]);
                       });
}

Value rgnn::createOnes(OpBuilder &builder, Location loc, Value graph,
                       RankedTensorType type) {
  Type element = type.getElementType();
  Value like = createRows(builder, loc, graph, getRows(type), element);
  return MapOp::create(builder, loc, type, like,
                       [&](OpBuilder &inner, Location loc, Scalars) {
                         return arith::ConstantOp::create(
                             inner, loc, inner.getFloatAttr(element, 1));
                       });
}

/// How many rows each row of the result of `op` reduces.
static Value countRows(ReduceOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  RowsAttr rows = rgnn::getRows(op.getRows().getType());
  Type result = op.getResult().getType(),
       element = getElementTypeOrSelf(result);
  if (rows.getDomain() == Domain::Edge)
    return DegreeOp::create(builder, loc,
                            getRowsType(rgnn::getRows(result), {}, element),
                            op.getGraph(), op.getPath());
  Value ones =
      createOnes(builder, loc, op.getGraph(), getRowsType(rows, {}, element));
  return ReduceOp::create(builder, loc, ones, op.getGraph(), op.getPath(),
                          Reduction::Sum);
}

FailureOr<SmallVector<Value>>
ReduceOp::buildGradients(OpBuilder &builder, Value gradient, ArrayRef<bool>) {
  Location loc = getLoc();
  Type type = getRows().getType();
  Domain domain = rgnn::getRows(type).getDomain();
  auto gather = [&](Value rows) {
    return GatherOp::create(builder, loc, rows, getGraph(), getPath(), domain);
  };
  switch (getKind()) {
  case Reduction::Sum:
    return Result{gather(gradient), Value()};
  case Reduction::Mean:
    return Result{
        gather(divide(builder, loc, gradient, countRows(*this, builder))),
        Value()};
  case Reduction::Max:
  case Reduction::Min: {
    Value best = markBest(builder, loc, getRows(), gather(getResult()));
    Value count = ReduceOp::create(builder, loc, best, getGraph(), getPath(),
                                   Reduction::Sum);
    Value shared = gather(divide(builder, loc, gradient, count));
    return Result{multiply(builder, loc, type, best, shared), Value()};
  }
  case Reduction::Mul: {
    auto reduce = [&](Value rows, Reduction kind) {
      return ReduceOp::create(builder, loc, rows, getGraph(), getPath(), kind);
    };
    auto scale = [&](Value product) {
      return gather(
          multiply(builder, loc, gradient.getType(), gradient, product));
    };
    Value isZero = markBest(builder, loc, getRows(),
                            createZeros(builder, loc, getRows(), type));
    Value others =
        reduce(fillZeros(builder, loc, getRows(), isZero), Reduction::Mul);
    return Result{buildFactorGradient(builder, loc, getRows(), isZero,
                                      gather(reduce(isZero, Reduction::Sum)),
                                      scale(getResult()), scale(others)),
                  Value()};
  }
  }
  llvm_unreachable("all reductions are handled");
}

FailureOr<SmallVector<Value>> GroupSoftmaxOp::buildGradients(OpBuilder &builder,
                                                             Value gradient,
                                                             ArrayRef<bool>) {
  // y (g - sum of y g over the group).
  Location loc = getLoc();
  Type type = getRows().getType();
  Value weighted = multiply(builder, loc, type, getResult(), gradient);
  Value sum = ReduceOp::create(builder, loc, weighted, getGraph(), getPath(),
                               Reduction::Sum);
  Value ofEdge =
      GatherOp::create(builder, loc, sum, getGraph(), getPath(), Domain::Edge);
  return Result{
      MapOp::create(builder, loc, type, {getResult(), gradient, ofEdge},
                    [](OpBuilder &inner, Location loc, Scalars x) -> Value {
                      Value rest =
                          arith::SubFOp::create(inner, loc, x[1], x[2]);
                      return arith::MulFOp::create(inner, loc, x[0], rest);
                    }),
      Value()};
}

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> LookupOp::buildGradients(OpBuilder &builder,
                                                       Value gradient,
                                                       ArrayRef<bool> needed) {
  Location loc = getLoc();
  if (!getComp())
    return Result{LookupSumOp::create(builder, loc, getTable().getType(),
                                      gradient, getGraph(), getPath()),
                  Value()};
  // Row e is the sum over b of comp[etype(e), b] * table[b, path(e), :].
  Type element = getElementTypeOrSelf(gradient);
  auto onDomain = [&](Domain domain, ArrayRef<int64_t> shape) {
    return getRowsType(getGraph().getType().getRows(domain), shape, element);
  };
  auto table = cast<RankedTensorType>(getTable().getType()),
       comp = cast<RankedTensorType>(getComp().getType());
  int64_t bases = table.getDimSize(0), width = table.getDimSize(2);
  Type ofBases = onDomain(Domain::Edge, {bases, width});
  // A plain tensor as rows of a domain, and back: their number is not static.
  auto place = [&](Value plain, Domain domain, ArrayRef<int64_t> shape) {
    auto type = onDomain(domain, shape);
    plain = tensor::CastOp::create(
        builder, loc, RankedTensorType::get(type.getShape(), element), plain);
    return PlaceOp::create(builder, loc, type, plain, getGraph());
  };
  auto unplace = [&](Value rows, ArrayRef<int64_t> shape) {
    return tensor::CastOp::create(builder, loc,
                                  RankedTensorType::get(shape, element),
                                  UnplaceOp::create(builder, loc, rows));
  };
  auto reshape = [&](Value rows, ArrayRef<int64_t> shape) {
    return ReshapeOp::create(builder, loc, onDomain(Domain::Edge, shape), rows);
  };
  Value spread = reshape(gradient, {1, width}), ofTable, ofComp;
  if (needed[0]) {
    Value weights =
        GatherOp::create(builder, loc, place(getComp(), Domain::EType, {bases}),
                         getGraph(), Path::EType, Domain::Edge);
    Value products =
        multiply(builder, loc, ofBases, reshape(weights, {bases, 1}), spread);
    Value sum = ReduceOp::create(builder, loc, products, getGraph(), getPath(),
                                 Reduction::Sum);
    ofTable = PermuteOp::create(
        builder, loc, unplace(sum, {table.getDimSize(1), bases, width}),
        ArrayRef<int64_t>{1, 0, 2});
  }
  if (needed[1]) {
    Value ofNode = place(
        PermuteOp::create(builder, loc, getTable(), ArrayRef<int64_t>{1, 0, 2}),
        Domain::Node, {bases, width});
    Value rows = GatherOp::create(builder, loc, ofNode, getGraph(), getPath(),
                                  Domain::Edge);
    Value products = ReduceFeaturesOp::create(
        builder, loc, multiply(builder, loc, ofBases, rows, spread),
        Reduction::Sum, 2);
    // Summed as products with one, tile by tile: a type has many edges.
    Value ones =
        createOnes(builder, loc, getGraph(), onDomain(Domain::Edge, {1}));
    Value sum = TypedOuterSumOp::create(
        builder, loc,
        RankedTensorType::get({comp.getDimSize(0), 1, bases}, element), ones,
        products, getGraph(), Path::EType);
    ofComp = ReshapeOp::create(builder, loc, comp, sum);
  }
  return Result{ofTable, ofComp, Value()};
}

FailureOr<SmallVector<Value>> LookupSumOp::buildGradients(OpBuilder &builder,
                                                          Value gradient,
                                                          ArrayRef<bool>) {
  return Result{LookupOp::create(builder, getLoc(), gradient, /*comp=*/Value(),
                                 getGraph(), getPath()),
                Value()};
}
