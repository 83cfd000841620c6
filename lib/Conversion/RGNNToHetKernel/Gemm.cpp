//===- Gemm.cpp - products of rows with weights ---------------------------===//
//
// A GEMM goes through rows by type where each type has a weight, and by number
// elsewhere. Lists lead from its steps to the rows that it reads and writes.
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

/// Whether the heads of the rows that `product` reads become rows themselves.
static bool joinsHeads(Operation *product) {
  auto sum = dyn_cast<rgnn::OuterSumOp>(product);
  return sum && getRowShape(sum.getX().getType()).size() > 1;
}

bool rgnn::canFuseGather(Operation *product, GatherOp gather) {
  return !joinsHeads(product) && !isLoad(gather.getRows().getDefiningOp()) &&
         succeeded(getStepGather(gather.getTo(), gather.getPath(),
                                 isa<TypedLinearOp, TypedOuterSumOp>(product)));
}

GatherOp rgnn::getFusedGather(Operation *product, Value operand) {
  auto gather = operand.getDefiningOp<GatherOp>();
  return gather && canFuseGather(product, gather) ? gather : GatherOp();
}

FailureOr<StepRows> Converter::getStepRows(Operation *product, Value operand,
                                           const GemmOrder &order) {
  GatherOp gather = getFusedGather(product, operand);
  FailureOr<Place> place = getStepPlace(order.rows, getPlace(operand));
  if (!gather && !joinsHeads(product) && succeeded(place))
    return StepRows{getTensor(operand), *place};
  FailureOr<Value> tensor =
      getNumbered(product, gather ? gather.getRows() : operand);
  if (failed(tensor))
    return failure();
  Place list = order.rows;
  if (gather)
    list = *getStepGather(gather.getTo(), gather.getPath(),
                          /*typed=*/order.tiles.has_value());
  return StepRows{*tensor, list};
}

/// One copy of a matrix for each head of the rows.
static Value repeatForHeads(OpBuilder &builder, Location loc, Value weight,
                            ArrayRef<int64_t> heads) {
  if (heads.empty())
    return weight;
  auto type = cast<RankedTensorType>(weight.getType());
  SmallVector<int64_t> shape(heads);
  llvm::append_range(shape, type.getShape());
  Value out =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, heads.size()));
  return linalg::BroadcastOp::create(builder, loc, weight, out, dims)
      ->getResult(0);
}

LogicalResult Converter::convertGemm(Operation *op) {
  Location loc = op->getLoc();
  Value x = op->getOperand(0), weight = getTensor(op->getOperand(1));
  Value result = op->getResult(0), graph = plan.get(op).nest.graph;
  Domain domain = getRows(result.getType()).getDomain();
  auto linear = dyn_cast<LinearOp>(op);
  GatherOp gather = getFusedGather(op, x);
  GemmOrder order =
      getGemmOrder(domain, /*typed=*/!linear, /*gathers=*/gather != nullptr);
  auto getList = [&](Place list) {
    return list ? getView(loc, graph, *list) : Value();
  };

  FailureOr<StepRows> rows = getStepRows(op, x, order);
  if (failed(rows))
    return failure();
  Place from = rows->list;

  // Where each step writes. Rows that stay at their places need no lists.
  Place place = isGivenToCaller(result) ? getCallersPlace(domain) : Place();
  Place to = *getStepPlace(order.rows, place);
  if (!gather && !order.rows && from == to)
    from = to = Place();

  if (linear)
    weight = repeatForHeads(builder, loc, weight,
                            getRowShape(result.getType()).drop_back());
  Value gatherList = getList(from),
        tiles =
            order.tiles ? getView(loc, graph, *order.tiles, tileRows) : Value(),
        scatterList = getList(to);
  Value out = createEmpty(loc, result.getType(), graph);
  auto gemm =
      GemmOp::create(builder, loc, out.getType(), rows->tensor, gatherList,
                     weight, tiles, /*scale=*/Value(), scatterList, out,
                     UnitAttr(), UnitAttr(), GemmScheduleAttr());
  gemm.setTransposed(linear && linear.getTransposed());
  setTensor(result, gemm.getResult(), place);
  return success();
}
