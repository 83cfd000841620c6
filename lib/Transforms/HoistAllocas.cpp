//===- HoistAllocas.cpp - stack buffers that loops share ------------------===//

#include "RGNN/Support/Remarks.h"
#include "RGNN/Transforms/Passes.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNHOISTALLOCASPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

/// Puts the body of `loop` into a scope that restores the stack pointer.
static void wrapBody(scf::ForOp loop) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  OpBuilder builder(yield);
  auto scope = memref::AllocaScopeOp::create(builder, loop.getLoc(),
                                             yield.getOperandTypes());
  Block *block = builder.createBlock(&scope.getBodyRegion());
  Block *body = loop.getBody();
  block->getOperations().splice(block->begin(), body->getOperations(),
                                body->begin(), Block::iterator(scope));
  memref::AllocaScopeReturnOp::create(builder, loop.getLoc(),
                                      yield.getOperands());
  yield->setOperands(scope.getResults());
}

namespace {

struct HoistAllocasPass
    : rgnn::impl::RGNNHoistAllocasPassBase<HoistAllocasPass> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    Block &entry = getOperation().getBody().front();
    SmallVector<memref::AllocaOp> allocas;
    getOperation().walk(
        [&](memref::AllocaOp alloca) { allocas.push_back(alloca); });
    int64_t numHoisted = 0;
    for (memref::AllocaOp alloca : allocas) {
      if (alloca->getNumOperands() == 0) {
        if (alloca->getBlock() == &entry)
          continue;
        alloca->moveBefore(&entry, entry.begin());
        ++numHoisted;
        continue;
      }
      auto loop = alloca->getParentOfType<scf::ForOp>();
      auto scope = alloca->getParentOfType<memref::AllocaScopeOp>();
      if (loop && !(scope && loop->isProperAncestor(scope)))
        wrapBody(loop);
    }
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-hoisted", numHoisted}});
  }
};

} // namespace
