//===- Passes.h - passes over launches of a GPU -----------------*- C++ -*-===//

#ifndef RGNN_DIALECT_GPU_TRANSFORMS_PASSES_H
#define RGNN_DIALECT_GPU_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace mlir::rgnn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RGNN/Dialect/GPU/Transforms/Passes.h.inc"

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_GPU_TRANSFORMS_PASSES_H
