//===- Distribution.cpp - what lanes can have elements of -----------------===//

#include "Distribution.h"
#include "RowCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::hetkernel;

bool hetkernel::hasVectors(Operation *op) {
  auto isVector = llvm::IsaPred<VectorType>;
  return llvm::any_of(op->getOperandTypes(), isVector) ||
         llvm::any_of(op->getResultTypes(), isVector);
}

/// Whether nothing in the regions of `op` differs between lanes.
static bool isUniform(Operation *op) {
  auto walk = op->walk([](Operation *inner) {
    return hasVectors(inner) || isa<memref::StoreOp>(inner)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return !walk.wasInterrupted();
}

bool hetkernel::isDistributable(Operation *op) {
  if (op->getNumRegions() != 0)
    return isa<scf::ForOp>(op) || isUniform(op);
  if (!hasVectors(op))
    return true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](arith::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue());
      })
      .Case([](vector::LoadOp load) {
        return load.getVectorType().getRank() == 1;
      })
      .Case([](vector::StoreOp store) {
        return store.getVectorType().getRank() == 1;
      })
      .Case([](vector::MultiDimReductionOp reduction) {
        return getNeutral(reduction.getKind(),
                          reduction.getSourceVectorType().getElementType())
            .has_value();
      })
      .Case([](vector::ExtractOp extract) {
        return !extract.hasDynamicPosition();
      })
      .Case<scf::YieldOp, vector::BroadcastOp, vector::ShapeCastOp,
            vector::FMAOp, vector::ExtractStridedSliceOp,
            vector::InsertStridedSliceOp, vector::TransposeOp>(
          [](Operation *) { return true; })
      .Default([](Operation *op) {
        return OpTrait::hasElementwiseMappableTraits(op);
      });
}

bool hetkernel::canDistribute(scf::ForallOp loop) {
  auto walk = loop.getRegion().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isDistributable(op))
      return WalkResult::interrupt();
    for (Value operand : op->getOperands())
      if (isa<VectorType>(operand.getType()) &&
          !loop.getRegion().isAncestor(operand.getParentRegion()) &&
          !operand.getDefiningOp<arith::ConstantOp>())
        return WalkResult::interrupt();
    return isa<scf::ForOp>(op) || op->getNumRegions() == 0
               ? WalkResult::advance()
               : WalkResult::skip();
  });
  return !walk.wasInterrupted() && getWidth(loop) >= minLaneElements;
}
