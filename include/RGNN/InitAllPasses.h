//===- InitAllPasses.h - every pass that RGNN uses --------------*- C++ -*-===//

#ifndef RGNN_INITALLPASSES_H
#define RGNN_INITALLPASSES_H

#include "RGNN/Conversion/HetKernelToGPU/HetKernelToGPU.h"
#include "RGNN/Conversion/HetKernelToSCF/HetKernelToSCF.h"
#include "RGNN/Conversion/RGNNToHetKernel/RGNNToHetKernel.h"
#include "RGNN/Dialect/GPU/Transforms/Passes.h"
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Pipelines/Pipelines.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/InitAllPasses.h"

namespace mlir::rgnn {

/// The one list of passes and pipelines of all tools and the Python binding:
/// RGNN's own and upstream's.
inline void registerAllPasses() {
  mlir::registerAllPasses();
  registerRGNNToHetKernelPasses();
  registerRGNNPasses();
  hetkernel::registerHetKernelPasses();
  registerRGNNGPUPasses();
  registerHetKernelToGPUPasses();
  registerHetKernelToSCFPasses();
  registerRGNNLoweringPasses();
  registerPipelines();
}

} // namespace mlir::rgnn

#endif // RGNN_INITALLPASSES_H
