//===- Movement.cpp - products and movement with rows first ---------------===//

#include "../Rules.h"
#include "RowsFirst.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// Rows `[b..., n, k]` times matrices `[b..., k, m]`: an einsum, of the
/// dimensions that both have or one of them.
/// A matrix times columns is, with the columns as rows, a linear layer.
bool RowsFirst::moveColumns(TorchOp op) {
  Value weight = op->getOperand(0), x = op->getOperand(1);
  auto ofWeight = dyn_cast<RankedTensorType>(weight.getType());
  auto it = moved.find(x);
  if (!ofWeight || !ofWeight.hasStaticShape() || ofWeight.getRank() != 2 ||
      moved.contains(weight) || it == moved.end() || it->second.rows != 1)
    return false;
  set(op, 1, "aten.linear", {it->second.first, weight},
      {OperandAttr::get(builder.getContext(), 0),
       OperandAttr::get(builder.getContext(), 1), builder.getUnitAttr()});
  return true;
}

bool RowsFirst::moveProduct(TorchOp op) {
  Value x = op->getOperand(0), weight = op->getOperand(1);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  auto ofX = dyn_cast<RankedTensorType>(x.getType()),
       ofWeight = dyn_cast<RankedTensorType>(weight.getType());
  int64_t rank = type.getRank(), rows = rank - 2;
  if (!ofX || !ofWeight || !ofWeight.hasStaticShape() ||
      moved.contains(weight) || ofWeight.getRank() < 2 ||
      getBroadcastDim(op) != rows)
    return false;
  Value first = bring(x, rank, rows);
  if (!first)
    return false;
  if (ofWeight.getRank() == 2) {
    set(op, rows, op.getName(), {first, weight}, op.getArgs().getValue());
    return true;
  }
  if (rank > 12)
    return false;
  auto firstType = cast<RankedTensorType>(first.getType());
  SmallVector<int64_t> lhs{firstType.getDimSize(0)}, rhs;
  std::string ofRows = "n", ofMatrix, ofResult = "n";
  for (int64_t dim = 0; dim < rank - 2; ++dim) {
    int64_t inMatrix = dim - (rank - ofWeight.getRank());
    int64_t rowSize = firstType.getDimSize(dim + 1),
            size = inMatrix < 0 ? 1 : ofWeight.getDimSize(inMatrix);
    char letter = 'a' + dim;
    if (rowSize > 1 || size == 1) {
      lhs.push_back(rowSize);
      ofRows += letter;
    }
    if (size > 1) {
      rhs.push_back(size);
      ofMatrix += letter;
    }
    ofResult += letter;
  }
  lhs.push_back(ofX.getShape().back());
  llvm::append_range(rhs, ofWeight.getShape().take_back(2));
  std::string equation = ofRows + "k," + ofMatrix + "km->" + ofResult + "m";
  set(op, rows, "aten.einsum", {reshape(first, lhs), reshape(weight, rhs)},
      {builder.getStringAttr(equation),
       builder.getArrayAttr({OperandAttr::get(builder.getContext(), 0),
                             OperandAttr::get(builder.getContext(), 1)}),
       builder.getUnitAttr()});
  return true;
}

/// The dimension along which an operator picks by its last operand, a list.
static std::optional<int64_t> getPickedDim(TorchOp op, int64_t rank) {
  if (op.getName() == "aten.index_select")
    return normalizeDim(Arguments(op).integer(1), rank);
  // x[:, :, list]
  auto lists = dyn_cast<ArrayAttr>(op.getArgs()[1]);
  if (!lists || lists.empty() || !isa<OperandAttr>(lists.getValue().back()) ||
      !llvm::all_of(lists.getValue().drop_back(), llvm::IsaPred<UnitAttr>))
    return std::nullopt;
  return lists.size() - 1;
}

/// What a list picks from rows, along any dimension; and what a list of rows
/// picks from a tensor of known sizes, of which it then is the first dimension.
bool RowsFirst::movePick(TorchOp op) {
  Value x = op->getOperand(0), list = op->getOperands().back();
  auto type = cast<RankedTensorType>(x.getType()),
       ofList = cast<RankedTensorType>(list.getType());
  std::optional<int64_t> dim = getPickedDim(op, type.getRank());
  if (op->getNumOperands() != 2 || ofList.getRank() != 1 || !dim)
    return false;
  std::optional<int64_t> rows = moved.contains(x) ? getDim(x) : *dim;
  if (!moved.contains(x) &&
      (!type.hasStaticShape() || ofList.hasStaticShape() || *dim == 0))
    return false;
  Value first = moved.contains(x) ? getFirst(x) : bringStatic(x, *dim);
  set(op, *rows, "aten.index_select", {first, list},
      {OperandAttr::get(op.getContext(), 0),
       builder.getI64IntegerAttr(getMovedDim(*dim, *rows)),
       OperandAttr::get(op.getContext(), 1)});
  return true;
}

/// The list of integers that `index` repeats along all but one dimension.
static Value getRepeated(Value index) {
  while (cast<RankedTensorType>(index.getType()).getRank() > 1) {
    auto op = index.getDefiningOp<TorchOp>();
    if (!op || (op.getName() != "aten.expand" &&
                op.getName() != "aten.expand_as" && !isView(op.getName())))
      return {};
    index = op->getOperand(0);
  }
  return index;
}

/// scatter_add(into, dim, index, rows), scatter_reduce(..., reduce, self) along
/// the rows: index_add and index_reduce, whose index is a list.
bool RowsFirst::moveScatter(TorchOp op) {
  Arguments arguments(op);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  std::optional<int64_t> rows =
      normalizeDim(arguments.integer(1), type.getRank());
  bool adds = op.getName() == "aten.scatter_add";
  Value list = arguments.value(2) ? getRepeated(arguments.value(2)) : Value();
  Value into = arguments.floats(0), source = arguments.floats(3);
  if (!rows || *rows == 0 || getRowDim(type).value_or(*rows) != *rows ||
      !list || !into || !source || (!adds && arguments.string(4) == "sum"))
    return false;
  into = bring(into, type.getRank(), *rows);
  source = bring(source, type.getRank(), *rows);
  if (!into || !source)
    return false;
  auto operand = [&](unsigned number) {
    return OperandAttr::get(builder.getContext(), number);
  };
  SmallVector<Attribute> args{operand(0), builder.getI64IntegerAttr(0),
                              operand(1), operand(2)};
  if (adds)
    args.push_back(builder.getI64IntegerAttr(1));
  else
    args.append({arguments.get(4), arguments.get(5)});
  set(op, *rows, adds ? "aten.index_add" : "aten.index_reduce",
      {into, list, source}, args);
  return true;
}

/// index_add(into, dim, list, rows, alpha), index_reduce(..., reduce, self)
/// along the rows.
bool RowsFirst::moveSums(TorchOp op) {
  Arguments arguments(op);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  std::optional<int64_t> rows =
      normalizeDim(arguments.integer(1), type.getRank());
  Value into = arguments.floats(0), list = arguments.value(2),
        source = arguments.floats(3);
  if (!rows || *rows == 0 || getRowDim(type).value_or(*rows) != *rows ||
      op->getNumOperands() != 3 || !into || !list || !source)
    return false;
  into = bring(into, type.getRank(), *rows);
  source = bring(source, type.getRank(), *rows);
  if (!into || !source)
    return false;
  SmallVector<Attribute> args(op.getArgs().getValue());
  args[1] = builder.getI64IntegerAttr(0);
  set(op, *rows, op.getName(), {into, list, source}, args);
  return true;
}
