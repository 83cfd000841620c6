//===- RowsFirstOps.cpp - views, products and scatters with rows first ----===//

#include "RowsFirst.h"
#include "Rules.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

bool RowsFirst::moveView(TorchOp op) {
  Value x = op->getOperand(0);
  auto from = cast<RankedTensorType>(x.getType()),
       to = cast<RankedTensorType>(op.getResult(0).getType());
  std::optional<int64_t> rows = getDim(x), newRows = getRowDim(to);
  if (!rows || !newRows)
    return false;
  // What is in front of the rows and what is behind them is viewed apart.
  ArrayRef<int64_t> before = from.getShape(), after = to.getShape();
  auto count = [](ArrayRef<int64_t> sizes) {
    return ShapedType::getNumElements(sizes);
  };
  if (count(before.take_front(*rows)) != count(after.take_front(*newRows)) ||
      count(before.drop_front(*rows + 1)) !=
          count(after.drop_front(*newRows + 1)))
    return false;
  Value first = moved.contains(x) ? moved.lookup(x) : x;
  Value viewed = reshape(first, bringToFront(after, *newRows));
  if (*newRows == 0)
    op.getResult(0).replaceAllUsesWith(viewed);
  else
    moved[op.getResult(0)] = viewed;
  return true;
}

bool RowsFirst::movePermutation(TorchOp op) {
  Value x = op->getOperand(0);
  std::optional<int64_t> rows = getDim(x);
  std::optional<SmallVector<int64_t>> order = getOrder(Arguments(op));
  if (!rows || !order)
    return false;
  int64_t newRows = llvm::find(*order, *rows) - order->begin();
  SmallVector<int64_t> ofMoved;
  for (int64_t dim : bringToFront<int64_t>(*order, newRows))
    ofMoved.push_back(getMovedDim(dim, *rows));
  Value first = moved.contains(x) ? moved.lookup(x) : x;
  set(op, create("aten.permute", getMovedTypes(op), first,
                 {OperandAttr::get(builder.getContext(), 0),
                  builder.getI64ArrayAttr(ofMoved)}));
  return true;
}

/// Rows `[b..., n, k]` times matrices `[b..., k, m]`: an einsum, of the
/// dimensions that both have or one of them.
bool RowsFirst::moveProduct(TorchOp op) {
  Value x = op->getOperand(0), weight = op->getOperand(1);
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  auto ofX = dyn_cast<RankedTensorType>(x.getType()),
       ofWeight = dyn_cast<RankedTensorType>(weight.getType());
  int64_t rank = type.getRank();
  if (!ofX || !ofWeight || !ofWeight.hasStaticShape() ||
      ofWeight.getRank() < 2 || getRowDim(type) != rank - 2)
    return false;
  Value first = bring(x, rank, rank - 2);
  if (!first)
    return false;
  if (ofWeight.getRank() == 2) {
    set(op, create(op.getName(), getMovedTypes(op), {first, weight},
                   op.getArgs().getValue()));
    return true;
  }
  SmallVector<int64_t> lhs{ShapedType::kDynamic}, rhs;
  std::string ofRows = "n", ofMatrix, ofResult = "n";
  auto firstType = cast<RankedTensorType>(first.getType());
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
  if (rank > 12)
    return false;
  lhs.push_back(ofX.getShape().back());
  llvm::append_range(rhs, ofWeight.getShape().take_back(2));
  std::string equation = ofRows + "k," + ofMatrix + "km->" + ofResult + "m";
  Value product =
      create("aten.einsum", getMovedTypes(op),
             {reshape(first, lhs), reshape(weight, rhs)},
             {builder.getStringAttr(equation),
              builder.getArrayAttr({OperandAttr::get(builder.getContext(), 0),
                                    OperandAttr::get(builder.getContext(), 1)}),
              builder.getUnitAttr()})
          ->getResult(0);
  moved[op.getResult(0)] = product;
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
  int64_t rows = *getRowDim(type);
  bool adds = op.getName() == "aten.scatter_add";
  Value list = arguments.value(2) ? getRepeated(arguments.value(2)) : Value();
  Value into = arguments.floats(0), source = arguments.floats(3);
  if (normalizeDim(arguments.integer(1), type.getRank()) != rows || !list ||
      !into || !source || (!adds && arguments.string(4) == "sum"))
    return false;
  into = bring(into, type.getRank(), rows);
  source = bring(source, type.getRank(), rows);
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
  set(op, create(adds ? "aten.index_add" : "aten.index_reduce",
                 getMovedTypes(op), {into, list, source}, args));
  return true;
}
