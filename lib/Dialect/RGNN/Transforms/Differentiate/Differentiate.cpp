//===- Differentiate.cpp - a backward function for each function ----------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"

#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"
#include "RGNN/Transforms/Counts.h"
#include "SavedValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNDIFFERENTIATEPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

static bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

namespace {

/// Makes the backward function of one function, and lets the function return
/// what it needs.
class Differentiation {
public:
  Differentiation(func::FuncOp forward, ArrayRef<int64_t> arguments)
      : forward(forward), wanted(arguments), builder(forward.getContext()) {}

  LogicalResult run(SymbolTable &symbols);
  int64_t getNumSaved() const { return saved.size(); }

private:
  /// Adds the gradients of results as arguments, and as results those of the
  /// wanted arguments that some result changes with.
  LogicalResult emitGradients();
  /// Of what the forward computed, keeps what is cheap, and makes arguments of
  /// the rest.
  void splitForward();
  void eraseUnusedArguments();

  /// Adds an argument to the backward function that is `role` number `index`.
  Value addArgument(Type type, StringRef role, int64_t index);

  func::FuncOp forward, backward;
  ArrayRef<int64_t> wanted;
  OpBuilder builder;
  /// From the clones in the backward to values of the forward.
  DenseMap<Value, Value> originals;
  SmallVector<Operation *> clones;
  SmallVector<Value> saved;
};

} // namespace

Value Differentiation::addArgument(Type type, StringRef role, int64_t index) {
  unsigned number = backward.getNumArguments();
  (void)backward.insertArgument(number, type,
                                builder.getDictionaryAttr(builder.getNamedAttr(
                                    role, builder.getI64IntegerAttr(index))),
                                forward.getLoc());
  return backward.getArgument(number);
}

LogicalResult Differentiation::emitGradients() {
  Block &block = backward.getBody().front();
  Operation *end = block.getTerminator();
  SmallVector<Value> sources;
  for (int64_t argument : wanted)
    sources.push_back(backward.getArgument(argument));
  DenseSet<Value> active = findActiveValues(clones, sources);

  builder.setInsertionPoint(end);
  Gradients gradients;
  for (auto [index, result] : llvm::enumerate(end->getOperands())) {
    if (!active.contains(result))
      continue;
    Value &sum = gradients[result];
    sum = addGradients(
        builder, forward.getLoc(), sum,
        addArgument(result.getType(), "rgnn.gradient_of_result", index));
  }
  if (failed(propagateGradients(builder, clones, active, gradients)))
    return failure();

  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attributes;
  for (auto [argument, source] : llvm::zip(wanted, sources))
    if (Value gradient = gradients.lookup(source)) {
      results.push_back(gradient);
      attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
          "rgnn.gradient_of_argument", builder.getI64IntegerAttr(argument))));
    }
  func::ReturnOp::create(builder, end->getLoc(), results);
  end->erase();
  backward.setFunctionType(
      builder.getFunctionType(block.getArgumentTypes(), TypeRange(results)));
  backward.setAllResultAttrs(attributes);
  return success();
}

void Differentiation::splitForward() {
  Block &block = backward.getBody().front();
  DenseSet<Operation *> ofForward(clones.begin(), clones.end());
  Operation *end = forward.getBody().front().getTerminator();
  SmallVector<Value> results(end->getOperands());
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    if (!ofForward.contains(&op) || !isWorthSaving(&op))
      continue;
    Value clone = op.getResult(0), original = originals.lookup(clone);
    auto *returned = llvm::find(results, original);
    int64_t number = returned - results.begin();
    if (returned == results.end()) {
      results.push_back(original);
      saved.push_back(original);
    }
    clone.replaceAllUsesWith(
        addArgument(clone.getType(), "rgnn.result", number));
    op.erase();
  }
  if (saved.empty())
    return;

  end->insertOperands(end->getNumOperands(), saved);
  for (Value value : saved)
    (void)forward.insertResult(forward.getNumResults(), value.getType(),
                               builder.getDictionaryAttr(builder.getNamedAttr(
                                   "rgnn.saved", builder.getUnitAttr())));
}

void Differentiation::eraseUnusedArguments() {
  BitVector unused(backward.getNumArguments());
  for (BlockArgument argument : backward.getArguments())
    // Types may name a graph that no op reads.
    unused[argument.getArgNumber()] =
        argument.use_empty() && !isa<rgnn::GraphType>(argument.getType());
  (void)backward.eraseArguments(unused);
}

LogicalResult Differentiation::run(SymbolTable &symbols) {
  IRMapping mapping;
  backward = cast<func::FuncOp>(forward->clone(mapping));
  backward.setName((forward.getName() + "_backward").str());
  builder.setInsertionPointAfter(forward);
  symbols.insert(backward, std::next(forward->getIterator()));
  for (BlockArgument argument : backward.getArguments())
    backward.setArgAttr(argument.getArgNumber(), "rgnn.argument",
                        builder.getI64IntegerAttr(argument.getArgNumber()));
  for (auto [from, to] :
       llvm::zip(forward.getBody().front().without_terminator(),
                 backward.getBody().front().without_terminator())) {
    clones.push_back(&to);
    for (auto [original, clone] : llvm::zip(from.getResults(), to.getResults()))
      originals[clone] = original;
  }
  if (failed(emitGradients()))
    return failure();
  splitForward();
  eraseUnusedArguments();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct DifferentiatePass
    : rgnn::impl::RGNNDifferentiatePassBase<DifferentiatePass> {
  using RGNNDifferentiatePassBase::RGNNDifferentiatePassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!function.isPublic() || function.isDeclaration())
        continue;
      FailureOr<SmallVector<int64_t>> wanted = getWanted(function);
      if (failed(wanted))
        return signalPassFailure();
      if (wanted->empty())
        continue;
      Differentiation differentiation(function, *wanted);
      if (failed(differentiation.run(symbols)))
        return signalPassFailure();
      reportCounts(function, getArgument(),
                   {{"num-gradients", static_cast<int64_t>(wanted->size())},
                    {"num-saved", differentiation.getNumSaved()}});
    }
  }

private:
  /// The arguments to differentiate by: those of the option, or all floats.
  FailureOr<SmallVector<int64_t>> getWanted(func::FuncOp function) {
    if (!function.getBody().hasOneBlock())
      return function.emitError("expected a function of one block");
    SmallVector<int64_t> wanted;
    if (arguments.empty()) {
      for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
        if (isFloatTensor(type))
          wanted.push_back(index);
      return wanted;
    }
    for (int64_t index : arguments) {
      if (index < 0 || index >= function.getNumArguments() ||
          !isFloatTensor(function.getArgumentTypes()[index]))
        return function.emitError()
               << "arguments: expected numbers of arguments of "
                  "floating-point numbers, got "
               << index;
      wanted.push_back(index);
    }
    return wanted;
  }
};
} // namespace
