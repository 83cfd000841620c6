//===- KernelPlan.cpp - which op runs in which kernel ---------------------===//

#include "KernelPlan.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "convert-rgnn-to-hetkernel"

using namespace mlir;
using namespace mlir::rgnn;

bool rgnn::isLoad(Operation *op) {
  return isa_and_nonnull<GatherOp, DegreeOp>(op);
}

static StringRef stringifyKind(Kind kind) {
  switch (kind) {
  case Kind::Gemm:
    return "gemm";
  case Kind::View:
    return "view";
  case Kind::Plain:
    return "plain";
  case Kind::Traversal:
    return "traversal";
  case Kind::Load:
    return "load";
  case Kind::Boundary:
    return "boundary";
  }
  llvm_unreachable("an unknown kind");
}

namespace mlir::rgnn {
/// For debug output: "traversal, phase 0, nest node, stage 1".
static raw_ostream &operator<<(raw_ostream &os, const OpPlan &plan) {
  os << stringifyKind(plan.kind);
  if (plan.kind == Kind::Load)
    return os;
  os << ", phase " << plan.phase;
  if (plan.kind != Kind::Traversal)
    return os;
  os << ", nest " << stringifyDomain(plan.nest.outer);
  if (plan.nest.nodeType >= 0)
    os << " of type " << plan.nest.nodeType;
  return os << ", stage " << plan.stage;
}
} // namespace mlir::rgnn

/// The value whose rows a chain of gathers reads.
static Value getSource(Value value) {
  while (auto gather = value.getDefiningOp<GatherOp>())
    value = gather.getRows();
  return value;
}

/// The graph of an encoding. A function has one for each schema.
static FailureOr<Value> findGraph(Operation &op, RowsAttr rows) {
  Value found;
  auto consider = [&](Value value) -> LogicalResult {
    auto type = dyn_cast<rgnn::GraphType>(value.getType());
    if (!type || type.getSchema() != rows.getGraph())
      return success();
    if (found)
      return op.emitOpError() << "expected one graph of " << rows.getGraph()
                              << " in the function, got several";
    found = value;
    return success();
  };
  Block *block = op.getBlock();
  for (BlockArgument argument : block->getArguments())
    if (failed(consider(argument)))
      return failure();
  for (Operation &other : *block)
    for (Value result : other.getResults())
      if (failed(consider(result)))
        return failure();
  if (!found)
    return op.emitOpError() << "expected a graph of " << rows.getGraph()
                            << " in the function, got none";
  return found;
}

const OpPlan *KernelPlan::get(Value value) const {
  auto it = plans.find(value.getDefiningOp());
  return it == plans.end() ? nullptr : &it->second;
}

bool KernelPlan::isTraversed(Value value) const {
  const OpPlan *plan = get(value);
  return plan && plan->kind == Kind::Traversal;
}

bool KernelPlan::isInSameKernel(Operation *user, const OpPlan &producer,
                                Value read) const {
  auto it = plans.find(user);
  if (it == plans.end() || it->second.kind != Kind::Traversal ||
      it->second.phase != producer.phase || !(it->second.nest == producer.nest))
    return false;
  // A gather stays within the outer row only along the nest's own path.
  auto gather = read.getDefiningOp<GatherOp>();
  return !gather || (gather.getPath() == producer.nest.path() &&
                     gather.getTo() == Domain::Edge);
}

bool KernelPlan::isStored(Value value) const {
  const OpPlan *producer = get(value);
  if (!producer || producer->kind != Kind::Traversal)
    return true;
  for (Operation *user : value.getUsers()) {
    auto gather = dyn_cast<GatherOp>(user);
    if (!gather) {
      if (!isInSameKernel(user, *producer, value))
        return true;
      continue;
    }
    for (Operation *reader : gather.getResult().getUsers())
      if (!isInSameKernel(reader, *producer, gather.getResult()))
        return true;
  }
  return false;
}

SmallVector<Operation *> KernelPlan::getOps(int64_t phase) const {
  SmallVector<Operation *> ops;
  for (auto &[op, plan] : plans)
    if (plan.phase == phase)
      ops.push_back(op);
  return ops;
}

SmallVector<TraversalGroup> KernelPlan::getTraversals(int64_t phase) const {
  SmallVector<TraversalGroup> groups;
  for (Operation *op : getOps(phase)) {
    if (get(op).kind != Kind::Traversal)
      continue;
    const Nest &nest = get(op).nest;
    auto *group = llvm::find_if(
        groups, [&](TraversalGroup &group) { return group.nest == nest; });
    if (group == groups.end())
      group = &groups.emplace_back(TraversalGroup{nest, {}});
    group->ops.push_back(op);
  }
  return groups;
}

/// An edge value is computed where the first reduction that uses it runs.
Nest KernelPlan::getPreferredNest(Operation &op) const {
  Nest nest;
  SmallVector<Operation *> worklist{&op};
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    for (Operation *user : next->getUsers()) {
      if (isa<GroupSoftmaxOp, ReduceOp>(user)) {
        auto path = user->getAttrOfType<PathAttr>("path");
        nest.outer =
            path.getValue() == Path::DstPair ? Domain::DstPair : Domain::Node;
        return nest;
      }
      if (isa<RowOpInterface>(user))
        worklist.push_back(user);
    }
  }
  return nest;
}

