//===- KernelPlan.cpp - which op runs in which kernel ---------------------===//

#include "RGNN/Conversion/RGNNToHetKernel/KernelPlan.h"

#include "Absorption.h"

#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "convert-rgnn-to-hetkernel"

using namespace mlir;
using namespace mlir::rgnn;

/// Whether the rows of a stored tensor can be read as those of the result: each
/// must be one run of memory, so that only its outermost dimension is sliced.
static bool isView(Operation &op) {
  auto slice = dyn_cast<SliceOp>(op);
  return slice ? slice.getDim() == 1 : isa<ReshapeOp>(op);
}

/// Whether something reads the rows of a load that cannot load them itself.
static bool needsTensor(Operation *load) {
  Value rows = load->getResult(0);
  auto gather = dyn_cast<GatherOp>(load);
  return isGivenToCaller(rows) ||
         llvm::any_of(rows.getUsers(), [&](Operation *user) {
           std::optional<KernelForm> form = getKernelForm(user);
           if (form == KernelForm::Product || form == KernelForm::Sum)
             return !gather || !canFuseGather(user, gather);
           return form == KernelForm::View || form == KernelForm::Rank;
         });
}

/// Whether `op` is on tensors none of which has rows.
static bool isOnWholeTensors(Operation &op) {
  auto hasRows = [](Type type) { return getRows(type) != nullptr; };
  return llvm::none_of(op.getResultTypes(), hasRows) &&
         llvm::none_of(op.getOperandTypes(), hasRows);
}

