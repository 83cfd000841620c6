//===- Differentiate.cpp - a backward function for each function ----------===//

#include "RGNN/Dialect/RGNN/Transforms/Passes.h"

#include "RGNN/Dialect/RGNN/IR/DiscardableAttributes.h"
#include "RGNN/Dialect/RGNN/IR/RGNNGradients.h"
#include "RGNN/Support/CloneSlice.h"
#include "RGNN/Support/Remarks.h"
#include "SavedValues.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

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
  Differentiation(func::FuncOp forward, ArrayRef<int64_t> arguments,
                  bool recompute)
      : forward(forward), wanted(arguments), recompute(recompute),
        builder(forward.getContext()) {}

  /// Makes a backward function that gets all that is worth saving of the
  /// forward, read or not.
  LogicalResult emit(SymbolTable &symbols);
  func::FuncOp getBackward() { return backward; }
  /// Drops arguments that nothing reads, and lets the forward return what the
  /// others are.
  void finish();
  int64_t getNumSaved() const { return numSaved; }

private:
  /// Adds the gradients of results as arguments, and as results those of the
  /// wanted arguments that some result changes with.
  LogicalResult emitGradients();
  /// Now that there are gradients, what is detached is no other value.
  void eraseDetached();
  /// Lets graphs get their numbers of nodes from gradients that have as many
  /// rows, so that no tensor of the forward is kept for its size.
  void takeSizesOfGradients();
  /// Lets gradients read no more than they need, so that this is saved for
  /// them. The forward's copies are the keys of `originalOf`, and stay.
  void simplifyGradients(const DenseMap<Operation *, Operation *> &originalOf);
  /// Makes arguments of what is worth saving of the forward.
  void splitForward();

  /// Places rows that are kept in their graph, which says how many they are,
  /// where the backward reads nothing else of it.
  void placeSaved();

  /// Adds an argument to the backward function, with one attribute.
  BlockArgument addArgument(Type type, StringRef role, int64_t index);

  func::FuncOp forward, backward;
  ArrayRef<int64_t> wanted;
  bool recompute;
  OpBuilder builder;
  /// The backward's copies of the forward's ops, and those ops.
  SmallVector<Operation *> clones, originals;
  /// Arguments that are gradients of results, and the copies of those.
  SmallVector<std::pair<BlockArgument, Value>> gradientsOfResults;
  /// By the number of an argument of the backward, the value that it is in the
  /// forward.
  SmallVector<std::pair<unsigned, Value>> candidates;
  int64_t numSaved = 0;
};

} // namespace

BlockArgument Differentiation::addArgument(Type type, StringRef role,
                                           int64_t index) {
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
    BlockArgument argument =
        addArgument(result.getType(), kGradientOfResultAttr, index);
    gradientsOfResults.emplace_back(argument, result);
    if (failed(addGradient(builder, result, argument, gradients)))
      return failure();
  }
  if (failed(propagateGradients(builder, clones, active, gradients)))
    return failure();

  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attributes;
  for (auto [argument, source] : llvm::zip(wanted, sources))
    if (Value gradient = gradients.lookup(source)) {
      results.push_back(gradient);
      NamedAttrList attributesOfResult;
      attributesOfResult.set(kGradientOfArgumentAttr,
                             builder.getI64IntegerAttr(argument));
      if (Attribute changes = forward.getArgAttr(argument, kChangesAttr))
        attributesOfResult.set(kChangesAttr, changes);
      attributes.push_back(
          attributesOfResult.getDictionary(builder.getContext()));
    }
  func::ReturnOp::create(builder, end->getLoc(), results);
  end->erase();
  backward.setFunctionType(
      builder.getFunctionType(block.getArgumentTypes(), TypeRange(results)));
  backward.setAllResultAttrs(attributes);
  return success();
}

