//===- CPU.cpp - from buffers to the llvm dialect -------------------------===//

#include "RGNN/Pipelines/Pipelines.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void rgnn::buildRuntimeInterfacePipeline(OpPassManager &manager,
                                         const CPUPipelineOptions &options) {
  // Equal sizes must be one SSA value for buffers to share a slot.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createRGNNPlanWorkspacePass());
  manager.addPass(createRGNNOutlineParallelPass());
  manager.addPass(createRGNNEmitEntryPass());
}

void rgnn::buildLowerToLLVMPipeline(OpPassManager &manager,
                                    const CPUPipelineOptions &options) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  function.addPass(createRGNNExpandCopiesPass());
  function.addPass(createConvertLinalgToLoopsPass());
  function.addPass(createLowerAffinePass());
  if (options.approximateMath)
    function.addPass(createRGNNApproximateMathPass());
  function.addPass(createRGNNLowerVectorsPass());
  // Transfers that the patterns above leave: strided or masked ones.
  function.addPass(createConvertVectorToSCFPass(
      VectorTransferToSCFOptions().enableFullUnroll()));
  function.addPass(createRGNNLowerVectorsPass());
  function.addPass(createRGNNHoistAllocasPass());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
  function.addPass(createLoopInvariantCodeMotionPass());
  function.addPass(memref::createExpandOpsPass());
  function.addPass(memref::createExpandStridedMetadataPass());
  function.addPass(createLowerAffinePass());
  function.addPass(arith::createArithExpandOpsPass());
  function.addPass(createSCFToControlFlowPass());

  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createConvertIndexToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertFuncToLLVMPass());
  // Vector ops that the conversions above made, and poison values.
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void rgnn::buildRGNNToCPUPipeline(OpPassManager &manager,
                                  const CPUPipelineOptions &options) {
  buildRGNNToBuffersPipeline(manager, options);
  buildRuntimeInterfacePipeline(manager, options);
  buildLowerToLLVMPipeline(manager, options);
}

void rgnn::registerPipelines() {
  PassPipelineRegistration<CPUPipelineOptions>(
      "rgnn-to-cpu", "from a captured model to the llvm dialect",
      buildRGNNToCPUPipeline);
  PassPipelineRegistration<CPUPipelineOptions>(
      "rgnn-to-buffers", "from a captured model to @forward on buffers",
      buildRGNNToBuffersPipeline);
  PassPipelineRegistration<CPUPipelineOptions>(
      "rgnn-runtime-interface",
      "memory plan, threads and C interface of @forward",
      buildRuntimeInterfacePipeline);
  PassPipelineRegistration<CPUPipelineOptions>(
      "rgnn-lower-to-llvm", "from buffers, loops and vectors to llvm",
      buildLowerToLLVMPipeline);
}
