//===- Recompute.cpp - what the backward computes again -------------------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"

#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Dialect/RGNN/Utils/SoftmaxParts.h"
#include "RGNN/Support/ExpectedGraph.h"
#include "RGNN/Support/Remarks.h"
#include "SavedValues.h"
#include "Slice.h"

#include "mlir/Analysis/TopologicalSortUtils.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNRECOMPUTEPASS
#include "RGNN/Dialect/RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Bytes for each node of a graph as it is expected.
static int64_t getExpectedBytes(Type type) {
  auto getRowsOf = [](Domain domain) {
    switch (domain) {
    case Domain::Edge:
      return expectedEdgesPerNode;
    case Domain::SrcPair:
    case Domain::DstPair:
      return expectedPairsPerNode;
    case Domain::Node:
      return 1;
    case Domain::EType:
    case Domain::NType:
      return 0;
    }
    llvm_unreachable("an unknown domain");
  };
  return getRowsOf(getRows(type).getDomain()) * getRowWidth(type) *
         getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

//===----------------------------------------------------------------------===//
// A forward and its backward
//===----------------------------------------------------------------------===//

namespace {
class Training {
public:
  Training(func::FuncOp forward, func::FuncOp backward)
      : forward(forward), backward(backward) {}

  /// Looks at all values that are saved, and returns how many the backward now
  /// computes again.
  int64_t run();

private:
  /// Whether the backward computes the saved result `index` again from now on.
  bool recompute(unsigned index);

  Operation *getEnd() { return forward.getBody().front().getTerminator(); }
  /// The argument of the backward that is an argument or a result of the
  /// forward; null if there is none.
  BlockArgument findArgument(StringRef role, int64_t index);
  BlockArgument addArgument(Type type, DictionaryAttr attributes,
                            StringRef role, int64_t index);
  /// Lets the backward get a value of the forward.
  BlockArgument getInBackward(Value value);
  /// What the backward has of the forward.
  bool isAtHand(Value value);
  void removeSaved(unsigned index);
  IRMapping mapGraphs();

  func::FuncOp forward, backward;
};
} // namespace

BlockArgument Training::findArgument(StringRef role, int64_t index) {
  for (BlockArgument argument : backward.getArguments()) {
    auto number =
        backward.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), role);
    if (number && number.getInt() == index)
      return argument;
  }
  return {};
}

BlockArgument Training::addArgument(Type type, DictionaryAttr attributes,
                                    StringRef role, int64_t index) {
  Builder builder(backward.getContext());
  unsigned number = backward.getNumArguments();
  (void)backward.insertArgument(number, type, attributes, forward.getLoc());
  backward.setArgAttr(number, role, builder.getI64IntegerAttr(index));
  return backward.getArgument(number);
}

bool Training::isAtHand(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (argument)
    return bool(findArgument(kArgumentAttr, argument.getArgNumber()));
  auto results = getEnd()->getOperands();
  for (auto [index, result] : llvm::enumerate(results))
    if (result == value && findArgument(kResultAttr, index))
      return true;
  return false;
}

BlockArgument Training::getInBackward(Value value) {
  MLIRContext *context = forward.getContext();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    BlockArgument found = findArgument(kArgumentAttr, number);
    return found ? found
                 : addArgument(value.getType(), forward.getArgAttrDict(number),
                               kArgumentAttr, number);
  }
  auto results = getEnd()->getOperands();
  unsigned index = llvm::find(results, value) - results.begin();
  if (index == results.size()) {
    auto saved = DictionaryAttr::get(
        context, NamedAttribute(StringAttr::get(context, kSavedAttr),
                                UnitAttr::get(context)));
    getEnd()->insertOperands(index, value);
    (void)forward.insertResult(index, value.getType(), saved);
  }
  BlockArgument found = findArgument(kResultAttr, index);
  return found ? found
               : addArgument(value.getType(), DictionaryAttr::get(context),
                             kResultAttr, index);
}

void Training::removeSaved(unsigned index) {
  Builder builder(forward.getContext());
  (void)backward.eraseArgument(findArgument(kResultAttr, index).getArgNumber());
  getEnd()->eraseOperand(index);
  (void)forward.eraseResult(index);
  for (BlockArgument argument : backward.getArguments()) {
    auto number = backward.getArgAttrOfType<IntegerAttr>(
        argument.getArgNumber(), kResultAttr);
    if (number && number.getInt() > index)
      backward.setArgAttr(argument.getArgNumber(), kResultAttr,
                          builder.getI64IntegerAttr(number.getInt() - 1));
  }
}