LogicalResult KernelPlan::planTraversal(Operation &op, OpPlan &result) {
  result.kind = Kind::Traversal;
  RowsAttr rows = getRows(op.getResult(0).getType());
  FailureOr<Value> graph = findGraph(op, rows);
  if (failed(graph))
    return failure();

  // The nest.
  if (isa<ReduceOp, GroupSoftmaxOp>(op)) {
    Path path = op.getAttrOfType<PathAttr>("path").getValue();
    if (getRows(op.getOperand(0).getType()).getDomain() != Domain::Edge ||
        (path != Path::Dst && path != Path::DstPair))
      return op.emitOpError()
             << "cannot be lowered: no kernel reduces rows of "
             << stringifyDomain(getRows(op.getOperand(0).getType()).getDomain())
             << " along path " << stringifyPath(path);
    result.nest.outer = path == Path::DstPair ? Domain::DstPair : Domain::Node;
  } else if (rows.getDomain() == Domain::Edge) {
    result.nest = getPreferredNest(op);
  } else if (rows.getDomain() == Domain::Node ||
             rows.getDomain() == Domain::DstPair) {
    result.nest.outer = rows.getDomain();
    result.nest.nodeType = rows.getType();
  } else {
    return op.emitOpError() << "cannot be lowered: no kernel runs over rows of "
                            << stringifyDomain(rows.getDomain());
  }
  result.nest.graph = *graph;

  // The phase: after all that is not in the same kernel.
  for (Value operand : op.getOperands()) {
    const OpPlan *producer = get(getSource(operand));
    if (!producer)
      continue;
    bool traversed = producer->kind == Kind::Traversal;
    bool fusable = traversed && producer->nest == result.nest;
    if (auto gather = operand.getDefiningOp<GatherOp>())
      fusable &= gather.getPath() == result.nest.path() &&
                 gather.getTo() == Domain::Edge &&
                 !gather.getRows().getDefiningOp<GatherOp>();
    result.phase = std::max(result.phase,
                            producer->phase + (traversed && !fusable ? 1 : 0));
  }

  // The stage: after the loops of the same kernel that it waits for.
  for (Value operand : op.getOperands()) {
    const OpPlan *producer = get(getSource(operand));
    if (producer && producer->kind == Kind::Traversal &&
        producer->phase == result.phase && producer->nest == result.nest)
      result.stage = std::max(result.stage, producer->stage);
  }
  if (isa<ReduceOp>(op))
    result.stage += 1;
  if (isa<GroupSoftmaxOp>(op))
    result.stage += 2;
  return success();
}

LogicalResult KernelPlan::plan(Operation &op) {
  OpPlan result;
  auto afterOperands = [&] {
    for (Value operand : op.getOperands())
      if (const OpPlan *producer = get(getSource(operand)))
        result.phase =
            std::max(result.phase,
                     producer->phase + (producer->kind == Kind::Traversal));
  };
  if (!isa_and_nonnull<RGNNDialect>(op.getDialect()) ||
      isa<COOGraphOp, ConstantGraphOp, PlaceOp, UnplaceOp>(op)) {
    result.kind = Kind::Boundary;
    afterOperands();
  } else if (isa<TorchOp>(op)) {
    return op.emitOpError("cannot be lowered: it runs in PyTorch");
  } else if (isLoad(&op)) {
    result.kind = Kind::Load;
  } else if (!getRows(op.getResult(0).getType()) &&
             llvm::none_of(
                 op.getOperandTypes(),
                 [](Type type) { return getRows(type) != nullptr; }) &&
             !isa<LookupOp>(op)) {
    result.kind = Kind::Plain;
    afterOperands();
  } else if (isa<LinearOp, TypedLinearOp>(op)) {
    result.kind = Kind::Gemm;
    afterOperands();
    FailureOr<Value> graph = findGraph(op, getRows(op.getResult(0).getType()));
    if (failed(graph))
      return failure();
    result.nest.graph = *graph;
  } else if (isa<ConcatTypesOp, SliceTypeOp>(op) ||
             (isa<ReshapeOp, SliceOp>(op) && !isTraversed(op.getOperand(0)) &&
              !isLoad(op.getOperand(0).getDefiningOp()))) {
    result.kind = Kind::View;
    afterOperands();
  } else if (isa<RowOpInterface, LookupOp, ReduceOp, GroupSoftmaxOp>(op)) {
    if (failed(planTraversal(op, result)))
      return failure();
  } else {
    return op.emitOpError("cannot be lowered: no kernel computes it");
  }
  LDBG() << op.getName() << ": " << result;
  numPhases = std::max(numPhases, result.phase + 1);
  plans[&op] = result;
  return success();
}

FailureOr<KernelPlan> KernelPlan::compute(func::FuncOp function) {
  KernelPlan result;
  for (Operation &op : function.getBody().front())
    if (failed(result.plan(op)))
      return failure();
  return result;
}
