//===- SeparateBuffers.cpp - outputs that share no memory -----------------===//

#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Transforms/Counts.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELSEPARATEBUFFERSPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

/// What several ops fill, one after the other.
static bool isFilled(Operation *op) {
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return empty.getType().hasStaticShape();
  auto zeros = dyn_cast<TraverseOp>(op);
  return zeros && !zeros.getSegments() &&
         llvm::all_of(op->getUses(), [](OpOperand &use) {
           auto gemm = dyn_cast<GemmOp>(use.getOwner());
           return gemm && gemm.getAtomic() && &use == &gemm.getOutMutable();
         });
}

namespace {

struct SeparateBuffersPass
    : hetkernel::impl::HetKernelSeparateBuffersPassBase<SeparateBuffersPass> {
  using HetKernelSeparateBuffersPassBase::HetKernelSeparateBuffersPassBase;

  void runOnOperation() override {
    int64_t numSeparated = 0;
    SmallVector<Operation *> filled;
    getOperation().walk([&](Operation *op) {
      if (isFilled(op))
        filled.push_back(op);
    });
    for (Operation *op : filled) {
      OpBuilder builder(op);
      for (OpOperand &use :
           llvm::make_early_inc_range(llvm::drop_begin(op->getUses()))) {
        use.set(builder.clone(*op)->getResult(0));
        ++numSeparated;
      }
    }
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-separated", numSeparated}});
  }
};

} // namespace