/// Of each graph of the forward, that of the backward.
IRMapping Training::mapGraphs() {
  DenseMap<Type, Value> graphs;
  auto visit = [](func::FuncOp function, auto action) {
    auto onGraph = [&](Value value) {
      if (isa<rgnn::GraphType>(value.getType()))
        action(value);
    };
    llvm::for_each(function.getArguments(), onGraph);
    for (Operation &op : function.getBody().front())
      llvm::for_each(op.getResults(), onGraph);
  };
  visit(backward,
        [&](Value graph) { graphs.try_emplace(graph.getType(), graph); });
  IRMapping mapping;
  visit(forward, [&](Value graph) {
    if (Value same = graphs.lookup(graph.getType()))
      mapping.map(graph, same);
  });
  return mapping;
}

bool Training::recompute(unsigned index) {
  Value value = getEnd()->getOperand(index);
  Operation *op = value.getDefiningOp();
  BlockArgument argument = findArgument(kResultAttr, index);
  // What products and sums make is not looked at.
  if (!isa_and_nonnull<MapOp, GroupSoftmaxOp>(op) || !argument)
    return false;
  auto softmax = dyn_cast<GroupSoftmaxOp>(op);
  Slice slice(softmax ? softmax.getRows() : value, /*isExact=*/!softmax,
              [&](Value other) { return other != value && isAtHand(other); });
  PassRemarks remarks(forward, "rgnn-recompute", "Recomputation");
  auto refuse = [&](const Refusal &refusal) {
    remarks.missed(op->getLoc(),
                   "the result of " + op->getName().getStringRef() +
                       " is kept for the backward",
                   refusal);
    return false;
  };
  if (softmax && isCompared(value))
    return refuse("it is compared with a maximum, bit for bit");
  if (slice.getRefusal())
    return refuse(slice.getRefusal());
  int64_t bytes = getExpectedBytes(value.getType()), instead = 0;
  for (Value missing : slice.getMissing())
    instead += getExpectedBytes(missing.getType());
  if (softmax)
    instead += 2 * getExpectedBytes(getTypeOfGroups(softmax));
  if (instead >= bytes)
    return refuse("what it is made of takes as much memory");
  IRMapping mapping = mapGraphs();
  for (Value graph : slice.getGraphs())
    if (!mapping.contains(graph))
      return refuse("the backward does not read the graph");

  OpBuilder builder(forward.getContext());
  SoftmaxParts parts;
  if (softmax) {
    builder.setInsertionPoint(softmax);
    parts = emitParts(builder, softmax);
    Value again = emitSoftmax(builder, softmax, softmax.getGraph(),
                              softmax.getRows(), parts);
    softmax.getResult().replaceAllUsesWith(again);
  }
  for (Value leaf : slice.getLeaves())
    mapping.map(leaf, getInBackward(leaf));
  builder.setInsertionPointToStart(&backward.getBody().front());
  Value again = slice.clone(builder, mapping);
  if (softmax) {
    SoftmaxParts saved{getInBackward(parts.maximum),
                       getInBackward(parts.reciprocal), /*powers=*/Value()};
    again = emitSoftmax(builder, softmax, mapping.lookup(softmax.getGraph()),
                        again, saved);
  }
  argument.replaceAllUsesWith(again);
  removeSaved(index);
  remarks.passed(op->getLoc(),
                 "the backward computes the result of " +
                     op->getName().getStringRef() + " again" +
                     (softmax
                          ? ", of the maximum and the denominator of each group"
                          : ""));
  if (softmax)
    softmax.erase();
  sortTopologically(&backward.getBody().front());
  return true;
}

int64_t Training::run() {
  int64_t numRecomputed = 0;
  // What is saved instead comes behind.
  for (unsigned index = 0, end = forward.getNumResults(); index < end;)
    if (forward.getResultAttr(index, kSavedAttr) && recompute(index)) {
      ++numRecomputed;
      --end; // the next one has its number
    } else {
      ++index;
    }
  return numRecomputed;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct Recompute : rgnn::impl::RGNNRecomputePassBase<Recompute> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto forward : getOperation().getOps<func::FuncOp>()) {
      std::string name = (forward.getName() + "_backward").str();
      auto backward = symbols.lookup<func::FuncOp>(name);
      if (!backward || forward.isDeclaration() || backward.isDeclaration())
        continue;
      reportCounts(forward, getArgument(),
                   {{"num-recomputed", Training(forward, backward).run()}});
    }
  }
};
} // namespace
