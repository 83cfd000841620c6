//===- SeparateBuffers.cpp - outputs that share no memory -----------------===//

#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace mlir::hetkernel {
#define GEN_PASS_DEF_HETKERNELSEPARATEBUFFERSPASS
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"
} // namespace mlir::hetkernel

using namespace mlir;
using namespace mlir::hetkernel;

/// Whether all rows of the only result are zeros.
static bool isZero(TraverseOp traverse) {
  Block &body = traverse.getBody().front();
  return traverse->getNumResults() == 1 && llvm::hasSingleElement(body) &&
         matchPattern(body.getTerminator()->getOperand(0), m_AnyZeroFloat());
}

/// What several ops fill, one after the other.
static bool isFilled(Operation *op) {
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return empty.getType().hasStaticShape();
  auto traverse = dyn_cast<TraverseOp>(op);
  return traverse && isZero(traverse) &&
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
