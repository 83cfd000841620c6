//===- CPU.cpp - from buffers to the llvm dialect -------------------------===//

#include "RGNN/Pipelines/Pipelines.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void rgnn::buildRuntimeInterfacePipeline(OpPassManager &manager,
                                         const CPUPipelineOptions &options) {
  // Equal sizes must be one SSA value for buffers to share a slot.
  manager.addPass(rgnn::createRGNNCanonicalizePass());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(createRGNNGroupLoopsPass());
  manager.addPass(createRGNNPlanWorkspacePass());
  manager.addPass(createRGNNEmitLaunchesPass());
  manager.addPass(createRGNNOutlineParallelPass());
  manager.addPass(createRGNNMergeFunctionsPass());
  manager.addPass(createRGNNEmitEntryPass());
}

/// Structured ops on buffers and vectors, to loops and vectors of one
/// dimension.
static void addStructureLowering(OpPassManager &manager) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(rgnn::createRGNNExpandCopiesPass());
  function.addPass(createConvertLinalgToLoopsPass());
  function.addPass(createLowerAffinePass());
  function.addPass(rgnn::createRGNNLinearizeVectorsPass());
  function.addPass(rgnn::createRGNNLowerVectorsPass());
  // Transfers that the patterns leave: strided or masked ones.
  function.addPass(createConvertVectorToSCFPass(
      VectorTransferToSCFOptions().enableFullUnroll()));
  function.addPass(rgnn::createRGNNLowerVectorsPass());
  function.addPass(rgnn::createRGNNHoistAllocasPass());
}

/// Functions and floats that the processor does not have.
static void addMathLowering(OpPassManager &manager,
                            const rgnn::CPUPipelineOptions &options) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(math::createMathExtendToSupportedTypes());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16"};
  emulate.targetTypeStr = "f32";
  function.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  rgnn::RGNNApproximateMathPassOptions approximate;
  approximate.polynomials = options.approximateMath;
  manager.addPass(rgnn::createRGNNApproximateMathPass(approximate));
}

/// Loops, to branches and address arithmetic.
static void addControlFlowLowering(OpPassManager &manager) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(rgnn::createRGNNCanonicalizePass());
  function.addPass(createCSEPass());
  function.addPass(createLoopInvariantCodeMotionPass());
  // Elements that cleaning up put together to vectors of any shape.
  function.addPass(rgnn::createRGNNLowerVectorsPass());
  function.addPass(memref::createExpandOpsPass());
  function.addPass(memref::createExpandStridedMetadataPass());
  function.addPass(createLowerAffinePass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  function.addPass(arith::createArithExpandOpsPass(expand));
  function.addPass(createSCFToControlFlowPass());
}

void rgnn::buildLowerToLLVMPipeline(OpPassManager &manager,
                                    const CPUPipelineOptions &options) {
  addStructureLowering(manager);
  addMathLowering(manager, options);
  addControlFlowLowering(manager);
  ConvertToLLVMPassOptions lowering;
  lowering.filterDialects = {"arith", "cf",     "func", "index",
                             "math",  "memref", "ub",   "vector"};
  manager.addPass(createConvertToLLVMPass(lowering));
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createRGNNVerifyStagePass({"llvm"}));
}

void rgnn::buildRGNNToCPUPipeline(OpPassManager &manager,
                                  const CPUPipelineOptions &options) {
  if (options.start != "buffers")
    buildRGNNToBuffersPipeline(manager, options);
  buildRuntimeInterfacePipeline(manager, options);
  buildLowerToLLVMPipeline(manager, options);
}

/// As PassPipelineRegistration does, but for the words of options.
template <typename Options>
static void registerPipeline(
    StringRef name, StringRef description,
    std::function<void(OpPassManager &, const Options &)> builder) {
  registerPassPipeline(
      name, description,
      [builder](OpPassManager &manager, StringRef text,
                function_ref<LogicalResult(const Twine &)> handleError) {
        Options options;
        if (failed(options.parseFromString(text)))
          return failure();
        if (rgnn::Refusal refusal = getRefusal(options))
          return handleError(refusal.getReason());
        builder(manager, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(Options());
      });
}

void rgnn::registerPipelines() {
  registerPipeline<CPUPipelineOptions>(
      "rgnn-to-cpu", "from a captured model to the llvm dialect",
      buildRGNNToCPUPipeline);
  registerPipeline<CPUPipelineOptions>(
      "rgnn-to-hetkernel", "from a captured model to kernels on tensors",
      buildRGNNToHetKernelPipeline);
  registerPipeline<CPUPipelineOptions>(
      "rgnn-to-buffers", "from a captured model to @forward on buffers",
      buildRGNNToBuffersPipeline);
  registerPipeline<CPUPipelineOptions>(
      "rgnn-runtime-interface",
      "memory plan, threads and C interface of @forward",
      buildRuntimeInterfacePipeline);
  registerPipeline<CPUPipelineOptions>(
      "rgnn-lower-to-llvm", "from buffers, loops and vectors to llvm",
      buildLowerToLLVMPipeline);
  registerPipeline<NVVMPipelineOptions>(
      "rgnn-kernels-to-nvvm",
      "from kernels on buffers to code for an NVIDIA GPU",
      buildKernelsToNVVMPipeline);
  registerPipeline<GPUPipelineOptions>(
      "rgnn-to-gpu", "from a captured model to code for an NVIDIA GPU",
      buildRGNNToGPUPipeline);
}
