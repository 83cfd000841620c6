//===- PrintingPass.h - passes that print an analysis -----------*- C++ -*-===//

#ifndef RGNN_TEST_LIB_PRINTINGPASS_H
#define RGNN_TEST_LIB_PRINTINGPASS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::rgnn::test {

/// Prints each function that is defined, by `Derived::print(function, stream)`,
/// and changes nothing. Of a module, since passes of functions print at the
/// same time.
template <typename Derived>
struct PrintingPass : PassWrapper<Derived, OperationPass<ModuleOp>> {
  void runOnOperation() override {
    this->markAllAnalysesPreserved();
    for (auto function : this->getOperation().template getOps<func::FuncOp>())
      if (!function.isDeclaration() &&
          failed(static_cast<Derived *>(this)->print(function, llvm::outs())))
        return this->signalPassFailure();
  }
};

} // namespace mlir::rgnn::test

#endif // RGNN_TEST_LIB_PRINTINGPASS_H
