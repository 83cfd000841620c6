//===- Target.h - the processor that code is generated for ------*- C++ -*-===//

#ifndef RGNN_CODEGEN_TARGET_H
#define RGNN_CODEGEN_TARGET_H

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir::rgnn {

/// A processor by LLVM's names, all features of it spelled out.
struct Target {
  std::string triple, cpu, features;
};

/// The target that `cpu` and `features` name: "native" is the machine this runs
/// on, anything else a processor of its architecture. `features` adds to or
/// leaves out of what the processor has ("+avx2,-avx512f"). Fails on names that
/// LLVM does not know.
llvm::Expected<Target> resolveTarget(llvm::StringRef cpu,
                                     llvm::StringRef features);

/// Features of the target that the processor this runs on lacks, joined by
/// commas.
llvm::Expected<std::string> findMissingFeatures(const Target &target);

/// The processor whose code every processor of the architecture runs.
llvm::StringRef getPortableCPU(const llvm::Triple &triple);

/// Features of the target that its code may use and that not every processor of
/// the architecture has, sorted: what a processor must have to run the code.
llvm::Expected<std::vector<std::string>>
findRequiredFeatures(const Target &target);

/// A machine for code in a shared object, with a*b+c fused and floats otherwise
/// as written.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const Target &target);

} // namespace mlir::rgnn

#endif // RGNN_CODEGEN_TARGET_H
