//===- WholeTensorOpInterface.h - ops on tensors without rows ---*- C++ -*-===//

#ifndef RGNN_CONVERSION_RGNNTOHETKERNEL_WHOLETENSOROPINTERFACE_H
#define RGNN_CONVERSION_RGNNTOHETKERNEL_WHOLETENSOROPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::rgnn {
class Converter;
} // namespace mlir::rgnn

#include "RGNN/Conversion/RGNNToHetKernel/WholeTensorOpInterface.h.inc"

namespace mlir::rgnn {

/// Says for the ops of the dialect how they are computed on whole tensors.
void registerWholeTensorModels(DialectRegistry &registry);

} // namespace mlir::rgnn

#endif // RGNN_CONVERSION_RGNNTOHETKERNEL_WHOLETENSOROPINTERFACE_H
