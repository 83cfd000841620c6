//===- PartCloner.cpp - rows of edges, of a part of a graph ---------------===//

#include "RGNN/Dialect/RGNN/Utils/PartCloner.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Whether a value has rows that a part of the graph has fewer of.
static bool isOfPart(Value value) {
  RowsAttr rows = getRows(value.getType());
  return rows && isOfEdges(rows.getDomain());
}

/// Whether an op gives rows of a part what it gives them in the whole graph.
/// All edges of a pair are in the same part, those of a node are not.
static bool isTheSameInParts(Operation *op) {
  if (isa<DegreeOp, ReduceOp, GroupSoftmaxOp>(op)) {
    Path path = op->getAttrOfType<PathAttr>("path").getValue();
    return path == Path::SrcPair || path == Path::DstPair;
  }
  return isa<GatherOp>(op) || isRowwise(op);
}

/// Whether a value of a part can be computed of operands for which `isThere`.
static bool canCompute(Value value, Value graph,
                       function_ref<bool(Value)> isThere) {
  Operation *op = value.getDefiningOp();
  return op && isTheSameInParts(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isa<rgnn::GraphType>(operand.getType()) ? operand == graph
                                                          : isThere(operand);
         });
}

bool PartCloner::isComputed(Value value, Value graph) {
  return !isOfPart(value) || canCompute(value, graph, [&](Value operand) {
    return isComputed(operand, graph);
  });
}

/// Whether rows of edges are exponentials and the like that are added up, or
/// compared, in the whole graph: to load them costs less than to compute them
/// once more.
static bool isBetterRead(Value value) {
  auto map = value.getDefiningOp<MapOp>();
  return map && getRows(value.getType()).getDomain() == Domain::Edge &&
         llvm::any_of(map.getBody().front(),
                      [](Operation &scalar) {
                        return isa<math::MathDialect>(scalar.getDialect());
                      }) &&
         llvm::any_of(value.getUsers(), llvm::IsaPred<ReduceOp>);
}

Value PartCloner::clone(Value value) {
  if (!isOfPart(value))
    return isa<rgnn::GraphType>(value.getType()) ? part : value;
  if (Value known = cloned.lookupOrNull(value))
    return known;
  Value whole = part.getDefiningOp<SplitGraphOp>().getGraph();
  // Edges can be read, pairs cannot.
  bool isThere =
      !isBetterRead(value) && canCompute(value, whole, [&](Value operand) {
        return !isOfPart(operand) ||
               getRows(operand.getType()).getDomain() == Domain::Edge ||
               isComputed(operand, whole);
      });
  Value result;
  if (isThere) {
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      cloned.map(operand, clone(operand));
    Domain domain = getRows(value.getType()).getDomain();
    result = cloneOnto(
        builder, op, cloned,
        getRowsType(cast<rgnn::GraphType>(part.getType()).getRows(domain),
                    getRowShape(value.getType()), getElementTypeOrSelf(value)));
  } else {
    result = GatherOp::create(builder, value.getLoc(), value, part, Path::Whole,
                              Domain::Edge);
  }
  cloned.map(value, result);
  return result;
}
