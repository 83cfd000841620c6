//===- EraseDetach.cpp - what is detached is no other value ---------------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"

#include "RGNN/Support/Remarks.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNERASEDETACHPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

namespace {
struct EraseDetachPass : rgnn::impl::RGNNEraseDetachPassBase<EraseDetachPass> {
  using RGNNEraseDetachPassBase::RGNNEraseDetachPassBase;

  void runOnOperation() override {
    int64_t numErased = 0;
    getOperation().walk([&](Operation *op) {
      if (!isa<DetachOp, WithSlopeOp>(op))
        return;
      op->replaceAllUsesWith(ValueRange(op->getOperand(0)));
      op->erase();
      ++numErased;
    });
    reportCounts(getOperation(), getArgument(), {{"num-erased", numErased}});
  }
};
} // namespace
