//===- Absorption.cpp - what a kernel computes besides its op -------------===//

#include "Absorption.h"

#include "Access.h"
#include "RGNN/Conversion/RGNNToHetKernel/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::rgnn;

bool rgnn::joinsHeads(Operation *product) {
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

std::optional<BiasedProduct> rgnn::getBiasedProduct(Operation *sum) {
  auto map = dyn_cast<MapOp>(sum);
  if (!map || map.getInputs().size() != 2)
    return std::nullopt;
  Block &body = map.getBody().front();
  auto add = dyn_cast<arith::AddFOp>(body.front());
  if (!add || add->getNextNode() != body.getTerminator() ||
      add.getLhs() == add.getRhs() ||
      !llvm::all_of(add->getOperands(), llvm::IsaPred<BlockArgument>))
    return std::nullopt;
  auto type = cast<RankedTensorType>(map.getResult().getType());
  for (unsigned i : {0, 1}) {
    Value rows = map.getInputs()[i], bias = map.getInputs()[1 - i];
    Operation *product = rows.getDefiningOp();
    if (getKernelForm(product) != KernelForm::Product || !rows.hasOneUse() ||
        rows.getType() != type || !getRows(type) ||
        getRowShape(bias.getType()) != getRowShape(type))
      continue;
    if (!getRows(bias.getType()))
      return BiasedProduct{product, bias};
    // By type, as the weight is.
    auto typed = dyn_cast<TypedLinearOp>(product);
    auto gather = bias.getDefiningOp<GatherOp>();
    if (typed && gather && gather.getPath() == typed.getPath() &&
        (typed.getPath() == Path::EType || typed.getPath() == Path::NType))
      return BiasedProduct{product, gather.getRows()};
  }
  return std::nullopt;
}

Operation *rgnn::getSummedProduct(Operation *op) {
  auto sum = dyn_cast<ReduceOp>(op);
  if (!sum || sum.getKind() != Reduction::Sum)
    return nullptr;
  Operation *product = sum.getRows().getDefiningOp();
  auto type = cast<RankedTensorType>(sum.getRows().getType());
  bool isRead = getKernelForm(product) == KernelForm::Product &&
                sum.getRows().hasOneUse(),
       isOfNodes = getRows(sum.getType()).getDomain() == Domain::Node,
       isAtomic = type.getElementType().getIntOrFloatBitWidth() >= 32;
  return isRead && isOfNodes && isAtomic ? product : nullptr;
}