/// Node types that are known are those of the numbers of nodes that made the
/// graph.
static LogicalResult verifyNodeTypes(Operation &op) {
  auto path = op.getAttrOfType<PathAttr>("path");
  if (!path || path.getValue() != Path::NType)
    return success();
  for (Value operand : op.getOperands()) {
    auto graph = operand.getDefiningOp<COOGraphOp>();
    if (!graph || graph.getNodes().size() > 1)
      continue;
    std::optional<int64_t> types =
        getNumTypes(&op, graph.getGraph().getType().getSchema(), Domain::NType);
    if (types.value_or(1) != 1)
      return op.emitOpError()
             << "cannot be lowered: expected a graph with a number of nodes "
                "for each of "
             << *types << " node types, got one number for all";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

const OpPlan *KernelPlan::get(Value value) const {
  auto it = plans.find(value.getDefiningOp());
  return it == plans.end() ? nullptr : &it->second;
}

bool KernelPlan::isFusable(const Read &read, const OpPlan &producer,
                           const Nest &nest) const {
  const Nest *own = producer.getNest();
  return options.fuse && own && *own == nest && read.isWithin(nest);
}

const OpPlan *KernelPlan::getProducer(Value value) const {
  const OpPlan *plan = get(value);
  auto gather = value.getDefiningOp<GatherOp>();
  return plan && plan->getIf<LoadPlan>() && gather
             ? getProducer(gather.getRows())
             : plan;
}

bool KernelPlan::isTraversed(Value value) const {
  const OpPlan *plan = get(value);
  return plan && plan->getNest();
}

bool KernelPlan::isInSameKernel(Operation *user, const OpPlan &producer,
                                const Read &read) const {
  auto it = plans.find(user);
  const Nest *nest = it == plans.end() ? nullptr : it->second.getNest();
  return nest && it->second.phase == producer.phase &&
         isFusable(read, producer, *nest);
}

bool KernelPlan::isStored(Value value) const {
  const OpPlan *producer = get(value);
  if (!producer || !producer->getNest())
    return true;
  for (Operation *user : value.getUsers()) {
    auto gather = dyn_cast<GatherOp>(user);
    if (!gather || isTraversed(gather.getResult()))
      if (!isInSameKernel(user, *producer, {value, gather}))
        return true;
    if (!gather)
      continue;
    for (Operation *reader : gather.getResult().getUsers())
      if (!isInSameKernel(reader, *producer,
                          {value, gather, isa<GatherOp>(reader)}))
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
    const Nest *nest = get(op).getNest();
    if (!nest)
      continue;
    auto *group = llvm::find_if(
        groups, [&](TraversalGroup &group) { return group.nest == *nest; });
    if (group == groups.end() || !options.fuse)
      group = &groups.emplace_back(TraversalGroup{*nest, {}});
    group->ops.push_back(op);
  }
  return groups;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

Operation *KernelPlan::getInnerProduct(Operation *op) const {
  if (std::optional<BiasedProduct> biased = getBiasedProduct(op))
    return biased->product;
  return options.deterministic ? nullptr : getSummedProduct(op);
}

int64_t KernelPlan::getPhaseAfter(ValueRange operands) const {
  int64_t phase = 0;
  for (Value operand : operands)
    if (const OpPlan *producer = getProducer(operand))
      phase = std::max(phase, producer->phase + (producer->getNest() ? 1 : 0));
  return phase;
}

FailureOr<OpPlan> KernelPlan::planProduct(Operation &op, Operation *product) {
  GemmPlan gemm{product, Value(), ReduceOp(), Value()};
  int64_t phase = getPhaseAfter(product->getOperands());
  if (std::optional<BiasedProduct> biased = getBiasedProduct(&op)) {
    gemm.bias = biased->bias;
    phase = std::max(phase, getPhaseAfter(gemm.bias));
  } else if (product != &op) {
    gemm.sum = cast<ReduceOp>(op);
  }
  FailureOr<Value> graph =
      findGraph(&op, getRows(product->getResult(0).getType()));
  if (failed(graph))
    return failure();
  gemm.graph = *graph;
  return OpPlan{gemm, phase};
}

FailureOr<OpPlan> KernelPlan::planSum(Operation &op) {
  FailureOr<Value> graph = findGraph(&op, getRows(op.getOperand(0).getType()));
  if (failed(graph))
    return failure();
  return OpPlan{SumPlan{*graph}, getPhaseAfter(op.getOperands())};
}

/// In the phase after all that is not in the same kernel.
FailureOr<OpPlan> KernelPlan::planTraversal(Operation &op) {
  FailureOr<Nest> nest = chooseNest(op);
  if (failed(nest))
    return failure();
  int64_t phase = 0;
  for (const Read &read : getReads(op))
    if (const OpPlan *producer = get(read.source))
      phase = std::max(phase,
                       producer->phase + (producer->getNest() &&
                                          !isFusable(read, *producer, *nest)));
  return OpPlan{TraversalPlan{*nest}, phase};
}

FailureOr<OpPlan> KernelPlan::plan(Operation &op) {
  if (isa<func::CallOp>(op) &&
      llvm::any_of(op.getOperandTypes(),
                   [](Type type) { return getRows(type) != nullptr; }))
    return op.emitOpError("cannot be lowered: expected a call with graphs or "
                          "tensors without rows");
  std::optional<KernelForm> form = getKernelForm(&op);
  if (!isa_and_nonnull<RGNNDialect>(op.getDialect()) ||
      form == KernelForm::Boundary)
    return OpPlan{BoundaryPlan(), getPhaseAfter(op.getOperands())};
  if (isa<TorchOp>(op))
    return op.emitOpError("cannot be lowered: it runs in PyTorch");
  if (!form)
    return op.emitOpError("cannot be lowered: no kernel computes it");
  if (failed(verifyNodeTypes(op)))
    return failure();
  if (form == KernelForm::Load && !needsTensor(&op))
    return OpPlan{LoadPlan()};
  if (isOnWholeTensors(op))
    return OpPlan{WholePlan(), getPhaseAfter(op.getOperands())};
  if (op.getResult(0).hasOneUse() &&
      getInnerProduct(*op.getResult(0).user_begin()) == &op)
    return OpPlan{AbsorbedPlan()};
  if (Operation *product = getInnerProduct(&op))
    return planProduct(op, product);
  if (form == KernelForm::Product)
    return planProduct(op, &op);
  if (form == KernelForm::Sum || form == KernelForm::Rank)
    return planSum(op);
  if (form == KernelForm::View ||
      (isView(op) && !isTraversed(op.getOperand(0)) &&
       !isLoad(op.getOperand(0).getDefiningOp())))
    return OpPlan{ViewPlan(), getPhaseAfter(op.getOperands())};
  return planTraversal(op);
}

FailureOr<KernelPlan> KernelPlan::compute(func::FuncOp function,
                                          PlanOptions options) {
  KernelPlan result;
  result.options = options;
  result.findReductionNests(function.getBody().front());
  for (Operation &op : function.getBody().front()) {
    FailureOr<OpPlan> plan = result.plan(op);
    if (failed(plan))
      return failure();
    result.numPhases = std::max(result.numPhases, plan->phase + 1);
    result.plans[&op] = *plan;
  }
  if (options.fuse)
    result.sinkRows();
  result.computeStages();
  for (auto &[op, plan] : result.plans)
    LDBG() << op->getName() << ": " << plan;
  return result;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static void printNest(raw_ostream &os, const Nest &nest) {
  os << ", nest " << stringifyDomain(nest.outer);
  if (nest.nodeType >= 0)
    os << " of type " << nest.nodeType;
  if (nest.path)
    os << " by " << stringifyPath(*nest.path) << " of "
       << stringifyDomain(nest.inner);
}

raw_ostream &rgnn::operator<<(raw_ostream &os, const OpPlan &plan) {
  std::visit(
      llvm::makeVisitor([&](BoundaryPlan) { os << "boundary"; },
                        [&](LoadPlan) { os << "load"; },
                        [&](AbsorbedPlan) { os << "absorbed"; },
                        [&](ViewPlan) { os << "view"; },
                        [&](WholePlan) { os << "whole"; },
                        [&](const GemmPlan &gemm) {
                          os << "gemm" << (gemm.bias ? " with bias" : "")
                             << (gemm.sum ? " added up" : "");
                        },
                        [&](const SumPlan &) { os << "sum"; },
                        [&](const TraversalPlan &) { os << "traversal"; }),
      plan.computation);
  if (plan.getIf<LoadPlan>() || plan.getIf<AbsorbedPlan>())
    return os;
  os << ", phase " << plan.phase;
  if (auto *traversal = plan.getIf<TraversalPlan>()) {
    printNest(os, traversal->nest);
    os << ", stage " << traversal->stage;
  }
  return os;
}

void KernelPlan::print(raw_ostream &os) const {
  for (auto &[op, plan] : plans)
    os << op->getName() << ": " << plan << "\n";
}
