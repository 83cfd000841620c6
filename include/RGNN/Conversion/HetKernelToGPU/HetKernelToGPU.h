//===- HetKernelToGPU.h - from kernels to launches on a GPU -----*- C++ -*-===//

#ifndef RGNN_CONVERSION_HETKERNELTOGPU_HETKERNELTOGPU_H
#define RGNN_CONVERSION_HETKERNELTOGPU_HETKERNELTOGPU_H

#include "mlir/Pass/Pass.h"

#include <optional>

namespace mlir::rgnn {

/// 90 of sm_90, and 100 of sm_100a; nullopt of what is no chip.
std::optional<unsigned> getChipVersion(llvm::StringRef chip);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RGNN/Conversion/HetKernelToGPU/Passes.h.inc"

} // namespace mlir::rgnn

#endif // RGNN_CONVERSION_HETKERNELTOGPU_HETKERNELTOGPU_H
