//===- TestLaunchOrder.cpp - which launches wait, and become one ----------===//

#include "TestPasses.h"

#include "RGNN/Dialect/GPU/Analysis/LaunchDependences.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// Prints what decides which launches of a function become one, and which do,
/// and changes nothing.
struct TestLaunchOrder : PassWrapper<TestLaunchOrder, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestLaunchOrder)

  StringRef getArgument() const override { return "test-print-launch-order"; }
  StringRef getDescription() const override {
    return "print which launches of a function wait for which, and become one";
  }

  // Of a module, since passes of functions print at the same time.
  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration())
        print(function, llvm::outs());
  }

private:
  static void print(func::FuncOp function, llvm::raw_ostream &os) {
    os << "launches of @" << function.getName() << "\n";
    FailureOr<LaunchDependences> dependences =
        LaunchDependences::compute(function);
    if (failed(dependences)) {
      os << "  stay as they are\n";
      return;
    }
    for (auto [number, launch] : llvm::enumerate(dependences->launches)) {
      os << "  " << number << ": " << launch.numThreads << " threads, "
         << (launch.isProduct ? "product, " : "") << launch.arguments.size()
         << " arguments, height " << launch.height;
      if (!launch.before.empty()) {
        os << ", waits for ";
        llvm::interleaveComma(launch.before, os);
      }
      os << "\n";
    }
    for (ArrayRef<size_t> merged : dependences->order()) {
      os << "  launch of ";
      llvm::interleaveComma(merged, os);
      os << "\n";
    }
  }
};
} // namespace

void rgnn::test::registerTestLaunchOrderPass() {
  PassRegistration<TestLaunchOrder>();
}
