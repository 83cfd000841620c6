//===- LimitRegisters.cpp - registers for as many warps as wait -----------===//

#include "RGNN/Dialect/GPU/Transforms/Passes.h"
#include "RGNN/Dialect/GPU/Utils/Limits.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNLIMITREGISTERSPASS
#include "RGNN/Dialect/GPU/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;

namespace {

/// Threads of 2,048 that have room on a multiprocessor.
constexpr int64_t busyThreads = 768, busyProductThreads = 512;
/// Blocks of fewer threads have the limit of products, which most of them are;
/// products with few columns take few registers by themselves.
constexpr int64_t minThreads = 128, minProductThreads = 64;

/// Whether it is not what blocks share that limits how many warps are busy: a
/// multiprocessor has several times what a block may take.
bool sharesLittle(gpu::GPUFuncOp kernel) {
  constexpr int64_t most = rgnn::gpuSharedBytes / 4;
  int64_t bytes = 0;
  for (BlockArgument shared : kernel.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(shared.getType());
    bytes += type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }
  return bytes <= most;
}

struct LimitRegistersPass
    : rgnn::impl::RGNNLimitRegistersPassBase<LimitRegistersPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      std::optional<ArrayRef<int32_t>> sizes = kernel.getKnownBlockSize();
      if (!kernel.isKernel() || !sizes)
        continue;
      int64_t threads = llvm::product_of(*sizes);
      bool isProduct = threads < minThreads || !sharesLittle(kernel);
      int64_t busy = isProduct ? busyProductThreads : busyThreads;
      if (threads >= minProductThreads && threads <= busy)
        kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        IntegerAttr::get(IntegerType::get(&getContext(), 32),
                                         busy / threads));
    }
  }
};

} // namespace
