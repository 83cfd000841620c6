//===- Passes.h - memory, threads and entry of compiled code ----*- C++ -*-===//

#ifndef RGNN_TRANSFORMS_PASSES_H
#define RGNN_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::rgnn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RGNN/Transforms/Passes.h.inc"

} // namespace mlir::rgnn

#endif // RGNN_TRANSFORMS_PASSES_H
