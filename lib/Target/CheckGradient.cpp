//===- CheckGradient.cpp - backward functions against differences ---------===//

#include "Evaluation.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Dialect/RGNN/Transforms/Passes.h"
#include "RGNN/Target/Translations.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::rgnn;
using reference::Datum;
using reference::Tensor;

namespace {

/// What a function is differentiated to.
struct Form {
  func::FuncOp forward, backward;
};

/// One function, forms of it that are differentiated, and made-up arguments.
class GradientCheck {
public:
  GradientCheck(func::FuncOp function, ArrayRef<Form> forms, uint64_t seed)
      : function(function), forms(forms), seed(seed) {}

  LogicalResult run();

private:
  LogicalResult check(const Form &form);
  FailureOr<SmallVector<Datum>> computeGradients(const Form &form);
  /// How much the sum of all results, weighted by `cotangents`, changes with
  /// each element of an argument.
  FailureOr<Tensor> computeDifferences(int64_t argument);
  /// Whether no result changes with an argument without a gradient.
  LogicalResult checkConstant(const Form &form, int64_t argument);
  FailureOr<double> evaluateSum(ArrayRef<Datum> arguments);

  func::FuncOp function;
  ArrayRef<Form> forms;
  uint64_t seed;
  SmallVector<Datum> arguments;
  SmallVector<Tensor> cotangents;
  /// Differences, by argument: computed once for all forms.
  DenseMap<int64_t, Tensor> differencesOf;
};

} // namespace

FailureOr<double> GradientCheck::evaluateSum(ArrayRef<Datum> arguments) {
  FailureOr<SmallVector<Datum>> results =
      reference::evaluate(function, arguments);
  if (failed(results))
    return failure();
  double sum = 0;
  for (auto [result, cotangent] : llvm::zip(*results, cotangents))
    if (const auto *tensor = std::get_if<Tensor>(&result))
      for (auto [value, weight] : llvm::zip(tensor->values, cotangent.values))
        sum += value * weight;
  return sum;
}

FailureOr<SmallVector<Datum>>
GradientCheck::computeGradients(const Form &form) {
  func::FuncOp backward = form.backward;
  FailureOr<SmallVector<Datum>> results =
      reference::evaluate(form.forward, arguments);
  if (failed(results))
    return failure();
  cotangents.clear();
  std::mt19937_64 random(seed);
  for (const Datum &result :
       ArrayRef(*results).take_front(function.getNumResults())) {
    const auto *tensor = std::get_if<Tensor>(&result);
    Tensor &cotangent = cotangents.emplace_back(tensor ? *tensor : Tensor());
    for (double &value : cotangent.values)
      value = static_cast<double>(random() >> 11) / (1ull << 52) - 1;
  }
  SmallVector<Datum> inputs;
  for (unsigned i = 0; i < backward.getNumArguments(); ++i) {
    auto get = [&](StringRef role) {
      return backward.getArgAttrOfType<IntegerAttr>(i, role);
    };
    if (auto gradient = get(kGradientOfResultAttr))
      inputs.push_back(cotangents[gradient.getInt()]);
    else if (auto result = get(kResultAttr))
      inputs.push_back((*results)[result.getInt()]);
    else
      inputs.push_back(arguments[get(kArgumentAttr).getInt()]);
  }
  return reference::evaluate(backward, inputs);
}

FailureOr<Tensor> GradientCheck::computeDifferences(int64_t argument) {
  if (auto known = differencesOf.find(argument); known != differencesOf.end())
    return known->second;
  constexpr double step = 1e-5;
  Tensor differences = std::get<Tensor>(arguments[argument]);
  SmallVector<Datum> moved(arguments);
  for (auto [index, difference] : llvm::enumerate(differences.values)) {
    double &value = std::get<Tensor>(moved[argument]).values[index];
    double before = value;
    value = before + step;
    FailureOr<double> above = evaluateSum(moved);
    value = before - step;
    FailureOr<double> below = evaluateSum(moved);
    value = before;
    if (failed(above) || failed(below))
      return failure();
    difference = (*above - *below) / (2 * step);
    if (std::abs(difference) < 1e-8) // Rounding, where there is no slope.
      difference = 0;
  }
  return differencesOf[argument] = std::move(differences);
}

