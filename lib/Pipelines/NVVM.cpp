//===- NVVM.cpp - from kernels on buffers to code for a GPU ---------------===//

#include "RGNN/Conversion/HetKernelToGPU/HetKernelToGPU.h"
#include "RGNN/Dialect/GPU/Transforms/Passes.h"
#include "RGNN/Pipelines/Pipelines.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void addCleanup(OpPassManager &manager) {
  manager.addPass(rgnn::createRGNNCanonicalizePass());
  manager.addPass(createCSEPass());
}

/// The chips that code is for, the newest first; what is no chip is the last,
/// for the conversion to refuse.
static SmallVector<std::string>
sortedChips(const rgnn::GPUTargetOptions &options) {
  SmallVector<std::string> chips(options.chip.begin(), options.chip.end());
  if (chips.empty())
    chips.push_back("sm_90");
  llvm::stable_sort(chips, [](StringRef a, StringRef b) {
    return rgnn::getChipVersion(a).value_or(0) >
           rgnn::getChipVersion(b).value_or(0);
  });
  return chips;
}

void rgnn::buildKernelsToLaunchesPipeline(OpPassManager &manager,
                                          const GPUTargetOptions &options) {
  ConvertHetKernelToGPUPassOptions kernels;
  kernels.threads = options.threads;
  // What the oldest runs, all do.
  kernels.chip = sortedChips(options).back();
  kernels.tf32 = options.tf32;
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(createConvertHetKernelToGPUPass(kernels));
  function.addPass(createRGNNVerifyHostPass());
  function.addPass(createRGNNSinkViewsPass());
  function.addPass(createRGNNMergeLaunchesPass());
  addCleanup(function);
  function.addPass(createLoopInvariantCodeMotionPass());
  // A size costs a parameter less where the kernel reads it from the buffer.
  function.addPass(createGpuLaunchSinkIndexComputationsPass());
  manager.addPass(createGpuKernelOutliningPass());
}

/// The body of a kernel, to the nvvm and llvm dialects.
static void addKernelLowering(OpPassManager &kernels) {
  kernels.addPass(rgnn::createRGNNLimitRegistersPass());
  kernels.addPass(rgnn::createRGNNAlignSharedPass());
  kernels.addPass(rgnn::createRGNNLowerVectorsPass());
  kernels.addPass(createConvertVectorToSCFPass(
      VectorTransferToSCFOptions().enableFullUnroll()));
  kernels.addPass(rgnn::createRGNNLowerVectorsPass());
  addCleanup(kernels);
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(createLowerAffinePass());
  kernels.addPass(arith::createArithExpandOpsPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertNVGPUToNVVMPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  // What libdevice is not asked for: truncation.
  kernels.addPass(createConvertMathToLLVMPass());
  kernels.addPass(createConvertVectorToLLVMPass());
  kernels.addPass(createArithToLLVMConversionPass());
  kernels.addPass(createUBToLLVMConversionPass());
  addCleanup(kernels);
  kernels.addPass(createReconcileUnrealizedCastsPass());
}

void rgnn::buildKernelsToNVVMPipeline(OpPassManager &manager,
                                      const GPUTargetOptions &options) {
  buildKernelsToLaunchesPipeline(manager, options);
  addKernelLowering(manager.nest<gpu::GPUModuleOp>());
  for (const std::string &chip : sortedChips(options)) {
    GpuNVVMAttachTargetOptions target;
    target.chip = chip;
    // Kernels may have 32 kB of arguments from PTX 8.1 on. Newer chips need a
    // later version anyway.
    if (rgnn::getChipVersion(chip).value_or(0) < 100)
      target.features = "+ptx81";
    target.optLevel = 3;
    manager.addPass(createGpuNVVMAttachTarget(target));
  }
  GpuModuleToBinaryPassOptions binary;
  binary.toolkitPath = options.toolkit;
  binary.compilationTarget = options.format;
  manager.addPass(createGpuModuleToBinaryPass(binary));
}

void rgnn::buildRGNNToGPUPipeline(OpPassManager &manager,
                                  const GPUPipelineOptions &options) {
  buildRGNNToGPUKernelsPipeline(manager, options);
  buildKernelsToNVVMPipeline(manager, options);
}
