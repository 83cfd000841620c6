//===- HetKernelToSCF.h - from kernels to loops and vectors -----*- C++ -*-===//

#ifndef RGNN_CONVERSION_HETKERNELTOSCF_HETKERNELTOSCF_H
#define RGNN_CONVERSION_HETKERNELTOSCF_HETKERNELTOSCF_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::rgnn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RGNN/Conversion/HetKernelToSCF/Passes.h.inc"

} // namespace mlir::rgnn

#endif // RGNN_CONVERSION_HETKERNELTOSCF_HETKERNELTOSCF_H
