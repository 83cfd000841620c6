//===- Buffers.cpp - from captured operators to buffers -------------------===//

#include "RGNN/Conversion/HetKernelToSCF/HetKernelToSCF.h"
#include "RGNN/Conversion/RGNNToHetKernel/RGNNToHetKernel.h"
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Dialect/HetKernel/Transforms/Schedule.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Pipelines/Pipelines.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

/// Bits of a vector register of the processor that code is made for.
static int64_t getVectorBits(StringRef cpu, StringRef features) {
  bool avx512 = cpu == "x86-64-v4", avx2 = avx512 || cpu == "x86-64-v3";
  if (cpu == "native") {
    llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
    avx512 = host.lookup("avx512f");
    avx2 = host.lookup("avx2");
  }
  for (StringRef feature : llvm::split(features, ';')) {
    bool on = feature.consume_front("+") || !feature.consume_front("-");
    if (feature == "avx512f")
      avx512 = on;
    else if (feature == "avx2")
      avx2 = on;
  }
  return avx512 ? 512 : avx2 ? 256 : 128;
}

static void addCleanup(OpPassManager &manager) {
  manager.addPass(rgnn::createRGNNCanonicalizePass());
  manager.addPass(createCSEPass());
}

void rgnn::buildSplitFallbackPipeline(OpPassManager &manager) {
  manager.addPass(createRGNNLiftTorchPass());
  addCleanup(manager);
  manager.addPass(createRGNNOutlineFallbackPass());
  manager.addPass(createRGNNVerifyStagePass({"rgnn"}));
}

/// Rewrites of the mathematics; each is on unless the options say otherwise.
/// Sums come before products that compaction cannot move: measured, rows of
/// sources in their own order make faster products than those of destinations.
/// What is to be differentiated has no variants, and keeps its softmaxes, whose
/// gradients are simpler than those of their parts: they wait for the last
/// time.
static void addRewrites(OpPassManager &manager,
                        const rgnn::KernelPipelineOptions &options, bool isLast,
                        bool onGPU) {
  auto isOn = [&](const auto &choice) {
    return !rgnn::whyLeftOut(options, choice, onGPU);
  };
  auto add = [&](const auto &choice, std::unique_ptr<Pass> pass) {
    if (isOn(choice))
      manager.addNestedPass<func::FuncOp>(std::move(pass));
  };
  add(options.mergeProducts, rgnn::createRGNNMergeProductsPass());
  // Measured: on processors, to join rows of nodes and to sum those of pairs
  // costs what kernels less save, of 16 relations or fewer.
  if (isOn(options.stackRelations))
    manager.addPass(
        rgnn::createRGNNStackRelationsPass({options.stackRelations == "true" ? 2
                                            : onGPU ? 4
                                                    : 16}));
  add(options.stackTypes, rgnn::createRGNNStackTypesPass());
  add(options.reorder, rgnn::createRGNNReorderLinearPass());
  if (isLast && isOn(options.reassociate))
    manager.addPass(rgnn::createRGNNAddVariantsPass());
  add(options.reassociate, rgnn::createRGNNReassociatePass());
  if (isLast)
    add(options.normaliseSums, rgnn::createRGNNNormaliseSumsPass());
  if (options.aggregateFirst == "true")
    add(options.aggregateFirst, rgnn::createRGNNAggregateFirstPass());
  add(options.splitSides, rgnn::createRGNNSplitSidesPass());
  add(options.postpone, rgnn::createRGNNPostponePropagationPass());
  add(options.compact, rgnn::createRGNNCompactPass());
  if (options.aggregateFirst != "true")
    add(options.aggregateFirst, rgnn::createRGNNAggregateFirstPass());
  addCleanup(manager);
}

void rgnn::buildDifferentiatePipeline(OpPassManager &manager,
                                      ArrayRef<int64_t> arguments,
                                      const CPUPipelineOptions &options,
                                      bool onGPU) {
  manager.addPass(createRGNNLiftTorchPass());
  manager.addNestedPass<func::FuncOp>(createRGNNRaiseLoopsPass());
  manager.addNestedPass<func::FuncOp>(createRGNNNoteChangesPass());
  addCleanup(manager);
  addRewrites(manager, options, /*isLast=*/false, onGPU);
  RGNNDifferentiatePassOptions differentiate;
  differentiate.arguments.assign(arguments.begin(), arguments.end());
  differentiate.recompute = options.recompute == "true";
  manager.addPass(createRGNNDifferentiatePass(differentiate));
  addCleanup(manager);
  if (whyLeftOut(options, options.recompute, onGPU))
    return;
  manager.addPass(createRGNNRecomputePass());
  addCleanup(manager);
}

void rgnn::buildCapturedToRGNNPipeline(OpPassManager &manager) {
  manager.addPass(createRGNNVerifyStagePass({"captured"}));
  manager.addPass(createRGNNLiftTorchPass());
  manager.addNestedPass<func::FuncOp>(createRGNNRaiseLoopsPass());
  addCleanup(manager);
  manager.addPass(createRGNNVerifyStagePass({"rgnn"}));
}

void rgnn::buildRewritePipeline(OpPassManager &manager,
                                const KernelPipelineOptions &options,
                                bool onGPU) {
  buildCapturedToRGNNPipeline(manager);
  manager.addNestedPass<func::FuncOp>(createRGNNEraseDetachPass());
  addRewrites(manager, options, /*isLast=*/true, onGPU);
  manager.addNestedPass<func::FuncOp>(
      createRGNNSeparateOnesPass({onGPU ? hetkernel::gpuBlockSize : 0}));
  manager.addNestedPass<func::FuncOp>(createRGNNScaleRowsPass());
  addCleanup(manager);
  if (!whyLeftOut(options, options.hoistNormalisation, onGPU))
    manager.addPass(createRGNNHoistNormalisationPass());
}

