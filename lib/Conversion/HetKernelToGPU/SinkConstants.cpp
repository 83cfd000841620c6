//===- SinkConstants.cpp - constants where kernels read them --------------===//
//
// A constant of the module is memory of the host. One that a kernel names is
// copied into the kernel's module when it is outlined, and is memory of the
// device there.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

/// The global that `memref` is a view of, if it is one.
static memref::GetGlobalOp getGlobal(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref.getDefiningOp<memref::GetGlobalOp>();
}

/// Clones what makes `memref` from a global.
static Value cloneChain(OpBuilder &builder, Value memref, IRMapping &mapping) {
  if (Value cloned = mapping.lookupOrNull(memref))
    return cloned;
  Operation *op = memref.getDefiningOp();
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    cloneChain(builder, view.getViewSource(), mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(memref);
}

LogicalResult hetkernel::sinkConstants(Operation *function) {
  auto walk = function->walk([&](gpu::LaunchOp launch) {
    Region &body = launch.getBody();
    OpBuilder builder(&body.front(), body.front().begin());
    IRMapping mapping;
    return body.walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands()) {
        Value memref = operand.get();
        memref::GetGlobalOp global =
            isa<MemRefType>(memref.getType()) ? getGlobal(memref) : nullptr;
        if (!global || body.isAncestor(memref.getParentRegion()))
          continue;
        auto symbol = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
            global, global.getNameAttr());
        if (!symbol || !symbol.getConstant()) {
          op->emitOpError("expected a constant or memory of the device, got @")
              << global.getName();
          return WalkResult::interrupt();
        }
        operand.set(cloneChain(builder, memref, mapping));
      }
      return WalkResult::advance();
    });
  });
  return success(!walk.wasInterrupted());
}
