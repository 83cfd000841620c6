//===- Truths.cpp - what is compared moves, where truth values would ------===//
//
// Rows hold no truth values (Operands.cpp): what reads a comparison makes it
// anew. So a comparison in another shape compares what is in that shape, and
// that of the source of each edge compares what is gathered:
//
//   Before:  %m = gt(%degree, 3)
//            %u = unsqueeze(%m, -1)
//            %y = masked_fill(%x, %u, 0)
//
//   After:   %u = unsqueeze(%degree, -1)
//            %m = gt(%u, 3)
//            %y = masked_fill(%x, %m, 0)
//
//   Before:  %m = gt(%score, 0)
//            %u = index_select(%m, 0, %src)
//   After:   %u = index_select(%score, 0, %src)
//            %m = gt(%u, 0)
//
// Where what is compared is in other places, or another operator moves truth
// values, zeros and ones are moved:
//
//   Before:  %m = cat([gt(%x, 0), lt(%y, 1)], 1)
//   After:   %z = cat([_to_copy(gt(%x, 0)), _to_copy(lt(%y, 1))], 1)
//            %m = ne(%z, 0)
//
//===----------------------------------------------------------------------===//

#include "Truths.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

bool lift::isGather(StringRef name) {
  return name == "aten.index_select" || name == "aten.index.Tensor";
}

TorchOp lift::getTruth(Value value) {
  auto op = isTruth(value) ? value.getDefiningOp<TorchOp>() : TorchOp();
  bool computes = op && llvm::is_contained(getTruthOperators(), op.getName());
  return computes ? op : TorchOp();
}

/// What an op shows in another shape or gathers, if it computes truth values of
/// numbers each of which is in its place already.
static TorchOp getMovedTruth(TorchOp move) {
  StringRef name = move.getName();
  if (move->getNumOperands() == 0 || move->getNumResults() != 1 ||
      (!isView(name) && !isGather(name)))
    return {};
  TorchOp truth = getTruth(move->getOperand(0));
  if (!truth)
    return {};
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(move->getOperand(0).getType()).getShape();
  bool isInPlace = llvm::all_of(truth->getOperandTypes(), [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && (tensor.getRank() == 0 || tensor.getShape() == shape);
  });
  return isInPlace ? truth : TorchOp();
}

static void moveAboveTruth(TorchOp move) {
  TorchOp truth = getMovedTruth(move);
  if (!truth)
    return;
  OpBuilder builder(move);
  auto moved = cast<RankedTensorType>(move.getResult(0).getType());
  SmallVector<TorchOp> copies;
  IRMapping operands;
  for (Value operand : truth->getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getRank() == 0 || operands.contains(operand))
      continue;
    auto copy = cast<TorchOp>(builder.clone(*move));
    copy->setOperand(0, operand);
    // A comparison is contiguous, what it compares need not be.
    if (move.getName() == "aten.view" || move.getName() == "aten._unsafe_view")
      copy.setName("aten.reshape");
    copy.getResult(0).setType(moved.clone(type.getElementType()));
    operands.map(operand, copy.getResult(0));
    copies.push_back(copy);
  }
  Operation *made = builder.clone(*truth, operands);
  made->getResult(0).setType(moved);
  move.getResult(0).replaceAllUsesWith(made->getResult(0));
  move->erase();
  for (TorchOp each : copies)
    moveAboveTruth(each);
}

/// Operators that move zeros and ones as they do truth values.
static constexpr StringRef movers[] = {"aten.cat",
                                       "aten.stack",
                                       "aten.expand",
                                       "aten.expand_as",
                                       "aten.slice.Tensor",
                                       "aten.select.int",
                                       "aten.narrow",
                                       "aten.unbind.int",
                                       "aten.split.Tensor",
                                       "aten.chunk",
                                       "aten.transpose.int",
                                       "aten.permute",
                                       "aten.t",
                                       "aten.flip",
                                       "aten.roll",
                                       "aten.repeat",
                                       "aten.gather",
                                       "aten.constant_pad_nd",
                                       "aten.split_with_sizes",
                                       "aten.repeat_interleave.self_int"};

bool lift::isMover(StringRef name) {
  return isView(name) || isGather(name) || llvm::is_contained(movers, name);
}

FloatType lift::getComparedType(TorchOp truth) {
  for (Value operand : truth->getOperands()) {
    if (TorchOp other = getTruth(operand))
      return getComparedType(other);
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(operand));
    if (type && type.getWidth() >= 32)
      return type;
  }
  return Float32Type::get(truth->getContext());
}

TorchOp lift::createUnary(OpBuilder &builder, StringRef name, Value operand,
                          Type element, Attribute argument) {
  auto type = cast<RankedTensorType>(operand.getType()).clone(element);
  return TorchOp::create(
      builder, operand.getLoc(), TypeRange{type}, builder.getStringAttr(name),
      ValueRange{operand},
      builder.getArrayAttr(
          {OperandAttr::get(builder.getContext(), 0), argument}));
}

void lift::readNumbers(TorchOp op, FloatType element) {
  OpBuilder builder(op);
  Attribute dtype =
      builder.getStringAttr(element.isF64() ? "float64" : "float32");
  for (OpOperand &operand : op->getOpOperands())
    if (isTruth(operand.get()))
      operand.set(
          createUnary(builder, "aten._to_copy", operand.get(), element, dtype)
              .getResult(0));
}

void lift::setElement(Value value, Type element) {
  value.setType(cast<RankedTensorType>(value.getType()).clone(element));
}

static void moveAsNumbers(TorchOp move) {
  StringRef name = move.getName();
  if (!isMover(name) || !llvm::all_of(move->getResults(), isTruth))
    return;
  FloatType element;
  for (Value operand : move->getOperands())
    if (isTruth(operand)) {
      TorchOp truth = getTruth(operand);
      if (!truth)
        return;
      element = element ? element : getComparedType(truth);
    }
  if (!element)
    return;
  readNumbers(move, element);
  OpBuilder builder(move->getContext());
  builder.setInsertionPointAfter(move);
  for (Value result : move->getResults()) {
    setElement(result, element);
    TorchOp truth =
        createUnary(builder, "aten.ne.Scalar", result, builder.getI1Type(),
                    builder.getI64IntegerAttr(0));
    result.replaceAllUsesExcept(truth.getResult(0), truth);
  }
}

/// Products of truth values are conjunctions, and sums disjunctions.
static void renameTruth(TorchOp op) {
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      !isTruth(op.getResult(0)) || !llvm::all_of(op->getOperands(), isTruth))
    return;
  if (op.getName() == "aten.mul.Tensor")
    op.setName("aten.logical_and");
  else if (op.getName() == "aten.add.Tensor")
    op.setName("aten.logical_or");
}

void lift::moveAboveTruths(Block &block) {
  for (TorchOp op : llvm::to_vector(block.getOps<TorchOp>())) {
    renameTruth(op);
    if (getMovedTruth(op))
      moveAboveTruth(op);
    else
      moveAsNumbers(op);
  }
  holdCountsAsFloats(block);
}
