//===- InitAllDialects.h - every dialect that RGNN uses ---------*- C++ -*-===//

#ifndef RGNN_INITALLDIALECTS_H
#define RGNN_INITALLDIALECTS_H

#include "RGNN/Conversion/RGNNToHetKernel/WholeTensorOpInterface.h"
#include "RGNN/Dialect/Check/IR/Check.h"
#include "RGNN/Dialect/HetKernel/IR/HetKernel.h"
#include "RGNN/Dialect/HetKernel/Transforms/BufferizableOpInterfaceImpl.h"
#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::rgnn {

/// The one list of dialects of all tools, tests and the Python binding.
inline void registerAllDialects(DialectRegistry &registry) {
  registry
      .insert<check::CheckDialect, RGNNDialect, hetkernel::HetKernelDialect,
              arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
              LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, tensor::TensorDialect, vector::VectorDialect>();
  hetkernel::registerBufferizableOpInterfaceExternalModels(registry);
  registerWholeTensorModels(registry);
}

} // namespace mlir::rgnn

#endif // RGNN_INITALLDIALECTS_H
