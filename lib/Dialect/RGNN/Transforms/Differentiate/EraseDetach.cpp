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
    getOperation().walk([&](DetachOp op) {
      op.replaceAllUsesWith(op.getX());
      op.erase();
      ++numErased;
    });
    reportCounts(getOperation(), getArgument(), {{"num-erased", numErased}});
  }
};
} // namespace
