//===- Diagnostics.h - collects what the compiler says ----------*- C++ -*-===//

#ifndef RGNN_LIB_CODEGEN_DIAGNOSTICS_H
#define RGNN_LIB_CODEGEN_DIAGNOSTICS_H

#include "RGNN/CodeGen/Message.h"

#include "mlir/IR/Diagnostics.h"

namespace mlir::rgnn {

/// Collects the diagnostics and optimisation remarks of a context while it
/// lives; the context must be new and must not outlive it.
class Diagnostics {
public:
  explicit Diagnostics(MLIRContext &context);

  std::vector<Message> takeRemarks() { return std::move(remarks); }
  /// The errors so far; `what` where there is none.
  llvm::Error failure(llvm::StringRef what) const;

private:
  void handle(Diagnostic &diagnostic);

  /// All but errors.
  std::vector<Message> remarks;
  std::vector<Message> errors;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_CODEGEN_DIAGNOSTICS_H
