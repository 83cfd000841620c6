//===- MachineCode.h - what the translations that compile share -*- C++ -*-===//

#ifndef RGNN_LIB_TARGET_MACHINECODE_H
#define RGNN_LIB_TARGET_MACHINECODE_H

#include "RGNN/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace mlir::rgnn {

/// What --rgnn-to-cpu-options says, or an error at the module.
FailureOr<std::unique_ptr<CPUPipelineOptions>>
parsePipelineOptions(ModuleOp module);

/// Hands `op` as LLVM IR, with the machine that it is for, to `emit`.
LogicalResult translateForMachine(
    Operation *op,
    llvm::function_ref<llvm::Error(llvm::Module &, llvm::TargetMachine &)>
        emit);

/// The bytes of a file, which is deleted.
llvm::Expected<std::string> takeTemporary(const std::string &path);

/// What programs call the module: its own name, or that of its function.
llvm::StringRef getModuleName(ModuleOp module);

/// The dialects of every level, with what translation to LLVM needs.
void registerCompiledDialects(DialectRegistry &registry);

} // namespace mlir::rgnn

#endif // RGNN_LIB_TARGET_MACHINECODE_H
