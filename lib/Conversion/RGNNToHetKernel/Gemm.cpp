//===- Gemm.cpp - products of rows with weights ---------------------------===//
//
// A GEMM goes through rows by type where each type has a weight, and by number
// elsewhere. Lists lead from its steps to the rows that it reads and writes; to
// rows of a sum, where it may add to them in any order.
//
//===----------------------------------------------------------------------===//

#include "Absorption.h"
#include "Converter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

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
  auto [product, addend, sum, graph] = *plan.get(op).getIf<GemmPlan>();
  Value result = op->getResult(0), bias;
  if (addend) {
    FailureOr<Value> numbered = getNumbered(op, addend);
    if (failed(numbered))
      return failure();
    bias = *numbered;
  }
  op = product;
  Value x = op->getOperand(0), weight = getTensor(op->getOperand(1));
  Domain domain = getRows(op->getResult(0).getType()).getDomain();
  auto linear = dyn_cast<LinearOp>(op);
  GatherOp gather = getFusedGather(op, x);
  GemmOrder order = getGemmOrder(domain, /*typed=*/!linear,
                                 /*gathers=*/gather != nullptr || sum);
  auto getList = [&](Place list) {
    return list ? getView(loc, graph, *list) : Value();
  };

  FailureOr<StepRows> rows = getStepRows(op, x, order);
  if (failed(rows))
    return failure();
  Place from = rows->list;

  // Where each step writes. Rows that stay at their places need no lists.
  Place place = isGivenToCaller(result)
                    ? getCallersPlace(getRows(result.getType()).getDomain())
                    : Place();
  Place to = sum ? Place(*getStepGather(domain, sum.getPath(),
                                        /*typed=*/!linear))
                 : *getStepPlace(order.rows, place);
  if (!gather && !order.rows && from == to)
    from = to = Place();

  if (linear)
    weight = repeatForHeads(builder, loc, weight,
                            getRowShape(result.getType()).drop_back());
  Value gatherList = getList(from),
        tiles =
            order.tiles ? getView(loc, graph, *order.tiles, tileRows) : Value(),
        scatterList = getList(to);
  Value out = sum ? createZeros(loc, result.getType(), graph)
                  : createEmpty(loc, result.getType(), graph);
  auto gemm = GemmOp::create(builder, loc, out.getType(), rows->tensor,
                             gatherList, weight, tiles, /*scale=*/Value(), bias,
                             scatterList, out, UnitAttr(), UnitAttr(),
                             UnitAttr(), hetkernel::GemmScheduleInterface());
  gemm.setTransposed(linear && linear.getTransposed());
  gemm.setAccumulate(sum != nullptr);
  gemm.setAtomic(sum != nullptr);
  setTensor(result, gemm.getResult(), place);
  return success();
}

/// Tiles of `count` matrices of `rows` rows each, one below the other.
static Value createTiles(OpBuilder &builder, Location loc, int64_t count,
                         int64_t rows, int64_t tileRows) {
  SmallVector<int32_t> tiles;
  for (int64_t matrix = 0; matrix < count; ++matrix)
    for (int64_t row = 0; row < rows; row += tileRows)
      for (int64_t entry : {matrix, matrix * rows + row,
                            matrix * rows + std::min(row + tileRows, rows)})
        tiles.push_back(entry);
  auto type = [&](int64_t number) {
    return RankedTensorType::get({number, 3}, builder.getI32Type());
  };
  Value list = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type(tiles.size() / 3), ArrayRef(tiles)));
  return tensor::CastOp::create(builder, loc, type(ShapedType::kDynamic), list);
}

/// The rows of all matrices are one tensor, and the type of a row is the number
/// of its matrix.
Value Converter::emitMatmul(MatmulOp op, Value lhs, Value rhs) {
  Location loc = op.getLoc();
  auto getType = [](Value value) {
    return cast<RankedTensorType>(value.getType());
  };
  auto result = getType(op.getResult());
  ArrayRef<int64_t> batch = result.getShape().drop_back(2);
  int64_t count = ShapedType::getNumElements(batch),
          rows = getType(op.getLhs()).getShape().drop_back().back();
  auto reshaped = [&](Value tensor, ArrayRef<int64_t> shape) {
    return reshape(builder, loc, tensor,
                   RankedTensorType::get(shape, result.getElementType()),
                   /*rowDims=*/0);
  };
  int64_t in = getType(op.getRhs()).getShape().drop_back().back(),
          out = result.getShape().back();
  Value left = reshaped(lhs, {count * rows, in}),
        right = reshaped(rhs, {count, in, out}),
        init = tensor::EmptyOp::create(builder, loc,
                                       ArrayRef<int64_t>{count * rows, out},
                                       result.getElementType());
  auto gemm = GemmOp::create(
      builder, loc, init.getType(), left, /*gather=*/Value(), right,
      createTiles(builder, loc, count, rows, tileRows),
      /*scale=*/Value(), /*bias=*/Value(), /*scatter=*/Value(), init,
      UnitAttr(), UnitAttr(), UnitAttr(), hetkernel::GemmScheduleInterface());
  return reshape(builder, loc, gemm.getResult(), result, /*rowDims=*/0);
}
