//===- RGNNToHetKernel.h - from the mathematics to kernels ------*- C++ -*-===//

#ifndef RGNN_CONVERSION_RGNNTOHETKERNEL_RGNNTOHETKERNEL_H
#define RGNN_CONVERSION_RGNNTOHETKERNEL_RGNNTOHETKERNEL_H

#include "mlir/Pass/Pass.h"

namespace mlir::rgnn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RGNN/Conversion/RGNNToHetKernel/Passes.h.inc"

} // namespace mlir::rgnn

#endif // RGNN_CONVERSION_RGNNTOHETKERNEL_RGNNTOHETKERNEL_H
