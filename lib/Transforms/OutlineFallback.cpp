//===- OutlineFallback.cpp - regions to compile around captured operators -===//

#include "RGNN/Dialect/RGNN/IR/RGNN.h"
#include "RGNN/Support/Remarks.h"
#include "RGNN/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::rgnn {
#define GEN_PASS_DEF_RGNNOUTLINEFALLBACKPASS
#include "RGNN/Transforms/Passes.h.inc"
} // namespace mlir::rgnn

using namespace mlir;
using namespace mlir::rgnn;

/// Ops that every region makes for itself: they cost nothing, and graphs and
/// rows cannot be arguments. A region may need the sizes of a graph for rows
/// that enter it, though no op of its own reads the graph.
static bool isSetup(Operation *op) {
  return isa_and_nonnull<arith::ConstantOp, arith::AddIOp, arith::IndexCastOp,
                         tensor::DimOp>(op) ||
         (getKernelForm(op) == KernelForm::Boundary && !isa<UnplaceOp>(op));
}

static Type getPlainType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && getRows(type)
             ? RankedTensorType::get(tensor.getShape(), tensor.getElementType())
             : type;
}

namespace {

class Outliner {
public:
  explicit Outliner(func::FuncOp function)
      : function(function), block(function.getBody().front()) {}

  /// The number of regions.
  FailureOr<int64_t> run();

private:
  void assignLevels();
  bool isInRegion(Operation *op, int64_t level) {
    auto known = levels.find(op); // The terminator has no level.
    return !isSetup(op) && !isa<TorchOp>(op) && known != levels.end() &&
           known->second == level;
  }
  void collectInputs(Value value, int64_t level, SetVector<Value> &inputs);
  bool leaves(Value value, int64_t level);
  FailureOr<Value> getGraph(Operation *user, Type rows);
  FailureOr<Value> getInside(Value value, OpBuilder &builder, IRMapping &inside,
                             Operation *user);
  LogicalResult outline(int64_t level, OpBuilder &plan, IRMapping &outside);

  func::FuncOp function;
  Block &block;
  llvm::DenseMap<Operation *, int64_t> levels;
  int64_t numLevels = 1;
  int64_t numRegions = 0;
};

} // namespace

/// A region runs when the captured operators of the levels before are done; a
/// captured operator runs after the region of its own level. What only later
/// regions read is computed there, so that little crosses over.
void Outliner::assignLevels() {
  for (Operation &op : block.without_terminator()) {
    int64_t level = 0;
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        level =
            std::max(level, levels.lookup(producer) +
                                (isa<TorchOp>(producer) && !isa<TorchOp>(op)));
    levels[&op] = level;
    numLevels = std::max(numLevels, level + 1);
  }
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (isa<TorchOp>(op) || op.use_empty())
      continue;
    int64_t level = numLevels - 1;
    for (Operation *user : op.getUsers())
      if (user != block.getTerminator())
        level = std::min(level, levels.lookup(user));
    levels[&op] = level;
  }
}

/// Adds what region `level` reads of `value` from outside: tensors and numbers
/// that are arguments, results of captured operators, or results of regions.
void Outliner::collectInputs(Value value, int64_t level,
                             SetVector<Value> &inputs) {
  Operation *producer = value.getDefiningOp();
  if (producer && isSetup(producer)) {
    for (Value operand : producer->getOperands())
      collectInputs(operand, level, inputs);
    return;
  }
  if (producer && isInRegion(producer, level))
    return;
  inputs.insert(value);
  // Rows enter as a plain tensor; the graph that they are placed on is made
  // again.
  if (RowsAttr rows = getRows(value.getType()))
    for (auto graph : block.getOps<COOGraphOp>())
      if (graph.getGraph().getType().getSchema() == rows.getGraph())
        collectInputs(graph.getGraph(), level, inputs);
}

/// Whether anything outside region `level` reads `value`.
bool Outliner::leaves(Value value, int64_t level) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isSetup(user))
      return llvm::any_of(user->getResults(),
                          [&](Value result) { return leaves(result, level); });
    return !isInRegion(user, level);
  });
}

FailureOr<Value> Outliner::getGraph(Operation *user, Type type) {
  for (auto graph : block.getOps<COOGraphOp>())
    if (graph.getGraph().getType().getSchema() == getRows(type).getGraph())
      return graph.getGraph();
  return user->emitOpError()
         << "expected a graph of " << getRows(type).getGraph();
}

