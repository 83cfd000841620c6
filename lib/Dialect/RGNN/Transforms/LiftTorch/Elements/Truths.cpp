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
//===----------------------------------------------------------------------===//

#include "Operands.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

static bool moves(StringRef name) {
  return isView(name) || name == "aten.index_select" ||
         name == "aten.index.Tensor";
}

/// What an op shows in another shape or gathers, if it computes truth values of
/// numbers each of which is in its place already.
static TorchOp getMovedTruth(TorchOp move) {
  if (move->getNumOperands() == 0 || move->getNumResults() != 1 ||
      !moves(move.getName()) || !isTruth(move->getOperand(0)))
    return {};
  auto truth = move->getOperand(0).getDefiningOp<TorchOp>();
  if (!truth || !llvm::is_contained(getTruthOperators(), truth.getName()))
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

void lift::moveAboveTruths(Block &block) {
  for (TorchOp op : llvm::to_vector(block.getOps<TorchOp>()))
    moveAboveTruth(op);
}
