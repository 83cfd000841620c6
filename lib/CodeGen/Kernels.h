//===- Kernels.h - what @forward runs ---------------------------*- C++ -*-===//

#ifndef RGNN_LIB_CODEGEN_KERNELS_H
#define RGNN_LIB_CODEGEN_KERNELS_H

#include "RGNN/CodeGen/Compiler.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::rgnn {

/// Of a module of the hetkernel dialect: its kernels.
std::vector<Kernel> listKernels(ModuleOp module);
void reportKernels(ModuleOp module, CompileResult &result);

/// Of a module of binaries for a GPU: the launches of them, the host's side by
/// itself, and the PTX.
void reportLaunches(ModuleOp module, CompileResult &result);

/// Name and PTX of each binary; of one with machine code alone, nothing.
std::vector<std::pair<std::string, std::string>> listPTX(ModuleOp module);

} // namespace mlir::rgnn

#endif // RGNN_LIB_CODEGEN_KERNELS_H
