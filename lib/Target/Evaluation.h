//===- Evaluation.h - what the translations that compare share --*- C++ -*-===//

#ifndef RGNN_LIB_TARGET_EVALUATION_H
#define RGNN_LIB_TARGET_EVALUATION_H

#include "RGNN/Reference/Interpreter.h"

namespace mlir::rgnn {

/// `op` as a module, or an error.
FailureOr<ModuleOp> getModule(Operation *op);

/// The function named by --entry, or all public ones with a body; of a module,
/// or an error.
FailureOr<SmallVector<func::FuncOp>> getFunctions(ModuleOp module);
FailureOr<SmallVector<func::FuncOp>> getFunctions(Operation *op);

/// The module of `function` with it alone, under the compiler's name for an
/// entry, of which it is no variant.
OwningOpRef<ModuleOp> cloneAlone(func::FuncOp function);

/// What --seeds says.
uint64_t getNumSeeds();

/// What --relative-error says, or else `otherwise`.
double getRelativeError(double otherwise);

/// What --round says.
reference::Options getEvaluationOptions();

/// What --rgnn-to-cpu-options says.
llvm::StringRef getPipelineOptions();

/// Compares result `index`. Its error is the largest difference over the
/// largest expected number, or an absolute 1e-12 where all are zero.
LogicalResult compareResults(func::FuncOp function, uint64_t seed, size_t index,
                             const reference::Datum &expected,
                             const reference::Datum &got, double relativeError);

/// Compares all results of code for a machine, each as exactly as its element
/// type allows, or as --relative-error says.
LogicalResult compareComputed(func::FuncOp function, uint64_t seed,
                              ArrayRef<reference::Datum> expected,
                              ArrayRef<reference::Datum> got);

/// The dialects that the interpreter evaluates, and no lower ones.
void registerEvaluatedDialects(DialectRegistry &registry);

} // namespace mlir::rgnn

#endif // RGNN_LIB_TARGET_EVALUATION_H