LogicalResult GradientCheck::checkConstant(const Form &form, int64_t argument) {
  FailureOr<Tensor> differences = computeDifferences(argument);
  if (failed(differences))
    return failure();
  if (llvm::all_of(differences->values, [](double x) { return x == 0; }))
    return success();
  return form.backward->emitError()
         << "seed " << seed << ": expected a gradient of argument " << argument
         << ", which results change with, got none";
}

LogicalResult GradientCheck::run() {
  FailureOr<SmallVector<Datum>> made = reference::makeArguments(function, seed);
  if (failed(made))
    return failure();
  arguments = std::move(*made);
  return success(llvm::all_of(
      forms, [&](const Form &form) { return succeeded(check(form)); }));
}

LogicalResult GradientCheck::check(const Form &form) {
  func::FuncOp backward = form.backward;
  FailureOr<SmallVector<Datum>> gradients = computeGradients(form);
  if (failed(gradients))
    return failure();
  BitVector isCompared(arguments.size());
  for (auto [index, gradient] : llvm::enumerate(*gradients)) {
    int64_t argument =
        backward
            .getResultAttrOfType<IntegerAttr>(index, kGradientOfArgumentAttr)
            .getInt();
    isCompared.set(argument);
    FailureOr<Tensor> expected = computeDifferences(argument);
    if (failed(expected) ||
        failed(compareResults(backward, seed, index, *expected, gradient,
                              getRelativeError(1e-6))))
      return failure();
  }
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<FloatType>(getElementTypeOrSelf(type)) && !isCompared[index] &&
        failed(checkConstant(form, index)))
      return failure();
  return success();
}

static LogicalResult checkGradient(Operation *op, raw_ostream &os) {
  FailureOr<ModuleOp> module = getModule(op);
  if (failed(module))
    return failure();
  FailureOr<SmallVector<func::FuncOp>> functions = getFunctions(*module);
  if (failed(functions))
    return failure();
  // With what is saved as it is, and with less.
  OwningOpRef<ModuleOp> differentiated = module->clone();
  PassManager manager(op->getContext());
  manager.addPass(createRGNNDifferentiatePass());
  if (failed(manager.run(*differentiated)))
    return failure();
  OwningOpRef<ModuleOp> recomputed = differentiated->clone();
  PassManager recompute(op->getContext());
  recompute.addPass(createRGNNRecomputePass());
  if (failed(recompute.run(*recomputed)))
    return failure();
  for (func::FuncOp function : *functions) {
    SmallVector<Form> forms;
    for (ModuleOp made : {*differentiated, *recomputed}) {
      auto find = [&](const Twine &name) {
        return made.lookupSymbol<func::FuncOp>(name.str());
      };
      forms.push_back(
          {find(function.getName()), find(function.getName() + "_backward")});
      if (!forms.back().backward)
        return function.emitError(
            "expected a public function of floating-point numbers");
    }
    for (uint64_t seed = 0; seed < getNumSeeds(); ++seed)
      if (failed(GradientCheck(function, forms, seed).run()))
        return failure();
    os << "@" << function.getName() << ": gradients agree on " << getNumSeeds()
       << " seeds\n";
  }
  return success();
}

void rgnn::registerCheckGradientTranslation() {
  TranslateFromMLIRRegistration registration(
      "rgnn-check-gradient",
      "differentiate each function, with and without recomputation, and "
      "compare "
      "with finite differences, all evaluated on made-up arguments",
      checkGradient, registerEvaluatedDialects);
}
