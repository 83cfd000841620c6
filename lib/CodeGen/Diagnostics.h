//===- Diagnostics.h - what the compiler said, as text ----------*- C++ -*-===//

#ifndef RGNN_LIB_CODEGEN_DIAGNOSTICS_H
#define RGNN_LIB_CODEGEN_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::rgnn {

/// Collects the diagnostics and optimisation remarks of a context while it
/// lives; the context must be new and must not outlive it.
class Diagnostics {
public:
  explicit Diagnostics(MLIRContext &context);

  std::vector<std::string> takeRemarks() { return std::move(remarks); }
  /// The errors so far; `what` where there is none.
  llvm::Error failure(llvm::StringRef what) const;

private:
  void handle(Diagnostic &diagnostic);

  std::vector<std::string> remarks;
  std::string errors;
  ScopedDiagnosticHandler handler;
};

} // namespace mlir::rgnn

#endif // RGNN_LIB_CODEGEN_DIAGNOSTICS_H
