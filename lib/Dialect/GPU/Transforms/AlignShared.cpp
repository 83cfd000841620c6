//===- AlignShared.cpp - where shared memory begins -----------------------===//

#include "RGNN/Dialect/GPU/Transforms/Passes.h"
#include "RGNN/Dialect/GPU/Utils/Limits.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNALIGNSHAREDPASS
#include "RGNN/Dialect/GPU/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

namespace {

struct AlignSharedPass : rgnn::impl::RGNNAlignSharedPassBase<AlignSharedPass> {
  void runOnOperation() override {
    auto alignment = IntegerAttr::get(IntegerType::get(&getContext(), 64),
                                      rgnn::tensorAlignment);
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      for (unsigned i = 0, end = kernel.getNumWorkgroupAttributions(); i < end;
           ++i)
        kernel.setWorkgroupAttributionAttr(
            i, LLVM::LLVMDialect::getAlignAttrName(), alignment);
  }
};

} // namespace
