//===- Interpret.cpp - reference evaluation as a translation --------------===//

#include "Evaluation.h"
#include "RGNN/Dialect/Check/IR/Check.h"
#include "RGNN/Dialect/RGNN/Utils/Entries.h"
#include "RGNN/Target/Translations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

#include <cmath>

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::rgnn::reference;

static llvm::cl::opt<std::string>
    entry("entry", llvm::cl::desc("the only function to evaluate"),
          llvm::cl::value_desc("name"));
static llvm::cl::opt<uint64_t> randomGraph(
    "random-graph",
    llvm::cl::desc("seed of made-up arguments for --rgnn-interpret"),
    llvm::cl::value_desc("seed"));
static llvm::cl::opt<bool> roundResults(
    "round",
    llvm::cl::desc("round results to their element type after each op"));
static llvm::cl::opt<std::string> against(
    "against",
    llvm::cl::desc("module to compare with for --rgnn-check-equivalent"),
    llvm::cl::value_desc("file"));
static llvm::cl::opt<unsigned>
    seeds("seeds", llvm::cl::init(16),
          llvm::cl::desc("number of seeds that --rgnn-check-equivalent, "
                         "--rgnn-check-compiled and --rgnn-check-gradient "
                         "try"));
static llvm::cl::opt<double> relativeError(
    "relative-error",
    llvm::cl::desc("largest error that is accepted, in units of the largest "
                   "number of a result: 1e-9 for --rgnn-check-equivalent, "
                   "1e-6 for --rgnn-check-gradient; for "
                   "--rgnn-check-compiled 1e-10 in f64, 1e-5 in f32, 1e-2 in "
                   "narrower types"));

FailureOr<SmallVector<func::FuncOp>> rgnn::getFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (entry.empty() ? function.isPublic() && !function.isDeclaration()
                      : function.getName() == entry)
      functions.push_back(function);
  if (functions.empty() && !entry.empty())
    return module.emitError()
           << "expected a function " << entry << " in the module, got none";
  return functions;
}

FailureOr<ModuleOp> rgnn::getModule(Operation *op) {
  if (auto module = dyn_cast<ModuleOp>(op))
    return module;
  return op->emitError() << "expected a module, got '" << op->getName() << "'";
}

uint64_t rgnn::getNumSeeds() { return seeds; }

double rgnn::getRelativeError(double otherwise) {
  return relativeError.getNumOccurrences() ? relativeError : otherwise;
}

Options rgnn::getEvaluationOptions() {
  Options options;
  options.roundToElementType = roundResults;
  return options;
}

FailureOr<SmallVector<func::FuncOp>> rgnn::getFunctions(Operation *op) {
  FailureOr<ModuleOp> module = getModule(op);
  if (failed(module))
    return failure();
  return getFunctions(*module);
}

OwningOpRef<ModuleOp> rgnn::cloneAlone(func::FuncOp function) {
  OwningOpRef<ModuleOp> module(function->getParentOfType<ModuleOp>().clone());
  for (auto other :
       llvm::make_early_inc_range(module->getOps<func::FuncOp>())) {
    if (isCalledOnce(other, function)) {
      other->setAttr(kOnceAttr, StringAttr::get(other.getContext(), "forward"));
      continue;
    }
    if (other.getName() != function.getName()) {
      other.erase();
      continue;
    }
    other.setName("forward");
    other.setPublic();
    other->removeAttr(kEdgesPerNodeBelowAttr);
  }
  return module;
}

static LogicalResult interpret(Operation *op, raw_ostream &os) {
  FailureOr<SmallVector<func::FuncOp>> functions = getFunctions(op);
  if (failed(functions))
    return failure();
  for (func::FuncOp function : *functions) {
    bool makesArguments = randomGraph.getNumOccurrences() > 0;
    if (function.getNumArguments() > 0 && !makesArguments) {
      if (entry.empty())
        continue;
      return function.emitError() << "expected --random-graph for a function "
                                     "with arguments, got none";
    }
    FailureOr<SmallVector<Datum>> arguments =
        makeArguments(function, randomGraph);
    if (failed(arguments))
      return failure();
    FailureOr<SmallVector<Datum>> results =
        evaluate(function, *arguments, getEvaluationOptions());
    if (failed(results))
      return failure();
    os << "@" << function.getName() << "\n";
    for (auto [index, result] : llvm::enumerate(*results)) {
      os << "result " << index << ": ";
      print(result, os);
    }
  }
  return success();
}

