//===- Cost.cpp - work and traffic of ops on a graph ----------------------===//

#include "RGNN/Analysis/Cost.h"

using namespace mlir;
using namespace mlir::rgnn;

std::optional<int64_t> GraphSizes::getNumRows(Operation *from,
                                              RowsAttr rows) const {
  auto known = [](int64_t number) {
    return number < 0 ? std::nullopt : std::optional(number);
  };
  if (rows.getPart() != Part::Whole) {
    ArrayRef<int64_t> ofPart =
        rows.getPart() == Part::Src ? ofSrcPart : ofDstPart;
    // In the order of the domains.
    auto number = static_cast<size_t>(rows.getDomain());
    return number < ofPart.size() ? known(ofPart[number]) : std::nullopt;
  }
  switch (rows.getDomain()) {
  case Domain::Edge:
    return known(edges);
  case Domain::SrcPair:
    return known(srcPairs);
  case Domain::DstPair:
    return known(dstPairs);
  case Domain::Node:
    if (rows.getType() < 0)
      return known(nodes);
    return rows.getType() < static_cast<int64_t>(nodesOfType.size())
               ? known(nodesOfType[rows.getType()])
               : std::nullopt;
  case Domain::EType:
  case Domain::NType:
    if (auto stated = getNumTypes(from, rows.getGraph(), rows.getDomain()))
      return stated;
    return known(rows.getDomain() == Domain::EType ? edgeTypes : nodeTypes);
  }
  llvm_unreachable("all domains are above");
}

//===----------------------------------------------------------------------===//
// Sizes of tensors
//===----------------------------------------------------------------------===//

/// The type that says most of a tensor: a plain one is made of rows, or becomes
/// rows.
static RankedTensorType getKnownType(Value tensor) {
  if (auto unplace = tensor.getDefiningOp<UnplaceOp>())
    return cast<RankedTensorType>(unplace.getRows().getType());
  for (Operation *user : tensor.getUsers())
    if (auto place = dyn_cast<PlaceOp>(user))
      return cast<RankedTensorType>(place.getResult().getType());
  return cast<RankedTensorType>(tensor.getType());
}

static FailureOr<int64_t> getNumElements(Operation *from, Value tensor,
                                         const GraphSizes &sizes) {
  RankedTensorType type = getKnownType(tensor);
  ArrayRef<int64_t> shape = type.getShape();
  int64_t count = 1;
  if (RowsAttr rows = getRows(type); rows && type.isDynamicDim(0)) {
    std::optional<int64_t> number = sizes.getNumRows(from, rows);
    if (!number)
      return from->emitOpError()
             << "expected the number of rows on "
             << stringifyDomain(rows.getDomain()) << " to be given";
    count = *number;
    shape = shape.drop_front();
  }
  if (ShapedType::isDynamicShape(shape))
    return from->emitOpError() << "expected sizes that are known, got " << type;
  return count * ShapedType::getNumElements(shape);
}

FailureOr<int64_t> rgnn::getNumBytes(Operation *from, Value tensor,
                                     const GraphSizes &sizes) {
  FailureOr<int64_t> count = getNumElements(from, tensor, sizes);
  if (failed(count))
    return failure();
  return *count * getElementBytes(tensor);
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Whether rows leave the function as they are.
static bool isReturned(Value rows) {
  return llvm::any_of(rows.getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::ReturnLike>() ||
           (isa<UnplaceOp, ReshapeOp>(user) && isReturned(user->getResult(0)));
  });
}

bool rgnn::isView(Operation *op) {
  if (getWork(op) == Work::View)
    return true;
  auto lookup = dyn_cast<LookupOp>(op);
  bool copiesRows = isa<GatherOp>(op) || (lookup && !lookup.getComp());
  return copiesRows && !isReturned(op->getResult(0));
}

FailureOr<Cost> rgnn::getCost(Operation *op, const GraphSizes &sizes) {
  // Before sizes are asked for, which captured tensors do not have either.
  auto compute = dyn_cast<ComputeOpInterface>(op);
  if (!compute)
    return op->emitOpError("has no cost: expected captured operators to be "
                           "lifted and loops to be raised");
  DenseMap<Value, int64_t> elements;
  Cost cost;
  SmallVector<Value> tensors(op->getOperands());
  llvm::append_range(tensors, op->getResults());
  for (Value tensor : tensors) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    if (!type)
      continue;
    FailureOr<int64_t> number = getNumElements(op, tensor, sizes);
    if (failed(number))
      return failure();
    elements[tensor] = *number;
    RowsAttr rows = getRows(type);
    if (!rows)
      continue;
    int64_t rowSize = getRowWidth(type);
    int64_t numRows = rowSize ? *number / rowSize : 0;
    if (!cost.domain || numRows > cost.rows)
      std::tie(cost.domain, cost.rows) = std::pair(rows, numRows);
  }
  if (isView(op))
    return cost;
  auto size = [&](Value tensor) { return elements.lookup(tensor); };
  cost.operations = compute.countOperations(size);
  cost.bytesRead = compute.countBytesRead(size);
  for (Value result : op->getResults())
    cost.bytesWritten += size(result) * getElementBytes(result);
  return cost;
}
