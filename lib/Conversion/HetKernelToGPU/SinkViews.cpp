//===- SinkViews.cpp - views and constants where kernels read them --------===//
//
// A kernel that makes a view itself takes the buffer alone, however many parts
// of it it reads. A constant of the module is memory of the host; one that a
// kernel names is copied into the kernel's module when it is outlined, and is
// memory of the device there.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

/// The op that makes `memref`, if a kernel can: a view that needs nothing but
/// the buffer, or a global.
static Operation *getSinkable(Value memref) {
  Operation *op = memref.getDefiningOp();
  bool isView =
      isa_and_nonnull<ViewLikeOpInterface>(op) && op->getNumOperands() == 1;
  return isView || isa_and_nonnull<memref::GetGlobalOp>(op) ? op : nullptr;
}

Value hetkernel::getCaptured(Value memref) {
  for (Operation *op = getSinkable(memref); op && op->getNumOperands() == 1;
       op = getSinkable(memref))
    memref = op->getOperand(0);
  return memref;
}

/// A kernel sees a copy of a constant; what else is global may change.
static LogicalResult verifyGlobal(Operation *op) {
  auto global = dyn_cast<memref::GetGlobalOp>(op);
  if (!global)
    return success();
  auto symbol = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, global.getNameAttr());
  if (symbol && symbol.getConstant())
    return success();
  return op->emitOpError("expected a constant where kernels read it, got @")
         << global.getName();
}

/// Clones what makes `memref`, as far as a kernel can; null if that is refused.
static Value sink(OpBuilder &builder, Value memref, IRMapping &mapping) {
  if (Value sunk = mapping.lookupOrNull(memref))
    return sunk;
  Operation *op = getSinkable(memref);
  if (!op)
    return memref;
  if (failed(verifyGlobal(op)) ||
      (op->getNumOperands() == 1 && !sink(builder, op->getOperand(0), mapping)))
    return Value();
  builder.clone(*op, mapping);
  return mapping.lookup(memref);
}

LogicalResult hetkernel::sinkViews(Operation *function) {
  auto walk = function->walk([&](gpu::LaunchOp launch) {
    Region &body = launch.getBody();
    OpBuilder builder(&body.front(), body.front().begin());
    IRMapping mapping;
    return body.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands()) {
        Value memref = operand.get();
        if (!isa<MemRefType>(memref.getType()) ||
            body.isAncestor(memref.getParentRegion()))
          continue;
        Value sunk = sink(builder, memref, mapping);
        if (!sunk)
          return WalkResult::interrupt();
        operand.set(sunk);
      }
      return WalkResult::advance();
    });
  });
  return success(!walk.wasInterrupted());
}
