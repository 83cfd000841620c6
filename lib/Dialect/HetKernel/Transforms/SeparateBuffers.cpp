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

namespace {

struct SeparateBuffersPass
    : hetkernel::impl::HetKernelSeparateBuffersPassBase<SeparateBuffersPass> {
  using HetKernelSeparateBuffersPassBase::HetKernelSeparateBuffersPassBase;

  void runOnOperation() override {
    int64_t numSeparated = 0;
    SmallVector<tensor::EmptyOp> empties;
    getOperation().walk([&](tensor::EmptyOp op) {
      if (op.getType().hasStaticShape())
        empties.push_back(op);
    });
    for (tensor::EmptyOp empty : empties) {
      OpBuilder builder(empty);
      for (OpOperand &use :
           llvm::make_early_inc_range(llvm::drop_begin(empty->getUses()))) {
        use.set(builder.clone(*empty)->getResult(0));
        ++numSeparated;
      }
    }
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-separated", numSeparated}});
  }
};

} // namespace
