//===- SumOfProducts.cpp - products of rows that are added up -------------===//

#include "RGNN/Dialect/RGNN/Analysis/SumOfProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::rgnn;

/// The operand of `map` that it multiplies, or divides, by the other one: by
/// number, or nothing where it does something else.
static std::optional<unsigned> getScaled(MapOp map) {
  Block &body = map.getBody().front();
  if (map->getNumOperands() != 2 || !llvm::hasNItems(body, 2))
    return std::nullopt;
  Operation &scale = body.front();
  if (!isa<arith::MulFOp, arith::DivFOp>(scale) ||
      body.getTerminator()->getOperand(0) != scale.getResult(0))
    return std::nullopt;
  auto number = [&](unsigned i) -> std::optional<unsigned> {
    auto argument = dyn_cast<BlockArgument>(scale.getOperand(i));
    return argument ? std::optional(argument.getArgNumber()) : std::nullopt;
  };
  // What has the shape of the result is what is scaled.
  for (unsigned i = 0; i < (isa<arith::MulFOp>(scale) ? 2u : 1u); ++i)
    if (std::optional<unsigned> scaled = number(i);
        scaled && number(1 - i) && scaled != number(1 - i) &&
        map->getOperand(*scaled).getType() == map.getResult().getType())
      return scaled;
  return std::nullopt;
}

/// The unique pairs of what rows are summed for and the type.
static Path getPair(ReduceOp sum) {
  bool isDst = sum.getPath() == Path::Dst || sum.getPath() == Path::DstPair;
  return isDst ? Path::DstPair : Path::SrcPair;
}

static bool isForPairs(ReduceOp sum) { return sum.getPath() == getPair(sum); }

std::optional<SumOfProducts> SumOfProducts::match(ReduceOp sum,
                                                  RowOrigins &origins) {
  RowsAttr rows = getRows(sum.getRows().getType());
  if (rows.getDomain() != Domain::Edge ||
      !llvm::is_contained({Path::Dst, Path::Src, Path::DstPair, Path::SrcPair},
                          sum.getPath()))
    return std::nullopt;
  SumOfProducts result;
  result.sum = sum;
  bool isShared = false, isLinear = true, isKnown = true;
  Value value = sum.getRows();
  while (isa_and_nonnull<MapOp, ReshapeOp>(value.getDefiningOp())) {
    Operation *step = value.getDefiningOp();
    if (step->getNumOperands() == 0) // Rows of one number.
      return std::nullopt;
    result.steps.push_back(step);
    isShared |= !value.hasOneUse();
    auto map = dyn_cast<MapOp>(step);
    std::optional<unsigned> scaled = map ? getScaled(map) : 0;
    isLinear &= scaled.has_value();
    // Of other maps, the first operand leads to what a remark is about.
    value = step->getOperand(scaled.value_or(0));
    if (!map || !scaled)
      continue;
    Value factor = map->getOperand(1 - *scaled);
    if (!getRows(factor.getType()))
      continue;
    bool isOfPairs = origins.getPaths(factor).contains(getPair(sum));
    // A number scales all terms of the product alike. Sums that are stored in
    // 16 bits would overflow before they are divided.
    if (getRowWidth(factor.getType()) == 1 &&
        (!isOfPairs || isRoundedWhenStored(factor)))
      result.scalesOfEdges.insert(map);
    else
      isKnown &= isOfPairs;
  }
  result.product = value.getDefiningOp<TypedLinearOp>();
  if (!result.product)
    return std::nullopt;
  isShared |= !value.hasOneUse();
  if (sum.getKind() == Reduction::Max || sum.getKind() == Reduction::Min)
    result.refusal = "they are reduced by something else than a sum or mean";
  else if (!isLinear)
    result.refusal = "what is between is not linear";
  else if (!isKnown)
    result.refusal =
        "the factors of a row differ among the edges of an end and type";
  else if (isShared)
    result.refusal = "the rows are also used otherwise";
  result.isOnlyShared = isLinear && isKnown && isShared &&
                        sum.getKind() != Reduction::Max &&
                        sum.getKind() != Reduction::Min;
  return result;
}

