//===- Stacks.cpp - what is stacked to be reduced is stacked in each row --===//
//
// Messages that several relations bring are stacked, and reduced over the
// stack. Rows stay rows where each has the numbers of all relations:
//
//   Before:  %s = stack([%a, %b], 0) : tensor<2x?x8xf32>
//            %y = sum(%s, [0])
//
//   After:   %s = stack([%a, %b], 1) : tensor<?x2x8xf32>
//            %y = sum(%s, [1])
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::lift;

/// The stack of rows that an operator reduces over, and it alone.
static TorchOp getReducedStack(TorchOp reduction) {
  constexpr StringRef reductions[] = {"aten.sum.dim_IntList", "aten.mean.dim",
                                      "aten.amax", "aten.amin"};
  Arguments arguments(reduction);
  if (!llvm::is_contained(reductions, reduction.getName()) ||
      arguments.boolean(2) != false)
    return {};
  Value stacked = arguments.floats(0);
  std::optional<SmallVector<int64_t>> dims = arguments.integers(1);
  auto stack = stacked ? stacked.getDefiningOp<TorchOp>() : TorchOp();
  if (!stack || stack.getName() != "aten.stack" || !dims || dims->size() != 1)
    return {};
  auto type = cast<RankedTensorType>(stacked.getType());
  bool isOverStack =
      normalizeDim(dims->front(), type.getRank()) == 0 &&
      normalizeDim(Arguments(stack).integer(1), type.getRank()) == 0;
  return isOverStack && type.getRank() > 1 && type.isDynamicDim(1) ? stack
                                                                   : TorchOp();
}

/// A copy in front of `place` with another argument 1.
static TorchOp cloneWith(TorchOp op, Attribute argument, TorchOp place) {
  auto copy = cast<TorchOp>(OpBuilder(place).clone(*op));
  SmallVector<Attribute> args(op.getArgs().getValue());
  args[1] = argument;
  copy.setArgsAttr(ArrayAttr::get(op.getContext(), args));
  return copy;
}

void lift::stackWithinRows(Block &block) {
  Builder builder(block.getParentOp()->getContext());
  for (TorchOp reduction : llvm::to_vector(block.getOps<TorchOp>())) {
    TorchOp stack = getReducedStack(reduction);
    if (!stack)
      continue;
    auto type = cast<RankedTensorType>(stack.getResult(0).getType());
    SmallVector<int64_t> shape(type.getShape());
    std::swap(shape[0], shape[1]);
    TorchOp within = cloneWith(stack, builder.getI64IntegerAttr(1), reduction);
    within.getResult(0).setType(type.clone(shape));
    TorchOp reduced =
        cloneWith(reduction, builder.getI64ArrayAttr(1), reduction);
    reduced->setOperand(0, within.getResult(0));
    reduction.getResult(0).replaceAllUsesWith(reduced.getResult(0));
    reduction->erase();
  }
}
