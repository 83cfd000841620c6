//===- VerifyHost.cpp - what is left to the host --------------------------===//

#include "RGNN/Dialect/GPU/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNVERIFYHOSTPASS
#include "RGNN/Dialect/GPU/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

/// Whether the host may do this: memory of the device is its to allocate and to
/// free, not to read or write.
static bool isHostOp(Operation *op) {
  auto effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [](const auto &effect) {
           return isa<MemoryEffects::Allocate, MemoryEffects::Free>(
                      effect.getEffect()) ||
                  !effect.getValue();
         });
}

static LogicalResult verifyHost(Operation *function) {
  auto walk = function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::LaunchOp>(op))
      return WalkResult::skip();
    if (op == function || op->hasTrait<OpTrait::IsTerminator>() ||
        op->getNumRegions() != 0 || isHostOp(op))
      return WalkResult::advance();
    op->emitOpError("expected work on buffers in launches only, got it on the "
                    "host");
    return WalkResult::interrupt();
  });
  return success(!walk.wasInterrupted());
}

namespace {

struct VerifyHostPass : rgnn::impl::RGNNVerifyHostPassBase<VerifyHostPass> {
  void runOnOperation() override {
    if (failed(verifyHost(getOperation())))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
