//===- Truths.cpp - shapes of truth values are those of what is compared --===//
//
// Rows hold no truth values (Operands.cpp): what reads a comparison makes it
// anew. So a comparison in another shape compares what is in that shape:
//
//   Before:  %m = gt(%degree, 3)
//            %u = unsqueeze(%m, -1)
//            %y = masked_fill(%x, %u, 0)
//
//   After:   %u = unsqueeze(%degree, -1)
//            %m = gt(%u, 3)
//            %y = masked_fill(%x, %m, 0)
//
//===----------------------------------------------------------------------===//

#include "Operands.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// What a view shows in another shape, if it computes truth values of numbers
/// each of which is in its place already.
static TorchOp getViewedTruth(TorchOp view) {
  if (view->getNumOperands() == 0 || view->getNumResults() != 1 ||
      !isView(view.getName()) || !isTruth(view->getOperand(0)))
    return {};
  auto truth = view->getOperand(0).getDefiningOp<TorchOp>();
  if (!truth || !llvm::is_contained(getTruthOperators(), truth.getName()))
    return {};
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(view->getOperand(0).getType()).getShape();
  bool isInPlace = llvm::all_of(truth->getOperandTypes(), [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && (tensor.getRank() == 0 || tensor.getShape() == shape);
  });
  return isInPlace ? truth : TorchOp();
}

static void moveAboveTruth(TorchOp view) {
  TorchOp truth = getViewedTruth(view);
  if (!truth)
    return;
  OpBuilder builder(view);
  auto viewed = cast<RankedTensorType>(view.getResult(0).getType());
  SmallVector<TorchOp> views;
  IRMapping operands;
  for (Value operand : truth->getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getRank() == 0 || operands.contains(operand))
      continue;
    auto copy = cast<TorchOp>(builder.clone(*view));
    copy->setOperand(0, operand);
    // A comparison is contiguous, what it compares need not be.
    if (view.getName() == "aten.view" || view.getName() == "aten._unsafe_view")
      copy.setName("aten.reshape");
    copy.getResult(0).setType(viewed.clone(type.getElementType()));
    operands.map(operand, copy.getResult(0));
    views.push_back(copy);
  }
  Operation *made = builder.clone(*truth, operands);
  made->getResult(0).setType(viewed);
  view.getResult(0).replaceAllUsesWith(made->getResult(0));
  view->erase();
  for (TorchOp each : views)
    moveAboveTruth(each);
}

void lift::moveViewsAboveTruths(Block &block) {
  for (TorchOp op : llvm::to_vector(block.getOps<TorchOp>()))
    moveAboveTruth(op);
}
