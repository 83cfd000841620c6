//===- OuterSum.cpp - sums over rows, the gradients of weights ------------===//
//
// A sum goes through rows as a GEMM does: by type where each type has a result,
// and by number elsewhere. Where both factors of a sum over all rows have their
// rows in one order, that order is as good as any.
//
//===----------------------------------------------------------------------===//

#include "Absorption.h"
#include "Converter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

/// The tensor with all dimensions but the last as one.
static Value joinHeads(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  if (rank == 2)
    return tensor;
  ArrayRef<int64_t> vectors = type.getShape().drop_back();
  int64_t rows = ShapedType::isDynamicShape(vectors)
                     ? ShapedType::kDynamic
                     : ShapedType::getNumElements(vectors);
  auto matrix = RankedTensorType::get({rows, type.getShape().back()},
                                      type.getElementType());
  if (rank == 1)
    return tensor::ExpandShapeOp::create(
        builder, loc, matrix, tensor,
        SmallVector<ReassociationIndices>{{0, 1}});
  return tensor::CollapseShapeOp::create(
      builder, loc, matrix, tensor,
      SmallVector<ReassociationIndices>{
          llvm::to_vector<2>(llvm::seq<int64_t>(0, rank - 1)), {rank - 1}});
}

/// The rows, with all that is in a row as one dimension.
static Value joinFeatures(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t features = ShapedType::getNumElements(type.getShape().drop_front());
  return reshape(builder, loc, tensor,
                 RankedTensorType::get({type.getDimSize(0), features},
                                       type.getElementType()),
                 /*rowDims=*/1);
}

/// The kernel, of two factors or of the rows of one tensor. `lists` and `tiles`
/// may be null; `numTypes` is the size of a result that does not know it.
static Value emitSum(OpBuilder &builder, Location loc, ArrayRef<Value> tensors,
                     ArrayRef<Value> lists, Value tiles, RankedTensorType type,
                     ValueRange numTypes = {}) {
  bool hasFactors = tensors.size() == 2;
  Value out = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                      type.getElementType(), numTypes);
  return hetkernel::OuterSumOp::create(
             builder, loc, type, hasFactors ? tensors[0] : Value(),
             hasFactors ? lists[0] : Value(), tensors.back(), lists.back(),
             tiles, out, hetkernel::GemmScheduleInterface())
      .getResult();
}

LogicalResult Converter::convertOuterSum(Operation *op) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  bool byType = isa<ReduceOp>(op), typed = byType || isa<TypedOuterSumOp>(op),
       ofRows = byType || isa<SumRowsOp>(op);
  ValueRange operands = op->getOperands().take_front(ofRows ? 1 : 2);
  RowsAttr rowsAttr = getRows(operands[0].getType());
  Value graph = rowsAttr ? plan.get(op).getIf<SumPlan>()->graph : Value();

  // The order in which the sum goes through rows.
  bool gathers = llvm::any_of(operands, [&](Value operand) {
    return getFusedGather(op, operand) != nullptr;
  });
  bool inOneOrder =
      !typed && !gathers && llvm::all_of(operands, [&](Value operand) {
        return getPlace(operand) == getPlace(operands[0]);
      });
  GemmOrder order;
  if (!inOneOrder)
    order = getGemmOrder(rowsAttr.getDomain(), typed, gathers);

  SmallVector<Value> tensors, lists;
  for (Value operand : operands) {
    FailureOr<StepRows> rows = StepRows{getTensor(operand), Place()};
    if (!inOneOrder)
      rows = getStepRows(op, operand, order);
    if (failed(rows))
      return failure();
    tensors.push_back(rows->tensor);
    lists.push_back(rows->list ? getView(loc, graph, *rows->list) : Value());
  }

  Value tiles;
  if (order.tiles)
    tiles = getView(loc, graph, *order.tiles, outerSumTileRows);
  if (isa<rgnn::OuterSumOp>(op))
    for (Value &tensor : tensors)
      tensor = joinHeads(builder, loc, tensor);
  if (!ofRows) {
    // A column is computed as a row, whose numbers are side by side.
    bool isColumn = type.getShape().back() == 1;
    auto made = type;
    if (isColumn) {
      std::swap(tensors[0], tensors[1]);
      std::swap(lists[0], lists[1]);
      SmallVector<int64_t> shape(type.getShape());
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
      made = RankedTensorType::get(shape, type.getElementType());
    }
    Value sum = emitSum(builder, loc, tensors, lists, tiles, made);
    setTensor(result, isColumn ? reshape(builder, loc, sum, type,
                                         /*rowDims=*/0)
                               : sum);
    return success();
  }
  Value rows = joinFeatures(builder, loc, tensors[0]);
  int64_t features = cast<RankedTensorType>(rows.getType()).getDimSize(1);
  SmallVector<int64_t> shape{features};
  SmallVector<Value> numTypes;
  if (byType) {
    shape.insert(shape.begin(), type.getDimSize(0));
    if (type.isDynamicDim(0))
      numTypes.push_back(
          getSize(loc, graph, getRows(result.getType()).getDomain()));
    type = RankedTensorType::get(type.getShape(), type.getElementType());
  }
  Value sum =
      emitSum(builder, loc, rows, lists, tiles,
              RankedTensorType::get(shape, type.getElementType()), numTypes);
  setTensor(result,
            reshape(builder, loc, sum, type, /*rowDims=*/byType ? 1 : 0));
  return success();
}
