//===- Passes.h - passes over the rgnn dialect ------------------*- C++ -*-===//

#ifndef RGNN_DIALECT_RGNN_TRANSFORMS_PASSES_H
#define RGNN_DIALECT_RGNN_TRANSFORMS_PASSES_H

#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::rgnn {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"

} // namespace mlir::rgnn

#endif // RGNN_DIALECT_RGNN_TRANSFORMS_PASSES_H