/// `value` as the region sees it; what is set up anew is cloned.
FailureOr<Value> Outliner::getInside(Value value, OpBuilder &builder,
                                     IRMapping &inside, Operation *user) {
  if (Value known = inside.lookupOrNull(value))
    return known;
  Operation *producer = value.getDefiningOp();
  if (!producer || !isSetup(producer))
    return user->emitOpError("cannot be outlined: it reads a value of another "
                             "region");
  for (Value operand : producer->getOperands())
    if (failed(getInside(operand, builder, inside, user)))
      return failure();
  builder.clone(*producer, inside);
  return inside.lookup(value);
}

LogicalResult Outliner::outline(int64_t level, OpBuilder &plan,
                                IRMapping &outside) {
  SmallVector<Operation *> ops;
  SetVector<Value> inputs;
  SmallVector<Value> outputs;
  for (Operation &op : block.without_terminator()) {
    if (!isInRegion(&op, level))
      continue;
    ops.push_back(&op);
    for (Value operand : op.getOperands())
      collectInputs(operand, level, inputs);
    for (Value result : op.getResults())
      if (leaves(result, level))
        outputs.push_back(result);
  }
  if (outputs.empty())
    return success();

  SmallVector<Type> inputTypes, outputTypes;
  for (Value input : inputs)
    inputTypes.push_back(getPlainType(input.getType()));
  for (Value output : outputs)
    outputTypes.push_back(getPlainType(output.getType()));
  OpBuilder builder(function);
  auto region = func::FuncOp::create(
      builder, function.getLoc(),
      (function.getName() + "_region_" + Twine(numRegions++)).str(),
      builder.getFunctionType(inputTypes, outputTypes));
  region.setPrivate();
  builder.setInsertionPointToStart(region.addEntryBlock());

  IRMapping inside;
  for (auto [input, argument] : llvm::zip(inputs, region.getArguments()))
    if (!getRows(input.getType()))
      inside.map(input, argument);
  for (auto [input, argument] : llvm::zip(inputs, region.getArguments()))
    if (getRows(input.getType())) {
      FailureOr<Value> graph = getGraph(function, input.getType());
      if (failed(graph))
        return failure();
      FailureOr<Value> made = getInside(*graph, builder, inside, function);
      if (failed(made))
        return failure();
      inside.map(input, PlaceOp::create(builder, input.getLoc(),
                                        input.getType(), argument, *made)
                            .getResult());
    }
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (failed(getInside(operand, builder, inside, op)))
        return failure();
    builder.clone(*op, inside);
  }
  SmallVector<Value> results, arguments;
  for (Value output : outputs) {
    Value result = inside.lookup(output);
    if (getRows(output.getType()))
      result = UnplaceOp::create(builder, output.getLoc(), result);
    results.push_back(result);
  }
  func::ReturnOp::create(builder, function.getLoc(), results);

  for (Value input : inputs)
    arguments.push_back(outside.lookup(input));
  auto call = func::CallOp::create(plan, function.getLoc(), region, arguments);
  for (auto [output, result] : llvm::zip(outputs, call.getResults()))
    outside.map(output, result);
  return success();
}

FailureOr<int64_t> Outliner::run() {
  if (block.getOps<TorchOp>().empty())
    return 0;
  assignLevels();
  // The plan is built behind the old body, which then goes.
  Operation *terminator = block.getTerminator();
  OpBuilder plan(terminator);
  SmallVector<Operation *> old;
  for (Operation &op : block.without_terminator())
    old.push_back(&op);
  IRMapping outside;
  for (BlockArgument argument : block.getArguments())
    outside.map(argument, argument);
  for (int64_t level = 0; level < numLevels; ++level) {
    if (failed(outline(level, plan, outside)))
      return failure();
    for (Operation *op : old) {
      if (!isa<TorchOp>(op) || levels.lookup(op) != level)
        continue;
      for (Value operand : op->getOperands())
        if (!outside.contains(operand))
          return op->emitOpError("cannot be outlined: it reads what is no "
                                 "tensor of the captured model");
      plan.clone(*op, outside);
    }
  }
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value mapped = outside.lookupOrNull(operand.get());
    if (!mapped || mapped.getType() != operand.get().getType())
      return terminator->emitOpError("cannot be outlined: it returns what no "
                                     "region or captured operator makes");
    operand.set(mapped);
  }
  for (Operation *op : llvm::reverse(old))
    op->erase();
  return numRegions;
}

namespace {
struct OutlineFallback
    : rgnn::impl::RGNNOutlineFallbackPassBase<OutlineFallback> {
  void runOnOperation() override {
    auto function = getOperation().lookupSymbol<func::FuncOp>("forward");
    if (!function || function.isDeclaration())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitOpError("expected a function of one block");
      return signalPassFailure();
    }
    FailureOr<int64_t> regions = Outliner(function).run();
    if (failed(regions))
      return signalPassFailure();
    reportCounts(function, getArgument(), {{"num-regions", *regions}});
  }
};
} // namespace
