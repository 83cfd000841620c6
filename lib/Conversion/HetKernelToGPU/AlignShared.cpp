//===- AlignShared.cpp - where shared memory begins -----------------------===//

#include "Lowering.h"
#include "RGNN/Conversion/HetKernelToGPU/HetKernelToGPU.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_ALIGNSHAREDPASS
#include "RGNN/Conversion/HetKernelToGPU/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

namespace {

struct AlignSharedPass : rgnn::impl::AlignSharedPassBase<AlignSharedPass> {
  void runOnOperation() override {
    auto alignment = IntegerAttr::get(IntegerType::get(&getContext(), 64),
                                      hetkernel::tensorAlignment);
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      for (unsigned i = 0, end = kernel.getNumWorkgroupAttributions(); i < end;
           ++i)
        kernel.setWorkgroupAttributionAttr(
            i, LLVM::LLVMDialect::getAlignAttrName(), alignment);
  }
};

} // namespace
