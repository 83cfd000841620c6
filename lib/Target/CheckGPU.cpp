//===- CheckGPU.cpp - simulated kernels against the interpreter -----------===//

#include "Evaluation.h"
#include "GPUFunction.h"
#include "MachineCode.h"
#include "RGNN/Target/Translations.h"
#include "RuntimeArguments.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;
using namespace mlir::rgnn;

static llvm::cl::opt<std::string> pipelineOptions(
    "rgnn-to-gpu-options",
    llvm::cl::desc("options of the pipeline rgnn-to-gpu, for --rgnn-check-gpu, "
                   "which stops at launches"),
    llvm::cl::value_desc("options"));

//===----------------------------------------------------------------------===//
// --rgnn-check-gpu
//===----------------------------------------------------------------------===//

static LogicalResult checkOn(GPUFunction &kernels, func::FuncOp function,
                             uint64_t seed) {
  FailureOr<SmallVector<reference::Datum>> arguments =
      reference::makeArguments(function, seed);
  if (failed(arguments))
    return failure();
  FailureOr<SmallVector<reference::Datum>> expected =
      reference::evaluate(function, *arguments, getEvaluationOptions());
  if (failed(expected))
    return failure();
  // Any variant is right on any graph; the last run is that of @forward.
  for (size_t variant = kernels.getNumVariants(); variant-- > 0;) {
    FailureOr<SmallVector<reference::Datum>> got =
        kernels.call(variant, *arguments);
    if (failed(got)) {
      function.emitRemark() << "simulated with seed " << seed;
      return failure();
    }
    if (failed(compareComputed(function, seed, *expected, *got)))
      return failure();
  }
  return success();
}

static LogicalResult checkGPU(Operation *op, raw_ostream &os) {
  FailureOr<SmallVector<func::FuncOp>> functions = getFunctions(op);
  if (failed(functions))
    return failure();
  GPUPipelineOptions options;
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (failed(options.parseFromString(pipelineOptions, stream)))
    return op->emitError() << "--rgnn-to-gpu-options: "
                           << StringRef(message).rtrim();
  for (func::FuncOp function : *functions) {
    FailureOr<GPUFunction> kernels = GPUFunction::lower(function, options);
    if (failed(kernels))
      return failure();
    unsigned mostLaunches = 0;
    for (uint64_t seed = 0; seed < getNumSeeds(); ++seed) {
      if (failed(checkOn(*kernels, function, seed)))
        return failure();
      mostLaunches = std::max(mostLaunches, kernels->getNumLaunches());
    }
    os << "@" << function.getName() << ": GPU kernels agree on "
       << getNumSeeds() << " seeds, " << mostLaunches << " launches\n";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// --rgnn-simulate-gpu
//===----------------------------------------------------------------------===//

static LogicalResult simulateGPU(Operation *op, raw_ostream &os) {
  FailureOr<SmallVector<func::FuncOp>> functions = getFunctions(op);
  if (failed(functions))
    return failure();
  for (func::FuncOp function : *functions) {
    if (function.getNumArguments() > 0)
      return function.emitError("expected a function without arguments, got ")
             << function.getNumArguments();
    FailureOr<simulator::Outcome> outcome = simulator::simulate(function, {});
    if (failed(outcome))
      return failure();
    os << "@" << function.getName() << ": " << outcome->numLaunches
       << " launches\n";
    for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
      os << "result " << index << ": ";
      reference::print(decodeTensor(outcome->results[index].bytes,
                                    outcome->results[index].shape,
                                    getElementTypeOrSelf(type)),
                       os);
    }
  }
  return success();
}

void rgnn::registerGPUSimulatorTranslations() {
  TranslateFromMLIRRegistration checkRegistration(
      "rgnn-check-gpu",
      "lower each function to kernels for GPUs, run them by the simulator on "
      "made-up arguments and compare with the reference interpreter",
      checkGPU, registerCompiledDialects);
  TranslateFromMLIRRegistration simulateRegistration(
      "rgnn-simulate-gpu",
      "run host functions without arguments, and the kernels that they launch, "
      "by the simulator; print what they return",
      simulateGPU, registerCompiledDialects);
}
