//===- Passes.h - passes over the hetkernel dialect -------------*- C++ -*-===//

#ifndef RGNN_DIALECT_HETKERNEL_TRANSFORMS_PASSES_H
#define RGNN_DIALECT_HETKERNEL_TRANSFORMS_PASSES_H

#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::hetkernel {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "RGNN/Dialect/HetKernel/Transforms/Passes.h.inc"

} // namespace mlir::hetkernel

#endif // RGNN_DIALECT_HETKERNEL_TRANSFORMS_PASSES_H
