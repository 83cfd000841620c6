//===- DotOfProducts.cpp - products of rows in scores of edges ------------===//

#include "RGNN/Dialect/RGNN/Analysis/DotOfProducts.h"

using namespace mlir;
using namespace mlir::rgnn;

/// The product whose rows are reshaped to `rows`, if any.
static TypedLinearOp findProduct(Value rows) {
  while (auto reshape = rows.getDefiningOp<ReshapeOp>())
    rows = reshape.getX();
  return rows.getDefiningOp<TypedLinearOp>();
}

static bool dependsOn(RowOrigins &origins, Value rows, Path end, Path pair) {
  PathSet paths = origins.getPaths(rows);
  return paths.contains(end) || paths.contains(pair);
}

std::optional<DotOfProducts> DotOfProducts::match(DotOp dot,
                                                  RowOrigins &origins) {
  if (!isOnEdges(dot.getResult()))
    return std::nullopt;
  DotOfProducts result;
  result.dot = dot;
  Value rows;
  for (auto [one, other] : {std::pair(dot.getRhs(), dot.getLhs()),
                            std::pair(dot.getLhs(), dot.getRhs())}) {
    TypedLinearOp product = findProduct(one);
    bool isOfSrc =
        product && dependsOn(origins, product.getX(), Path::Src, Path::SrcPair);
    if (!product || (result.product && !isOfSrc))
      continue;
    result.product = product;
    result.ofDst = other;
    rows = one;
    if (isOfSrc)
      break;
  }
  if (!result.product)
    return std::nullopt;
  bool isShared = false;
  for (Value value = rows; value != result.product.getX();
       value = value.getDefiningOp()->getOperand(0))
    isShared |= !value.hasOneUse();
  if (isShared)
    result.refusal = "the rows are also used otherwise";
  else if (getRowWidth(dot.getResult().getType()) != 1 ||
           getRowShape(result.product.getX().getType()).size() != 1)
    result.refusal = "each head has a product of its own";
  else if (!dependsOn(origins, result.product.getX(), Path::Src, Path::SrcPair))
    result.refusal = "they depend on more than the source and the type";
  else if (!dependsOn(origins, result.ofDst, Path::Dst, Path::DstPair))
    result.refusal = "the other rows depend on more than the destination";
  return result;
}

Value DotOfProducts::multiplyDst(OpBuilder &builder) {
  Location loc = dot.getLoc();
  Type element = getElementTypeOrSelf(ofDst);
  auto flatten = [&](Value rows) -> Value {
    Type type = getRowsType(getRows(rows.getType()),
                            getRowWidth(rows.getType()), element);
    return rows.getType() == type
               ? rows
               : ReshapeOp::create(builder, loc, type, rows).getResult();
  };
  Value weight = PermuteOp::create(builder, loc, product.getWeight(),
                                   ArrayRef<int64_t>{0, 2, 1});
  Value rows =
      TypedLinearOp::create(builder, product.getLoc(), flatten(ofDst), weight,
                            product.getGraph(), product.getPath());
  Value number = DotOp::create(builder, loc, product.getX(), rows);
  return ReshapeOp::create(builder, loc, dot.getResult().getType(), number);
}
