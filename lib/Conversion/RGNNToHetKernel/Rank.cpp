//===- Rank.cpp - edges compared with those of their group ----------------===//

#include "Converter.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

LogicalResult Converter::convertRank(Operation *op, Value x, Value y,
                                     Value values, Path path) {
  Location loc = op->getLoc();
  Value graph = plan.get(op).getIf<SumPlan>()->graph;
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  auto flat = RankedTensorType::get(
      {type.getDimSize(0), ShapedType::getNumElements(getRowShape(type))},
      type.getElementType());
  auto take = [&](Value rows) -> FailureOr<Value> {
    FailureOr<Value> tensor = getNumbered(op, rows);
    if (failed(tensor))
      return failure();
    return reshape(builder, loc, *tensor, flat, 1);
  };
  FailureOr<Value> ofX = take(x), ofY = y == x ? ofX : take(y);
  FailureOr<Value> ofValues = values ? take(values) : FailureOr<Value>(Value());
  if (failed(ofX) || failed(ofY) || failed(ofValues))
    return failure();
  GroupViews views = getGroupViews(Domain::Edge, path);
  Value segments = getView(loc, graph, views.offsets), list;
  if (views.rows)
    list = getView(loc, graph, *views.rows);
  Value out = createEmpty(
      loc,
      getRowsType(getRows(type), flat.getDimSize(1), flat.getElementType()),
      graph);
  Value rank = RankOp::create(builder, loc, out.getType(), *ofX, *ofY,
                              *ofValues, segments, list, out)
                   .getResult();
  setTensor(result, reshape(builder, loc, rank,
                            RankedTensorType::get(type.getShape(),
                                                  type.getElementType()),
                            1));
  return success();
}
