//===- HetKernelToGPU.h - from kernels to launches on a GPU -----*- C++ -*-===//

#ifndef RGNN_CONVERSION_HETKERNELTOGPU_HETKERNELTOGPU_H
#define RGNN_CONVERSION_HETKERNELTOGPU_HETKERNELTOGPU_H

#include "mlir/Pass/Pass.h"

namespace mlir::rgnn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RGNN/Conversion/HetKernelToGPU/Passes.h.inc"

} // namespace mlir::rgnn

#endif // RGNN_CONVERSION_HETKERNELTOGPU_HETKERNELTOGPU_H