/// Kernels with the schedules that `choose` picks, in tiles of the views that
/// `kernels` asks for.
static void
addKernels(OpPassManager &manager, const rgnn::KernelPipelineOptions &options,
           rgnn::ConvertRGNNToHetKernelPassOptions kernels,
           const hetkernel::HetKernelChooseSchedulePassOptions &choose) {
  bool onGPU = choose.gpuThreads != 0;
  rgnn::buildRewritePipeline(manager, options, onGPU);
  kernels.adjacency = options.adjacency;
  kernels.deterministic = options.deterministic;
  kernels.fuse = !whyLeftOut(options, options.fuse, onGPU);
  for (StringRef field : options.gemmSchedule)
    if (int64_t rows; field.consume_front("tile_rows:") &&
                      !field.getAsInteger(10, rows) && rows > 0)
      kernels.tileRows = kernels.outerSumTileRows = rows;
  manager.addNestedPass<func::FuncOp>(
      rgnn::createConvertRGNNToHetKernelPass(kernels));
  addCleanup(manager);
  manager.addNestedPass<func::FuncOp>(
      hetkernel::createHetKernelFuseRowScalePass());
  manager.addNestedPass<func::FuncOp>(
      hetkernel::createHetKernelFuseRowSumPass());
  if (onGPU)
    manager.addNestedPass<func::FuncOp>(
        hetkernel::createHetKernelFoldTransposesPass());
  if (options.recompute == "true") // to save memory, whatever time it takes
    manager.addNestedPass<func::FuncOp>(
        hetkernel::createHetKernelOrderKernelsPass());
  manager.addPass(hetkernel::createHetKernelCollectPreprocessingPass());
  manager.addNestedPass<func::FuncOp>(
      hetkernel::createHetKernelChooseSchedulePass(choose));
  if (options.padding != 1)
    manager.addNestedPass<func::FuncOp>(
        hetkernel::createHetKernelPadRowsPass({options.padding.getValue()}));
  manager.addPass(rgnn::createRGNNVerifyStagePass({"hetkernel"}));
  if (options.gemmSchedule.empty() && options.traverseSchedule.empty())
    return;
  hetkernel::HetKernelSetSchedulePassOptions byHand;
  byHand.gpuThreads = choose.gpuThreads;
  llvm::append_range(byHand.gemm, options.gemmSchedule);
  llvm::append_range(byHand.traverse, options.traverseSchedule);
  manager.addNestedPass<func::FuncOp>(
      hetkernel::createHetKernelSetSchedulePass(byHand));
}

void rgnn::buildRGNNToHetKernelPipeline(OpPassManager &manager,
                                        const CPUPipelineOptions &options) {
  hetkernel::HetKernelChooseSchedulePassOptions schedule;
  schedule.vectorBits = getVectorBits(options.cpu, options.features);
  addKernels(manager, options, {}, schedule);
}

/// Buffers: callers pass contiguous tensors, and give the results their place.
static void addBufferization(OpPassManager &manager) {
  manager.addPass(bufferization::createEmptyTensorEliminationPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  manager.addPass(bufferization::createOneShotBufferizePass(bufferize));
  bufferization::BufferResultsToOutParamsPassOptions results;
  results.hoistStaticAllocs = true;
  results.hoistDynamicAllocs = true;
  results.modifyPublicFunctions = true;
  manager.addPass(bufferization::createBufferResultsToOutParamsPass(results));
  addCleanup(manager);
  manager.addPass(rgnn::createRGNNVerifyStagePass({"buffers"}));
}

void rgnn::buildRGNNToGPUKernelsPipeline(OpPassManager &manager,
                                         const GPUPipelineOptions &options) {
  ConvertRGNNToHetKernelPassOptions kernels;
  kernels.tileRows = hetkernel::gpuTileRows;
  kernels.outerSumTileRows = hetkernel::gpuOuterSumTileRows;
  hetkernel::HetKernelChooseSchedulePassOptions schedule;
  schedule.gpuThreads = options.threads;
  addKernels(manager, options, kernels, schedule);
  manager.addNestedPass<func::FuncOp>(
      hetkernel::createHetKernelSeparateBuffersPass());
  addBufferization(manager);
}

void rgnn::buildHetKernelToBuffersPipeline(OpPassManager &manager,
                                           const CPUPipelineOptions &options) {
  manager.addNestedPass<func::FuncOp>(createRGNNFuseLinalgPass());
  if (!options.deterministic)
    manager.addNestedPass<func::FuncOp>(
        hetkernel::createHetKernelSeparateBuffersPass());
  addBufferization(manager);
  manager.addNestedPass<func::FuncOp>(
      createConvertHetKernelToSCFPass({options.serialBelow.getValue()}));
  manager.addNestedPass<func::FuncOp>(
      createRGNNShareLinalgPass({options.serialBelow.getValue()}));
  addCleanup(manager);
  manager.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
}

void rgnn::buildRGNNToBuffersPipeline(OpPassManager &manager,
                                      const CPUPipelineOptions &options) {
  buildRGNNToHetKernelPipeline(manager, options);
  buildHetKernelToBuffersPipeline(manager, options);
}
