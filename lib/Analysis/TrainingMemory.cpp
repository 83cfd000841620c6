//===- TrainingMemory.cpp - what training keeps in memory -----------------===//

#include "RGNN/Analysis/TrainingMemory.h"
#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::rgnn;

static bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

/// Whose elements `tensor` shows.
static Value skipViews(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  while (op && isView(op)) {
    tensor = op->getOperand(0);
    op = tensor.getDefiningOp();
  }
  return tensor;
}

/// Whether an op computes `tensor`, on rows or on weights.
static bool isComputed(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  return op && isa_and_nonnull<RGNNDialect>(op->getDialect()) &&
         isFloatTensor(tensor);
}

/// The graphs of a function, of which there is one for each schema.
static DenseMap<Type, Value> getGraphs(func::FuncOp function) {
  DenseMap<Type, Value> graphs;
  auto add = [&](Value value) {
    if (isa<rgnn::GraphType>(value.getType()))
      graphs.try_emplace(value.getType(), value);
  };
  llvm::for_each(function.getArguments(), add);
  for (Operation &op : function.getBody().front())
    llvm::for_each(op.getResults(), add);
  return graphs;
}

/// The op of the forward that computes what `op` of the backward does, of
/// operands that `known` says the values of in the forward; null if none does.
static Operation *findInForward(Operation &op,
                                const DenseMap<Value, Value> &known) {
  Value first = op.getNumOperands() ? known.lookup(op.getOperand(0)) : Value();
  if (!first)
    return nullptr;
  for (Operation *user : first.getUsers()) {
    DenseMap<Value, Value> inner; // of regions
    auto isSame = [&](Value ofForward, Value ofBackward) {
      Value value = known.lookup(ofBackward);
      return success(ofForward == (value ? value : inner.lookup(ofBackward)));
    };
    auto note = [&](Value ofForward, Value ofBackward) {
      inner[ofBackward] = ofForward;
    };
    if (OperationEquivalence::isEquivalentTo(
            user, &op, isSame, note, OperationEquivalence::IgnoreLocations))
      return user;
  }
  return nullptr;
}

/// The number that an attribute of an argument of the backward gives, if it is
/// less than `end`.
static std::optional<int64_t> getNumber(BlockArgument argument, StringRef name,
                                        int64_t end) {
  auto backward = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto number =
      backward.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), name);
  return number && number.getInt() >= 0 && number.getInt() < end
             ? std::optional(number.getInt())
             : std::nullopt;
}

/// Intermediate values of the forward that ops of the backward read which are
/// not in the forward.
static llvm::SetVector<Value> findNeeded(func::FuncOp forward,
                                         func::FuncOp backward) {
  Operation *end = forward.getBody().front().getTerminator();
  DenseMap<Value, Value> known;
  for (BlockArgument argument : backward.getArguments()) {
    if (auto of = getNumber(argument, kArgumentAttr, forward.getNumArguments()))
      known[argument] = forward.getArgument(*of);
    if (auto of = getNumber(argument, kResultAttr, end->getNumOperands()))
      known[argument] = end->getOperand(*of);
  }
  // Made of sizes of other tensors, it is the same graph.
  DenseMap<Type, Value> graphs = getGraphs(forward);
  for (auto [type, graph] : getGraphs(backward))
    known[graph] = graphs.lookup(type);
  llvm::SetVector<Value> needed;
  for (Operation &op : backward.getBody().front()) {
    if (Operation *same = findInForward(op, known)) {
      for (auto [result, value] :
           llvm::zip(op.getResults(), same->getResults()))
        known[result] = value;
      continue;
    }
    for (Value operand : op.getOperands())
      if (Value value = known.lookup(operand))
        if (Value source = skipViews(value);
            isComputed(source) && getRows(source.getType()))
          needed.insert(source);
  }
  return needed;
}

FailureOr<TrainingMemory> rgnn::getTrainingMemory(func::FuncOp forward,
                                                  func::FuncOp backward,
                                                  const GraphSizes &sizes) {
  TrainingMemory memory;
  bool isKnown = true;
  auto add = [&](int64_t &sum, Value tensor) {
    FailureOr<int64_t> bytes = getNumBytes(forward, tensor, sizes);
    isKnown &= succeeded(bytes);
    sum += bytes.value_or(0);
  };

  for (BlockArgument argument : forward.getArguments())
    if (isFloatTensor(argument))
      add(memory.arguments, argument);

  Operation *end = forward.getBody().front().getTerminator();
  llvm::SetVector<Value> results, saved;
  for (auto [index, value] : llvm::enumerate(end->getOperands())) {
    bool isSaved = forward.getResultAttr(index, kSavedAttr) != nullptr;
    (isSaved ? saved : results).insert(skipViews(value));
  }
  for (Value result : results)
    add(memory.results, result);
  for (Value value : saved)
    add(memory.saved, value);

  for (Operation &op : forward.getBody().front())
    for (Value value : op.getResults())
      if (isComputed(value) && !isView(&op) && !results.contains(value))
        add(memory.intermediate, value);

  for (Value value : findNeeded(forward, backward))
    if (!results.contains(value))
      add(memory.needed, value);
  if (!isKnown)
    return failure();
  return memory;
}