void Differentiation::takeSizesOfGradients() {
  builder.setInsertionPointToStart(&backward.getBody().front());
  for (auto [argument, result] : gradientsOfResults) {
    auto unplace = result.getDefiningOp<UnplaceOp>();
    RowsAttr rows = unplace ? getRows(unplace.getRows().getType()) : RowsAttr();
    if (!rows || rows.getDomain() != Domain::Node)
      continue;
    FailureOr<Value> graph = findGraph(unplace, rows);
    auto made =
        succeeded(graph) ? graph->getDefiningOp<COOGraphOp>() : COOGraphOp();
    // The number of all nodes, or of the nodes of one of several types.
    int64_t type = std::max<int64_t>(rows.getType(), 0);
    bool isOfAll = rows.getType() < 0;
    int64_t numTypes = made ? made.getNodes().size() : 0;
    if (type >= numTypes || isOfAll != (numTypes == 1))
      continue;
    OpOperand &nodes = made.getNodesMutable()[type];
    if (nodes.get().getDefiningOp<tensor::DimOp>())
      nodes.set(tensor::DimOp::create(builder, made.getLoc(), argument, 0));
  }
}

void Differentiation::simplifyGradients(
    const DenseMap<Operation *, Operation *> &originalOf) {
  SmallVector<Operation *> ops;
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(backward.getBody().front())))
    if (originalOf.contains(&op))
      continue;
    else if (isOpTriviallyDead(&op))
      op.erase();
    else
      ops.push_back(&op);
  RewritePatternSet patterns(builder.getContext());
  MapOp::getCanonicalizationPatterns(patterns, builder.getContext());
  (void)applyOpPatternsGreedily(
      ops, std::move(patterns),
      GreedyRewriteConfig().setStrictness(
          GreedyRewriteStrictness::ExistingAndNewOps));
}

void Differentiation::splitForward() {
  DenseMap<Operation *, Operation *> originalOf;
  for (auto [clone, original] : llvm::zip(clones, originals))
    originalOf[clone] = original;
  simplifyGradients(originalOf);
  for (Operation *clone : chooseSaved(clones, recompute)) {
    Value saved = clone->getResult(0);
    BlockArgument argument = addArgument(saved.getType(), kResultAttr, 0);
    saved.replaceAllUsesWith(argument);
    candidates.emplace_back(argument.getArgNumber(),
                            originalOf[clone]->getResult(0));
  }
}

void Differentiation::eraseDetached() {
  for (auto ops : {&clones, &originals})
    llvm::erase_if(*ops, [](Operation *op) {
      if (!isa<DetachOp, WithSlopeOp>(op))
        return false;
      op->replaceAllUsesWith(ValueRange(op->getOperand(0)));
      op->erase();
      return true;
    });
}

/// Gives what is returned twice a plain form for each time: their gradients are
/// added as rows of a graph, since plain tensors of as many rows have none.
static void returnEachOnce(Operation *end) {
  DenseSet<Value> returned;
  for (OpOperand &operand : end->getOpOperands()) {
    auto unplace = operand.get().getDefiningOp<UnplaceOp>();
    if (unplace && !returned.insert(unplace).second)
      operand.set(OpBuilder(end).clone(*unplace)->getResult(0));
  }
}

LogicalResult Differentiation::emit(SymbolTable &symbols) {
  std::string name = (forward.getName() + "_backward").str();
  if (Operation *other = symbols.lookup(name)) {
    InFlightDiagnostic error = forward.emitError()
                               << "expected the name of the backward, @" << name
                               << ", to be free, got another symbol";
    error.attachNote(other->getLoc()) << "the symbol is here";
    return error;
  }
  returnEachOnce(forward.getBody().front().getTerminator());
  backward = cast<func::FuncOp>(forward->clone());
  backward.setName(name);
  builder.setInsertionPointAfter(forward);
  symbols.insert(backward, std::next(forward->getIterator()));
  for (BlockArgument argument : backward.getArguments())
    backward.setArgAttr(argument.getArgNumber(), kArgumentAttr,
                        builder.getI64IntegerAttr(argument.getArgNumber()));
  for (auto [from, to] :
       llvm::zip(forward.getBody().front().without_terminator(),
                 backward.getBody().front().without_terminator())) {
    originals.push_back(&from);
    clones.push_back(&to);
  }
  if (failed(emitGradients()))
    return failure();
  for (func::FuncOp function : {forward, backward}) // The results have it now.
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, kChangesAttr);
  takeSizesOfGradients();
  eraseDetached();
  splitForward();
  return success();
}

