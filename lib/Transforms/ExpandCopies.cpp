//===- ExpandCopies.cpp - strided copies as loops -------------------------===//

#include "RGNN/Transforms/Passes.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNEXPANDCOPIESPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

/// Whether upstream's lowering copies such a buffer by memcpy: its elements lie
/// one after another, at any offset if all sizes are static.
static bool isContiguous(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && (memref.getLayout().isIdentity() ||
                    (memref.hasStaticShape() && memref.getNumElements() > 0 &&
                     memref.areTrailingDimsContiguous(memref.getRank())));
}

namespace {

struct ExpandCopiesPass
    : rgnn::impl::RGNNExpandCopiesPassBase<ExpandCopiesPass> {
  void runOnOperation() override {
    getOperation()->walk([](memref::CopyOp copy) {
      if (!isa<MemRefType>(copy.getSource().getType()) ||
          !isa<MemRefType>(copy.getTarget().getType()) ||
          (isContiguous(copy.getSource().getType()) &&
           isContiguous(copy.getTarget().getType())))
        return;
      OpBuilder builder(copy);
      linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      copy->erase();
    });
  }
};

} // namespace