LogicalResult rgnn::compareResults(func::FuncOp function, uint64_t seed,
                                   size_t index, const Datum &expected,
                                   const Datum &got, double relativeError) {
  auto emitError = [&] {
    return function.emitError()
           << "with seed " << seed << ", result " << index << ": ";
  };
  const auto *a = std::get_if<Tensor>(&expected),
             *b = std::get_if<Tensor>(&got);
  if (!a || !b)
    return a || b ? LogicalResult(emitError() << "expected equal types")
                  : success();
  if (a->shape != b->shape)
    return emitError() << "expected shape " << formatShape(a->shape) << ", got "
                       << formatShape(b->shape);
  double largest = 0;
  for (double value : a->values)
    if (std::isfinite(value))
      largest = std::max(largest, std::abs(value));
  double bound = largest == 0 ? 1e-12 : relativeError * largest;
  auto difference = findDifference(*b, *a, [&](double) { return bound; });
  if (!difference)
    return success();
  return emitError() << "expected " << formatNumber(difference->expected)
                     << " at " << formatIndex(difference->index) << ", got "
                     << formatNumber(difference->got);
}

LogicalResult rgnn::compareComputed(func::FuncOp function, uint64_t seed,
                                    ArrayRef<Datum> expected,
                                    ArrayRef<Datum> got) {
  for (auto [index, a, b] : llvm::enumerate(expected, got)) {
    Type element = getElementTypeOrSelf(function.getResultTypes()[index]);
    double otherwise = element.isF64() ? 1e-10 : element.isF32() ? 1e-5 : 1e-2;
    if (failed(compareResults(function, seed, index, a, b,
                              getRelativeError(otherwise))))
      return failure();
  }
  return success();
}

static LogicalResult checkEquivalent(Operation *op, raw_ostream &os) {
  FailureOr<ModuleOp> before = getModule(op);
  if (failed(before))
    return failure();
  if (against.empty())
    return op->emitError("expected --against=FILE, got none");
  OwningOpRef<ModuleOp> after =
      parseSourceFile<ModuleOp>(against, op->getContext());
  if (!after)
    return failure();
  FailureOr<SmallVector<func::FuncOp>> functions = getFunctions(*before);
  if (failed(functions))
    return failure();
  for (func::FuncOp function : *functions) {
    auto other = after->lookupSymbol<func::FuncOp>(function.getName());
    if (!other || other.getFunctionType() != function.getFunctionType())
      return function.emitError()
             << "expected a function of type " << function.getFunctionType()
             << " in " << against << ", got "
             << (other ? "one of another type" : "none");
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      FailureOr<SmallVector<Datum>> arguments = makeArguments(function, seed);
      if (failed(arguments))
        return failure();
      auto expected = evaluate(function, *arguments, getEvaluationOptions());
      auto got = evaluate(other, *arguments, getEvaluationOptions());
      if (failed(expected) || failed(got)) {
        function.emitRemark() << "evaluated with seed " << seed;
        return failure();
      }
      for (auto [index, a, b] : llvm::enumerate(*expected, *got))
        if (failed(compareResults(function, seed, index, a, b,
                                  getRelativeError(1e-9))))
          return failure();
    }
    os << "@" << function.getName() << ": equivalent on " << seeds
       << " seeds\n";
  }
  return success();
}

void rgnn::registerEvaluatedDialects(DialectRegistry &registry) {
  registry
      .insert<RGNNDialect, check::CheckDialect, arith::ArithDialect,
              func::FuncDialect, math::MathDialect, tensor::TensorDialect>();
  reference::registerEvaluations(registry);
}

void rgnn::registerInterpretTranslations() {
  TranslateFromMLIRRegistration interpretRegistration(
      "rgnn-interpret", "evaluate functions by the reference interpreter",
      interpret, registerEvaluatedDialects);
  TranslateFromMLIRRegistration equivalenceRegistration(
      "rgnn-check-equivalent",
      "evaluate functions and their namesakes in --against on made-up "
      "arguments",
      checkEquivalent, registerEvaluatedDialects);
}
