//===- HetKernelToSCF.h - from kernels to loops and vectors -----*- C++ -*-===//

#ifndef RGNN_CONVERSION_HETKERNELTOSCF_HETKERNELTOSCF_H
#define RGNN_CONVERSION_HETKERNELTOSCF_HETKERNELTOSCF_H

#include "mlir/Pass/Pass.h"

namespace mlir::rgnn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RGNN/Conversion/HetKernelToSCF/Passes.h.inc"

} // namespace mlir::rgnn

#endif // RGNN_CONVERSION_HETKERNELTOSCF_HETKERNELTOSCF_H