/// Whether `block` has the graph of `rows`.
static bool hasGraph(Block &block, RowsAttr rows) {
  auto isOwn = [&](Type type) {
    auto graph = dyn_cast<rgnn::GraphType>(type);
    return graph && graph.getSchema() == rows.getGraph() &&
           graph.getPart() == rows.getPart();
  };
  return llvm::any_of(block.getArgumentTypes(), isOwn) ||
         llvm::any_of(block, [&](Operation &op) {
           return llvm::any_of(op.getResultTypes(), isOwn);
         });
}

void Differentiation::placeSaved() {
  Block &block = backward.getBody().front();
  OpBuilder atStart = OpBuilder::atBlockBegin(&block);
  IRMapping copies;
  for (BlockArgument argument : forward.getArguments())
    copies.map(argument, backward.getArgument(argument.getArgNumber()));
  for (auto [number, original] : candidates) {
    BlockArgument argument = backward.getArgument(number);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    RowsAttr rows = type ? getRows(type) : RowsAttr();
    if (argument.use_empty() || !rows || hasGraph(block, rows))
      continue;
    FailureOr<Value> graph = findGraph(original.getDefiningOp(), rows);
    if (failed(graph))
      continue;
    Value copy = cloneSlice(atStart, *graph, copies);
    argument.setType(type.cloneWithEncoding({}));
    auto placed =
        PlaceOp::create(atStart, argument.getLoc(), type, argument, copy);
    argument.replaceAllUsesExcept(placed, placed);
  }
  backward.setFunctionType(builder.getFunctionType(block.getArgumentTypes(),
                                                   backward.getResultTypes()));
}

void Differentiation::finish() {
  placeSaved();
  Operation *end = forward.getBody().front().getTerminator();
  SmallVector<Value> results(end->getOperands());
  size_t numResults = results.size();
  for (auto [argument, original] : candidates) {
    if (backward.getArgument(argument).use_empty())
      continue;
    int64_t number = llvm::find(results, original) - results.begin();
    if (number == static_cast<int64_t>(results.size()))
      results.push_back(original);
    backward.setArgAttr(argument, kResultAttr,
                        builder.getI64IntegerAttr(number));
  }
  auto saved = ArrayRef(results).drop_front(numResults);
  numSaved = saved.size();
  end->insertOperands(numResults, saved);
  for (Value value : saved)
    (void)forward.insertResult(forward.getNumResults(), value.getType(),
                               builder.getDictionaryAttr(builder.getNamedAttr(
                                   kSavedAttr, builder.getUnitAttr())));

  BitVector unused(backward.getNumArguments());
  for (BlockArgument argument : backward.getArguments())
    // Types may name a graph that no op reads.
    unused[argument.getArgNumber()] =
        argument.use_empty() && !isa<rgnn::GraphType>(argument.getType());
  (void)backward.eraseArguments(unused);
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
      Differentiation differentiation(function, *wanted, recompute);
      // What nothing reads any more is not worth saving.
      OpPassManager cleanup(func::FuncOp::getOperationName());
      cleanup.addPass(createCanonicalizerPass());
      cleanup.addPass(createCSEPass());
      if (failed(differentiation.emit(symbols)) ||
          failed(runPipeline(cleanup, differentiation.getBackward())))
        return signalPassFailure();
      differentiation.finish();
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
