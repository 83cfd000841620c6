//===- LookupSum.cpp - sums of edges for each type and node ---------------===//
//
// A traversal whose outer rows are those of the table: each is written once,
// zero where no edge has its type and node. Views list the edges in the order
// of the table, so that no two threads write one row.
//
//===----------------------------------------------------------------------===//

#include "Absorption.h"
#include "TraversalEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

LogicalResult Converter::convertLookupSum(LookupSumOp op) {
  Location loc = op.getLoc();
  Value graph = plan.get(op.getOperation()).getIf<SumPlan>()->graph,
        rows = op.getRows();
  bool isSrc = op.getPath() == Path::Src;

  // Where the row of an edge is.
  FailureOr<Value> tensor = getTensor(rows);
  Place list = getPlace(rows);
  if (GatherOp gather = getFusedGather(op, rows)) {
    tensor = getNumbered(op, gather.getRows());
    list = *getStepGather(Domain::Edge, gather.getPath(), /*typed=*/false);
  }
  if (failed(tensor))
    return failure();
  SmallVector<Value> lists{getView(
      loc, graph, isSrc ? ViewKind::SrcPairEdges : ViewKind::ETypeEdges)};
  if (list)
    lists.push_back(getView(loc, graph, *list));
  Value offsets =
      getView(loc, graph,
              isSrc ? ViewKind::SrcTableOffsets : ViewKind::DstTableOffsets);

  auto table = cast<RankedTensorType>(op.getResult().getType());
  int64_t numRows = table.getDimSize(0) * table.getDimSize(1);
  auto flat = RankedTensorType::get({numRows, table.getDimSize(2)},
                                    table.getElementType());
  Value out = tensor::EmptyOp::create(builder, loc, flat.getShape(),
                                      flat.getElementType());
  auto traverse =
      TraverseOp::create(builder, loc, out.getType(),
                         arith::ConstantIndexOp::create(builder, loc, numRows),
                         offsets, out, hetkernel::TraverseScheduleInterface());
  Type stored = getStoredType(rows), row = getRowType(rows);
  {
    OpBuilder::InsertionGuard guard(builder);
    Value outer = builder.createBlock(&traverse.getBody())
                      ->addArgument(builder.getIndexType(), loc);
    Value zero = createSplat(builder, loc, row, 0.0);
    auto loop = hetkernel::ForEachOp::create(builder, loc, row, outer, zero);
    {
      OpBuilder::InsertionGuard inLoop(builder);
      Block *body = builder.createBlock(&loop.getBody());
      Value index = body->addArgument(builder.getIndexType(), loc);
      Value sum = body->addArgument(row, loc);
      for (Value view : lists)
        index = hetkernel::LookupOp::create(
            builder, loc, builder.getIndexType(), view, index);
      Value loaded = RowOp::create(builder, loc, stored, *tensor, index);
      if (row != stored)
        loaded = arith::ExtFOp::create(builder, loc, row, loaded);
      hetkernel::YieldOp::create(
          builder, loc,
          arith::AddFOp::create(builder, loc, sum, loaded).getResult());
    }
    Value sum = loop.getResult(0);
    if (row != stored)
      sum = arith::TruncFOp::create(builder, loc, stored, sum);
    hetkernel::YieldOp::create(builder, loc, sum);
  }
  setTensor(op.getResult(), tensor::ExpandShapeOp::create(
                                builder, loc, table, traverse.getResult(0),
                                SmallVector<ReassociationIndices>{{0, 1}, {2}})
                                .getResult());
  return success();
}
