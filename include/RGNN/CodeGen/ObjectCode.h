//===- ObjectCode.h - from the llvm dialect to a shared object --*- C++ -*-===//

#ifndef RGNN_CODEGEN_OBJECTCODE_H
#define RGNN_CODEGEN_OBJECTCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir::rgnn {

/// Adds what translation to LLVM needs to a registry of dialects.
void registerCodeGenDialects(DialectRegistry &registry);

/// Translates a module of the llvm dialect alone for `machine`. Failures are
/// diagnostics of the module's context.
FailureOr<std::unique_ptr<llvm::Module>>
translateToLLVM(ModuleOp module, llvm::LLVMContext &context,
                llvm::TargetMachine &machine);

/// Runs the pipeline that clang runs at -O3.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Code of an optimised module: a relocatable object, or assembly to read.
llvm::Expected<llvm::SmallString<0>> emitCode(llvm::Module &module,
                                              llvm::TargetMachine &machine,
                                              llvm::CodeGenFileType type);

/// Links an object to a new temporary file, a shared object that is the
/// caller's to delete, and gives its path. The linker is ld.lld: the one that
/// the environment variable RGNN_LLD names, that of `setLinker`, the one next
/// to LLVM's tools when this was built, or else the one on PATH. A symbol that
/// nothing defines is an error.
llvm::Expected<std::string> linkToTemporary(llvm::StringRef object);

/// Has `program` link from now on; `arguments` is what its arguments begin
/// with, its name first. To be called before anything is compiled.
void setLinker(std::string program, std::vector<std::string> arguments);

} // namespace mlir::rgnn

#endif // RGNN_CODEGEN_OBJECTCODE_H
