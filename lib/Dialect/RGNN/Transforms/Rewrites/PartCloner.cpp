//===- PartCloner.cpp - rows of edges, of a part of a graph ---------------===//

#include "PartCloner.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Whether a value has rows that a part of the graph has fewer of.
static bool isOfPart(Value value) {
  RowsAttr rows = getRows(value.getType());
  return rows && isOfEdges(rows.getDomain());
}

bool PartCloner::canClone(Value value) {
  if (!isOfPart(value))
    return true;
  Operation *op = value.getDefiningOp();
  // All edges of a pair are in the same part, those of a node are not.
  auto isOfPairs = [](Path path) {
    return path == Path::SrcPair || path == Path::DstPair;
  };
  if (auto degree = dyn_cast_if_present<DegreeOp>(op))
    return isOfPairs(degree.getPath());
  if (auto reduce = dyn_cast_if_present<ReduceOp>(op))
    return isOfPairs(reduce.getPath()) && canClone(reduce.getRows());
  return isa_and_present<GatherOp, RowOpInterface, LinearOp, TypedLinearOp>(
             op) &&
         llvm::all_of(op->getOperands(), canClone);
}

Value PartCloner::clone(Value value) {
  if (!isOfPart(value))
    return isa<rgnn::GraphType>(value.getType()) ? part : value;
  if (Value known = cloned.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloned.map(operand, clone(operand));
  Value result = builder.clone(*op, cloned)->getResult(0);
  Domain domain = getRows(value.getType()).getDomain();
  result.setType(
      getRowsType(cast<rgnn::GraphType>(part.getType()).getRows(domain),
                  getRowShape(value.getType()), getElementTypeOrSelf(value)));
  return result;
}
