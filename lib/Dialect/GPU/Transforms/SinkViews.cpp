//===- SinkViews.cpp - views and constants where kernels read them --------===//
//
// A kernel that makes a view itself takes the buffer alone, however many parts
// of it it reads. A constant of the module is memory of the host; one that a
// kernel names is copied into the kernel's module when it is outlined, and is
// memory of the device there.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/GPU/Transforms/Passes.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNSINKVIEWSPASS
#include "RGNN/Dialect/GPU/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

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

static LogicalResult sinkViews(Operation *function) {
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

namespace {

struct SinkViewsPass : rgnn::impl::RGNNSinkViewsPassBase<SinkViewsPass> {
  void runOnOperation() override {
    if (failed(sinkViews(getOperation())))
      signalPassFailure();
  }
};

} // namespace
