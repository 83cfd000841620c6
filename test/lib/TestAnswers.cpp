//===- TestAnswers.cpp - what each op of the rgnn dialect says of itself --===//

#include "TestPasses.h"

#include "RGNN/Conversion/RGNNToHetKernel/WholeTensorOpInterface.h"
#include "RGNN/Dialect/RGNN/IR/RGNN.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;
using namespace mlir::rgnn;

namespace {
/// Prints what ops answer to passes, of a file that is to have one of each kind
/// that computes, and which of them it lacks.
struct TestAnswers : PassWrapper<TestAnswers, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestAnswers)

  StringRef getArgument() const override { return "test-print-answers"; }
  StringRef getDescription() const override {
    return "print the form, the work and the interfaces of each kind of op";
  }

  void runOnOperation() override {
    std::map<std::string, std::string> answers;
    for (RegisteredOperationName name : getContext().getRegisteredOperations())
      if (name.getDialectNamespace() == RGNNDialect::getDialectNamespace())
        answers[name.getStringRef().str()] =
            name.hasInterface<ComputeOpInterface>() ? "the file has none"
                                                    : "no computation";
    getOperation()->walk([&](Operation *op) {
      auto it = answers.find(op->getName().getStringRef().str());
      if (auto compute = dyn_cast<ComputeOpInterface>(op);
          compute && it != answers.end())
        it->second = describe(compute);
    });
    for (auto &[name, answer] : answers)
      llvm::outs() << name << ": " << answer << "\n";
  }

private:
  static std::string describe(ComputeOpInterface op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << stringifyKernelForm(op.getKernelForm()) << ", "
       << stringifyWork(op.getWork());
    if (isa<RowOpInterface>(*op))
      os << ", on rows";
    if (isa<ContractionOpInterface>(*op))
      os << ", contraction";
    if (isa<WholeTensorOpInterface>(*op))
      os << ", on whole tensors";
    if (isa<DifferentiableOpInterface>(*op))
      os << ", differentiable";
    return text;
  }
};
} // namespace

void rgnn::test::registerTestAnswersPass() { PassRegistration<TestAnswers>(); }
