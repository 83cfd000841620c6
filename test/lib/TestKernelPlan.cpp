//===- TestKernelPlan.cpp - the plan of a function's kernels --------------===//

#include "PrintingPass.h"
#include "TestPasses.h"

#include "RGNN/Conversion/RGNNToHetKernel/KernelPlan.h"

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// Prints how each op of a function would be computed, and changes nothing.
struct TestKernelPlan : test::PrintingPass<TestKernelPlan> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestKernelPlan)

  TestKernelPlan() = default;
  TestKernelPlan(const TestKernelPlan &other) : PrintingPass(other) {}

  StringRef getArgument() const override { return "test-print-kernel-plan"; }
  StringRef getDescription() const override {
    return "print how each op of a function would be computed";
  }

  LogicalResult print(func::FuncOp function, llvm::raw_ostream &os) {
    PlanOptions options;
    options.fuse = fuse;
    options.deterministic = deterministic;
    FailureOr<KernelPlan> plan = KernelPlan::compute(function, options);
    if (failed(plan))
      return failure();
    os << "plan of @" << function.getName() << "\n";
    plan->print(os);
    return success();
  }

  Option<bool> fuse{*this, "fuse", llvm::cl::init(true)};
  Option<bool> deterministic{*this, "deterministic", llvm::cl::init(true)};
};
} // namespace

void rgnn::test::registerTestKernelPlanPass() {
  PassRegistration<TestKernelPlan>();
}
