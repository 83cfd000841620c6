//===- HetKernelToGPU.cpp - the pass that lowers kernels to launches ------===//

#include "RGNN/Conversion/HetKernelToGPU/HetKernelToGPU.h"
#include "Launches.h"
#include "RGNN/Conversion/HetKernelToSCF/HetKernelToSCF.h"
#include "RGNN/Dialect/GPU/Utils/Launch.h"
#include "RGNN/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_CONVERTHETKERNELTOGPUPASS
#include "RGNN/Conversion/HetKernelToGPU/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::hetkernel;

/// Whether LLVM has the processor: it ends the process where it makes code for
/// one that it lacks.
static bool isKnownChip(StringRef chip) {
  static const std::unique_ptr<llvm::MCSubtargetInfo> info = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    const llvm::Triple triple("nvptx64-nvidia-cuda");
    std::string message;
    const llvm::Target *target =
        llvm::TargetRegistry::lookupTarget(triple, message);
    return std::unique_ptr<llvm::MCSubtargetInfo>(
        target ? target->createMCSubtargetInfo(triple, "", "") : nullptr);
  }();
  return info && info->isCPUStringValid(chip);
}

std::optional<unsigned> rgnn::getChipVersion(StringRef chip) {
  unsigned version;
  if (!isKnownChip(chip) || !chip.consume_front("sm_") ||
      chip.consumeInteger(10, version))
    return std::nullopt;
  return version;
}

namespace {

struct Counts {
  int64_t gemms = 0, outerSums = 0, traversals = 0, launches = 0,
          temporaries = 0;
  TaskCounts tasks;
};

struct ConvertHetKernelToGPUPass
    : rgnn::impl::ConvertHetKernelToGPUPassBase<ConvertHetKernelToGPUPass> {
  using ConvertHetKernelToGPUPassBase::ConvertHetKernelToGPUPassBase;

  LogicalResult launchKernel(Operation *kernel, const LaunchOptions &options,
                             int64_t &numTemporaries) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(kernel)
        .Case([&](GemmOp gemm) { return launchGemm(gemm, options); })
        .Case([&](OuterSumOp sum) {
          return launchOuterSum(sum, options, numTemporaries);
        })
        .Case([&](TraverseOp traverse) {
          return spreadTraverse(traverse, numTemporaries);
        })
        .Case([&](RankOp rank) {
          return lowerRank(rank, {/*isByColumn=*/true}, numTemporaries);
        })
        .Case([&](ConcatOp concat) { return launchConcat(concat, options); });
  }

  LogicalResult launchKernels(Counts &counts) {
    if (threads < 1 || threads > 1024)
      return getOperation().emitError()
             << "expected threads of 1 to 1024, got " << threads.getValue();
    std::optional<unsigned> version = rgnn::getChipVersion(chip.getValue());
    if (!version || *version < 75)
      return getOperation().emitError()
             << "expected a chip from sm_75 on that LLVM knows, such as sm_90 "
                "or sm_100a, got '"
             << chip.getValue() << "'";
    bool isAmpere = *version >= 80;
    LaunchOptions options{threads, isAmpere, isAmpere, tf32};
    SmallVector<Operation *> kernels;
    getOperation().walk([&](Operation *op) {
      if (op->hasTrait<IsKernel>())
        kernels.push_back(op);
      counts.gemms += isa<GemmOp>(op);
      counts.outerSums += isa<OuterSumOp>(op);
      counts.traversals += isa<TraverseOp>(op);
    });
    for (auto [number, kernel] : llvm::enumerate(kernels)) {
      // For the locations of launches, which say what they compute.
      kernel->setLoc(rgnn::nameLocation(
          kernel->getLoc(),
          (kernel->getName().getStringRef() + " " + Twine(number))));
      if (failed(launchKernel(kernel, options, counts.temporaries)))
        return failure();
    }
    return spreadElementwise(getOperation());
  }

  LogicalResult launchLoops(Counts &counts) {
    SmallVector<scf::ForallOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
      loops.push_back(loop);
      return WalkResult::skip();
    });
    for (scf::ForallOp loop : loops)
      if (failed(launchTasks(loop, threads, counts.tasks)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    Counts counts;
    if (failed(launchKernels(counts)) || failed(launchLoops(counts)))
      return signalPassFailure();
    getOperation().walk([&](gpu::LaunchOp) { ++counts.launches; });
    rgnn::reportCounts(getOperation(), getArgument(),
                       {{"num-gemms", counts.gemms},
                        {"num-outer-sums", counts.outerSums},
                        {"num-traversals", counts.traversals},
                        {"num-spread", counts.tasks.spread},
                        {"num-warps", counts.tasks.warps},
                        {"num-blocks", counts.tasks.blocks},
                        {"num-launches", counts.launches},
                        {"num-temporaries", counts.temporaries}});
  }
};

} // namespace
