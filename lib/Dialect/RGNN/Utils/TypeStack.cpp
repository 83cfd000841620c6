//===- TypeStack.cpp - rows of all node types as one ----------------------===//

#include "RGNN/Dialect/RGNN/Utils/TypeStack.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;
using namespace mlir::rgnn;

bool rgnn::isOfOneType(Value value) {
  RowsAttr rows = getRows(value.getType());
  return rows && rows.getDomain() == Domain::Node && rows.getType() >= 0;
}

bool rgnn::areAlike(Operation *one, Operation *other) {
  auto areAlikeTypes = [](Type a, Type b) {
    return a == b || (isa<rgnn::GraphType>(a) && isa<rgnn::GraphType>(b)) ||
           (getRows(a) && getRows(b) && getRowShape(a) == getRowShape(b) &&
            getElementTypeOrSelf(a) == getElementTypeOrSelf(b));
  };
  return one->getName() == other->getName() &&
         one->getAttrDictionary() == other->getAttrDictionary() &&
         one->getNumOperands() == other->getNumOperands() &&
         llvm::all_of_zip(one->getOperandTypes(), other->getOperandTypes(),
                          areAlikeTypes) &&
         areAlikeTypes(one->getResult(0).getType(),
                       other->getResult(0).getType()) &&
         llvm::all_of_zip(one->getRegions(), other->getRegions(),
                          [](Region &a, Region &b) {
                            return OperationEquivalence::isRegionEquivalentTo(
                                &a, &b, OperationEquivalence::IgnoreLocations);
                          });
}

Value TypeStack::getWhole(ArrayRef<Value> parts) {
  Value whole;
  for (Value part : parts) {
    auto slice = part.getDefiningOp<SliceTypeOp>();
    if (!slice || (whole && whole != slice.getRows()))
      return {};
    whole = slice.getRows();
  }
  return whole;
}

TypeStack::Parts TypeStack::getOperands(ArrayRef<Value> parts,
                                        unsigned operand) {
  return llvm::map_to_vector(parts, [&](Value part) {
    return part.getDefiningOp()->getOperand(operand);
  });
}

std::optional<int64_t> TypeStack::countCopiedOperands(ArrayRef<Value> parts) {
  Operation *first = parts.front().getDefiningOp();
  if (!isa_and_nonnull<RowOpInterface, LinearOp>(first) ||
      !llvm::any_of(first->getOperands(), isOfOneType) ||
      // One weight for each type and head is no product by type.
      (isa<LinearOp>(first) &&
       getRowShape(first->getOperand(0).getType()).size() != 1))
    return std::nullopt;
  for (Value part : parts.drop_front())
    if (!part.getDefiningOp() || !areAlike(first, part.getDefiningOp()))
      return std::nullopt;
  int64_t copied = 0;
  for (unsigned i = 0; i < first->getNumOperands(); ++i)
    if (isOfOneType(first->getOperand(i)))
      copied += countCopied(getOperands(parts, i));
  return copied;
}

int64_t TypeStack::countCopied(ArrayRef<Value> parts) {
  if (getWhole(parts))
    return 0;
  int64_t width = getRowWidth(parts.front().getType());
  return std::min(width, countCopiedOperands(parts).value_or(width));
}

Value rgnn::stackPlain(OpBuilder &builder, ArrayRef<Value> values) {
  Location loc = values.front().getLoc();
  SmallVector<Value> rows;
  for (Value value : values) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), 1);
    rows.push_back(ReshapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        value));
  }
  return ConcatOp::create(builder, loc, rows, /*dim=*/0);
}

Value rgnn::buildTypedLinear(OpBuilder &builder, LinearOp linear, Value x,
                             ArrayRef<Value> weights, Value graph, Path type) {
  Location loc = linear.getLoc();
  Value weight = stackPlain(builder, weights);
  if (linear.getTransposed())
    weight =
        PermuteOp::create(builder, loc, weight, ArrayRef<int64_t>{0, 2, 1});
  return TypedLinearOp::create(builder, loc, x, weight, graph, type);
}

Value TypeStack::buildOp(ArrayRef<Value> parts) {
  Operation *op = parts.front().getDefiningOp();
  Location loc = op->getLoc();
  IRMapping mapping;
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Parts operands = getOperands(parts, i);
    Value operand = operands.front();
    if (isOfOneType(operand)) {
      mapping.map(operand, build(operands));
    } else if (!llvm::all_equal(operands)) {
      if (auto linear = dyn_cast<LinearOp>(op))
        return buildTypedLinear(builder, linear, mapping.lookup(linear.getX()),
                                operands, graph, Path::NType);
      Value stacked = stackPlain(builder, operands);
      RowsAttr all = getAllNodes(parts.front());
      auto types =
          RowsAttr::get(all.getContext(), Domain::NType, all.getGraph());
      auto type = cast<RankedTensorType>(stacked.getType());
      Value placed = PlaceOp::create(
          builder, loc,
          RankedTensorType::get(type.getShape(), type.getElementType(), types),
          stacked, graph);
      mapping.map(operand, GatherOp::create(builder, loc, placed, graph,
                                            Path::NType, Domain::Node));
    }
  }
  Value part = parts.front();
  return cloneOnto(builder, op, mapping,
                   getRowsType(getAllNodes(part), getRowShape(part.getType()),
                               getElementTypeOrSelf(part)));
}

Value TypeStack::build(ArrayRef<Value> parts) {
  if (Value whole = getWhole(parts))
    return whole;
  for (auto &[others, stacked] : built.lookup(parts.front()))
    if (ArrayRef(others) == parts)
      return stacked;
  Value part = parts.front(), stacked;
  std::optional<int64_t> copied = countCopiedOperands(parts);
  if (copied && *copied <= getRowWidth(part.getType()))
    stacked = buildOp(parts);
  else
    stacked = ConcatTypesOp::create(builder, part.getLoc(),
                                    getRowsType(getAllNodes(part),
                                                getRowShape(part.getType()),
                                                getElementTypeOrSelf(part)),
                                    parts, graph);
  built[part].emplace_back(Parts(parts), stacked);
  return stacked;
}
