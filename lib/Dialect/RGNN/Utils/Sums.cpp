//===- Sums.cpp - rows that maps add up -----------------------------------===//

#include "RGNN/Dialect/RGNN/Utils/Sums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;

Value rgnn::skipPlaces(Value rows) {
  while (auto place = rows.getDefiningOp<PlaceOp>()) {
    Value tensor = place.getTensor();
    if (auto cast = tensor.getDefiningOp<tensor::CastOp>())
      tensor = cast.getSource();
    auto unplace = tensor.getDefiningOp<UnplaceOp>();
    if (!unplace)
      break;
    rows = unplace.getRows();
  }
  return rows;
}

Value rgnn::getPlaced(Value rows) {
  rows = skipPlaces(rows);
  auto place = rows.getDefiningOp<PlaceOp>();
  return place ? place.getTensor() : rows;
}

Value rgnn::placeOn(OpBuilder &builder, Value rows, RowsAttr domain,
                    Value graph) {
  rows = skipPlaces(rows);
  RowsAttr own = getRows(rows.getType());
  if (own == domain)
    return rows;
  Value plain = getPlaced(rows);
  if (plain == rows && own)
    plain = UnplaceOp::create(builder, rows.getLoc(), rows);
  auto type = cast<RankedTensorType>(plain.getType());
  return PlaceOp::create(
      builder, rows.getLoc(),
      RankedTensorType::get(type.getShape(), type.getElementType(), domain),
      plain, graph);
}

bool rgnn::isSum(MapOp map) {
  Block &body = map.getBody().front();
  return map.getInputs().size() > 1 &&
         llvm::all_of(body.without_terminator(),
                      llvm::IsaPred<arith::AddFOp>) &&
         llvm::hasNItems(body, map.getInputs().size()) &&
         llvm::all_of(body.getArguments(),
                      [](Value input) { return input.hasOneUse(); });
}

/// What reads `value`, as it is or on other rows, if nothing else does.
static Operation *getReader(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (!isa<PlaceOp, UnplaceOp, tensor::CastOp>(user))
      return user;
    value = user->getResult(0);
  }
  return nullptr;
}

bool rgnn::isReadOnce(Value value) { return getReader(value) != nullptr; }

bool rgnn::isPartOfSum(MapOp map) {
  if (!isSum(map))
    return false;
  auto sum = dyn_cast_or_null<MapOp>(getReader(map));
  return sum && isSum(sum) &&
         getRowShape(sum.getType()) == getRowShape(map.getResult().getType());
}

SmallVector<Value> rgnn::getSummands(MapOp root) {
  SmallVector<Value> terms;
  for (Value input : root.getInputs()) {
    auto inner = skipPlaces(input).getDefiningOp<MapOp>();
    if (inner && getRows(inner.getType()) && isPartOfSum(inner))
      llvm::append_range(terms, getSummands(inner));
    else
      terms.push_back(input);
  }
  return terms;
}

Value rgnn::addUp(OpBuilder &builder, Location loc, Type type,
                  SmallVector<Value> terms) {
  // Kernels hold a row of each term at once.
  constexpr size_t maxTerms = 8;
  while (terms.size() > 1) {
    size_t count = std::min(terms.size(), maxTerms);
    Value sum = MapOp::create(
        builder, loc, type, ArrayRef(terms).take_front(count),
        [&](OpBuilder &inner, Location loc, ValueRange x) -> Value {
          Value total = x[0];
          for (Value next : x.drop_front())
            total = arith::AddFOp::create(inner, loc, total, next);
          return total;
        });
    terms.erase(terms.begin(), terms.begin() + count);
    terms.insert(terms.begin(), sum);
  }
  return terms.front();
}
