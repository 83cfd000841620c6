//===- TestKernelPlan.cpp - the plan of a function's kernels --------------===//

#include "TestPasses.h"

#include "RGNN/Conversion/RGNNToHetKernel/KernelPlan.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// Prints how each op of a function would be computed, and changes nothing.
struct TestKernelPlan : PassWrapper<TestKernelPlan, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestKernelPlan)

  TestKernelPlan() = default;
  TestKernelPlan(const TestKernelPlan &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-print-kernel-plan"; }
  StringRef getDescription() const override {
    return "print how each op of a function would be computed";
  }

  // Of a module, since passes of functions print at the same time.
  void runOnOperation() override {
    markAllAnalysesPreserved();
    PlanOptions options;
    options.fuse = fuse;
    options.deterministic = deterministic;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      FailureOr<KernelPlan> plan = KernelPlan::compute(function, options);
      if (failed(plan))
        return signalPassFailure();
      llvm::outs() << "plan of @" << function.getName() << "\n";
      plan->print(llvm::outs());
    }
  }

  Option<bool> fuse{*this, "fuse", llvm::cl::init(true)};
  Option<bool> deterministic{*this, "deterministic", llvm::cl::init(true)};
};
} // namespace

void rgnn::test::registerTestKernelPlanPass() {
  PassRegistration<TestKernelPlan>();
}
