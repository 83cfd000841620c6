//===- Ops.cpp - operators and views with rows first ----------------------===//

#include "../Rules.h"
#include "RowsFirst.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

bool RowsFirst::moveElementwise(TorchOp op) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  int64_t rows = *getBroadcastDim(op);
  SmallVector<Value> operands = bringOperands(op, type.getRank(), rows);
  if (operands.empty())
    return false;
  set(op, rows, op.getName(), operands, op.getArgs().getValue());
  return true;
}

bool RowsFirst::moveFill(TorchOp op, unsigned sizes) {
  ArrayRef<Attribute> args = op.getArgs().getValue();
  auto list =
      sizes < args.size() ? dyn_cast<ArrayAttr>(args[sizes]) : ArrayAttr();
  int64_t rows = *getBroadcastDim(op);
  if (!list || static_cast<int64_t>(list.size()) <= rows)
    return false;
  bool isExpanded = op.getName() == "aten.expand";
  // What others are filled like says nothing of their rows.
  if (!isExpanded && !getRowDim(op.getResult(0).getType()))
    return false;
  SmallVector<Attribute> changed(args);
  changed[sizes] = builder.getArrayAttr(bringToFront(list.getValue(), rows));
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getFirst(operand));
  if (isExpanded) {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    operands[0] = bring(op->getOperand(0), type.getRank(), rows);
    if (!operands[0])
      return false;
  }
  set(op, rows, op.getName(), operands, changed);
  return true;
}

bool RowsFirst::moveOfDims(TorchOp op, unsigned dims) {
  Value x = op->getOperand(0);
  auto type = cast<RankedTensorType>(x.getType());
  if (dims >= op.getArgs().size())
    return false;
  int64_t rows = *getDim(x), after = rows;
  auto result = cast<RankedTensorType>(op->getResultTypes().front());
  bool reduces = llvm::StringSwitch<bool>(op.getName())
                     .Cases({"aten.sum.dim_IntList", "aten.mean.dim",
                             "aten.amax", "aten.amin", "aten.max.dim",
                             "aten.min.dim", "aten.var.correction",
                             "aten.std.correction", "aten.linalg_vector_norm"},
                            true)
                     .Default(false);
  bool dropsDims = result.getRank() < type.getRank(), hasRows = true;
  SmallVector<Attribute> args(op.getArgs().getValue()), changed;
  auto list = dyn_cast<ArrayAttr>(args[dims]);
  for (Attribute attr : list ? list.getValue() : ArrayRef(args[dims])) {
    auto integer = dyn_cast<IntegerAttr>(attr);
    std::optional<int64_t> dim =
        integer ? normalizeDim(integer.getInt(), type.getRank()) : std::nullopt;
    if (!dim)
      return false;
    changed.push_back(builder.getI64IntegerAttr(getMovedDim(*dim, rows)));
    hasRows &= *dim != rows || !(reduces || dropsDims);
    after -= dropsDims && *dim < rows;
  }
  args[dims] = list ? builder.getArrayAttr(changed) : changed.front();
  SmallVector<Value> operands(op->getOperands());
  operands[0] = getFirst(x);
  if (hasRows) {
    set(op, after, op.getName(), operands, args);
    return true;
  }
  SmallVector<Type> types(op->getResultTypes());
  // A dimension of size 1 where the rows were is put back.
  if (!dropsDims && op->getNumResults() != 1)
    return false;
  if (!dropsDims)
    types[0] = result.clone(bringToFront(result.getShape(), rows));
  TorchOp reduced = create(op.getName(), types, operands, args);
  if (!dropsDims)
    op.getResult(0).replaceAllUsesWith(
        reshape(reduced.getResult(0), result.getShape()));
  else
    op->replaceAllUsesWith(reduced);
  return true;
}

bool RowsFirst::moveJoin(TorchOp op) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  std::optional<int64_t> dim =
      normalizeDim(Arguments(op).integer(1), type.getRank());
  bool isStack = op.getName() == "aten.stack";
  if (!dim)
    return false;
  std::optional<int64_t> rows = getRowDim(type);
  for (Value part : op->getOperands())
    if (auto it = moved.find(part); !rows && it != moved.end())
      rows = it->second.rows + (isStack && *dim <= it->second.rows);
  if (!rows || *rows == 0)
    return false;
  int64_t rank = type.getRank() - isStack,
          ofParts = *rows - (isStack && *dim < *rows);
  SmallVector<Value> parts;
  for (Value part : op->getOperands()) {
    auto own = dyn_cast<RankedTensorType>(part.getType());
    parts.push_back(own && own.getRank() == rank ? bring(part, rank, ofParts)
                                                 : Value());
    if (!parts.back())
      return false;
  }
  SmallVector<Attribute> args(op.getArgs().getValue());
  args[1] = builder.getI64IntegerAttr(getMovedDim(*dim, *rows));
  set(op, *rows, op.getName(), parts, args);
  return true;
}

/// Which dimension of shape `after` dimension `rows` of `before` becomes, where
/// what is in front of it and what is behind it are viewed apart.
static std::optional<int64_t>
getViewedDim(ArrayRef<int64_t> before, int64_t rows, ArrayRef<int64_t> after) {
  auto count = [](ArrayRef<int64_t> sizes) {
    return llvm::is_contained(sizes, ShapedType::kDynamic)
               ? int64_t(-1)
               : ShapedType::getNumElements(sizes);
  };
  for (int64_t dim : llvm::seq<int64_t>(after.size()))
    if (after[dim] == before[rows] && count(before.take_front(rows)) >= 0 &&
        count(before.take_front(rows)) == count(after.take_front(dim)) &&
        count(before.drop_front(rows + 1)) >= 0 &&
        count(before.drop_front(rows + 1)) == count(after.drop_front(dim + 1)))
      return dim;
  return std::nullopt;
}

bool RowsFirst::moveView(TorchOp op) {
  Value x = op->getOperand(0);
  std::optional<int64_t> rows = getDim(x);
  if (!rows)
    return false;
  ArrayRef<int64_t> after =
      cast<RankedTensorType>(op.getResult(0).getType()).getShape();
  std::optional<int64_t> newRows = getViewedDim(
      cast<RankedTensorType>(x.getType()).getShape(), *rows, after);
  if (!newRows)
    return false;
  Value viewed = reshape(getFirst(x), bringToFront(after, *newRows));
  setForm(op.getResult(0), viewed, *newRows);
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
  if (llvm::is_sorted(ofMoved)) {
    setForm(op.getResult(0), getFirst(x), newRows);
    return true;
  }
  set(op, newRows, "aten.permute", getFirst(x),
      {OperandAttr::get(builder.getContext(), 0),
       builder.getI64ArrayAttr(ofMoved)});
  return true;
}