Value SumOfProducts::getFactor(Operation *scale) {
  return scale->getOperand(1 - *getScaled(cast<MapOp>(scale)));
}

/// `rows` times, or divided by, the one number by which `scale` does that.
static Value scaleLike(OpBuilder &builder, MapOp scale, Value rows) {
  Value factor = SumOfProducts::getFactor(scale);
  SmallVector<int64_t> ones(getRowShape(rows.getType()).size(), 1);
  Type type = getRowsType(getRows(factor.getType()), ones,
                          getElementTypeOrSelf(factor));
  if (factor.getType() != type)
    factor = ReshapeOp::create(builder, scale.getLoc(), type, factor);
  bool isQuotient = isa<arith::DivFOp>(scale.getBody().front().front());
  return MapOp::create(
      builder, scale.getLoc(), rows.getType(), {rows, factor},
      [&](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        if (isQuotient)
          return arith::DivFOp::create(inner, loc, x[0], x[1]);
        return arith::MulFOp::create(inner, loc, x[0], x[1]);
      });
}

/// Sums for nodes as means; a node without edges keeps its zeros.
static Value divideByDegree(OpBuilder &builder, ReduceOp mean, Value sums) {
  Location loc = mean.getLoc();
  auto type = cast<RankedTensorType>(sums.getType());
  SmallVector<int64_t> ones(type.getRank() - 1, 1);
  RowsAttr rows = getRows(type);
  Value degrees = DegreeOp::create(builder, loc,
                                   getRowsType(rows, {}, type.getElementType()),
                                   mean.getGraph(), mean.getPath());
  degrees = ReshapeOp::create(
      builder, loc, getRowsType(rows, ones, type.getElementType()), degrees);
  return MapOp::create(
      builder, loc, type, {sums, degrees},
      [&](OpBuilder &inner, Location loc, ValueRange x) -> Value {
        Value one = arith::ConstantOp::create(
            inner, loc, inner.getFloatAttr(type.getElementType(), 1.0));
        Value divisor = arith::MaximumFOp::create(inner, loc, x[1], one);
        return arith::DivFOp::create(inner, loc, x[0], divisor);
      });
}

Value SumOfProducts::aggregateFirst(RowOrigins &origins) {
  OpBuilder builder(sum);
  Path pair = getPair(sum);
  // The mean of a pair is that of its edges; that of a node counts them all.
  Value rows = product.getX();
  for (Operation *step : llvm::reverse(steps))
    if (scalesOfEdges.contains(step))
      rows = scaleLike(builder, cast<MapOp>(step), rows);
  rows = ReduceOp::create(builder, sum.getLoc(), rows, sum.getGraph(), pair,
                          isForPairs(sum) ? sum.getKind() : Reduction::Sum);
  rows = TypedLinearOp::create(builder, product.getLoc(), rows,
                               product.getWeight(), product.getGraph(),
                               product.getPath());
  Value before = product.getResult();
  for (Operation *step : llvm::reverse(steps)) {
    if (scalesOfEdges.contains(step)) {
      before = step->getResult(0);
      continue;
    }
    IRMapping mapping;
    for (Value operand : step->getOperands())
      mapping.map(operand, operand == before ? rows
                           : getRows(operand.getType())
                               ? origins.rebuild(builder, operand, pair)
                               : operand);
    before = step->getResult(0);
    rows = cloneOnto(builder, step, mapping,
                     getTypeOn(before.getType(), getRows(rows.getType())));
  }
  if (!isForPairs(sum)) {
    rows = ReduceOp::create(builder, sum.getLoc(), rows, sum.getGraph(),
                            sum.getPath(), Reduction::Sum);
    if (sum.getKind() == Reduction::Mean)
      rows = divideByDegree(builder, sum, rows);
  }
  sum.getResult().replaceAllUsesWith(rows);
  sum.erase();
  for (Operation *step : steps)
    step->erase();
  product.erase();
  return rows;
}
