//===- TestLaunchOrder.cpp - which launches wait, and become one ----------===//

#include "PrintingPass.h"
#include "TestPasses.h"

#include "RGNN/Dialect/GPU/Analysis/LaunchDependences.h"

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// Prints what decides which launches of a function become one, and which do,
/// and changes nothing.
struct TestLaunchOrder : test::PrintingPass<TestLaunchOrder> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestLaunchOrder)

  StringRef getArgument() const override { return "test-print-launch-order"; }
  StringRef getDescription() const override {
    return "print which launches of a function wait for which, and become one";
  }

  LogicalResult print(func::FuncOp function, llvm::raw_ostream &os) {
    os << "launches of @" << function.getName() << "\n";
    FailureOr<LaunchDependences> dependences =
        LaunchDependences::compute(function);
    if (failed(dependences)) {
      os << "  stay as they are\n";
      return success();
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
    return success();
  }
};
} // namespace

void rgnn::test::registerTestLaunchOrderPass() {
  PassRegistration<TestLaunchOrder>();
}
