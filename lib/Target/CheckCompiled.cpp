//===- CheckCompiled.cpp - machine code against the interpreter -----------===//

#include "CompiledFunction.h"
#include "Evaluation.h"
#include "RGNN/Target/Translations.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"

using namespace mlir;
using namespace mlir::rgnn;
using reference::Datum;

static LogicalResult checkOn(CompiledFunction &compiled, func::FuncOp function,
                             uint64_t seed) {
  FailureOr<SmallVector<Datum>> arguments =
      reference::makeArguments(function, seed);
  if (failed(arguments))
    return failure();
  FailureOr<SmallVector<Datum>> expected =
      reference::evaluate(function, *arguments, getEvaluationOptions());
  if (failed(expected))
    return failure();
  std::optional<SmallVector<Datum>> got = compiled.call(*arguments);
  if (!got)
    return function.emitError()
           << "with seed " << seed << ": " << rgnn_last_error();
  return compareComputed(function, seed, *expected, *got);
}

static LogicalResult checkCompiled(Operation *op, raw_ostream &os) {
  FailureOr<SmallVector<func::FuncOp>> functions = getFunctions(op);
  if (failed(functions))
    return failure();
  for (func::FuncOp function : *functions) {
    FailureOr<CompiledFunction> compiled =
        CompiledFunction::compile(function, getPipelineOptions());
    if (failed(compiled))
      return failure();
    for (uint64_t seed = 0; seed < getNumSeeds(); ++seed)
      if (failed(checkOn(*compiled, function, seed)))
        return failure();
    os << "@" << function.getName() << ": compiled code agrees on "
       << getNumSeeds() << " seeds\n";
  }
  return success();
}

void rgnn::registerCheckCompiledTranslation() {
  TranslateFromMLIRRegistration registration(
      "rgnn-check-compiled",
      "compile each function for this processor, run it on made-up arguments "
      "and compare with the reference interpreter",
      checkCompiled, registerEvaluatedDialects);
}
