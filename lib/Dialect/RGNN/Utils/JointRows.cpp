//===- JointRows.cpp - rows of nodes on those of joint graphs -------------===//

#include "RGNN/Dialect/RGNN/Utils/JointRows.h"
#include "RGNN/Dialect/RGNN/Utils/Sums.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::rgnn;

void rgnn::moveToJointGraphs(Block &block,
                             ArrayRef<std::unique_ptr<JointGraph>> joints) {
  DenseMap<RowsAttr, Value> numbers;
  for (COOGraphOp graph : block.getOps<COOGraphOp>())
    if (!JointGraph::whyNotJoined(graph))
      for (Path end : {Path::Src, Path::Dst})
        numbers[graph.getGraph().getType().getRows(end, Domain::Edge)] =
            getNumNodes(graph, end);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    RowsAttr rows = isa<RowOpInterface, LinearOp>(op)
                        ? getRows(op.getResult(0).getType())
                        : RowsAttr();
    Value number = rows ? numbers.lookup(rows) : Value();
    auto *joint = llvm::find_if(
        joints, [&](auto &each) { return number && each->findType(number); });
    if (joint == joints.end())
      continue;
    RowsAttr domain = (*joint)->getNodes(*(*joint)->findType(number));
    FailureOr<Value> graph = findGraph(&op, rows);
    assert(succeeded(graph) && "an op has rows of a graph of the function");
    // Behind all that it may read, until ops are sorted.
    OpBuilder builder(block.getTerminator());
    IRMapping operands;
    for (Value operand : op.getOperands())
      if (getRows(operand.getType()))
        operands.map(operand,
                     placeOn(builder, operand, domain, (*joint)->getGraph()));
    Value result = op.getResult(0);
    Value moved = cloneOnto(builder, &op, operands,
                            getRowsType(domain, getRowShape(result.getType()),
                                        getElementTypeOrSelf(result)));
    result.replaceAllUsesWith(placeOn(builder, moved, rows, *graph));
  }
  // What was placed on the rows of a relation, and from there on its own.
  for (auto place : block.getOps<PlaceOp>())
    if (Value rows = skipPlaces(place);
        rows != place.getResult() && rows.getType() == place.getType())
      place.getResult().replaceAllUsesWith(rows);
}
