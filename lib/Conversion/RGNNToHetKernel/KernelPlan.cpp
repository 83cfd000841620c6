//===- KernelPlan.cpp - which op runs in which kernel ---------------------===//

#include "KernelPlan.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "convert-rgnn-to-hetkernel"

using namespace mlir;
using namespace mlir::rgnn;

static StringRef stringifyKind(Kind kind) {
  switch (kind) {
  case Kind::Gemm:
    return "gemm";
  case Kind::OuterSum:
    return "outer sum";
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
  if (plan.nest.path)
    os << " by " << stringifyPath(*plan.nest.path) << " of "
       << stringifyDomain(plan.nest.inner);
  return os << ", stage " << plan.stage;
}
} // namespace mlir::rgnn

bool rgnn::isSumByType(Operation *op) {
  auto sum = dyn_cast<ReduceOp>(op);
  if (!sum || sum.getKind() != Reduction::Sum ||
      (sum.getPath() != Path::EType && sum.getPath() != Path::NType))
    return false;
  // Edges are not in the order of types.
  return getRows(sum.getRows().getType()).getDomain() != Domain::Edge &&
         !isLoad(sum.getRows().getDefiningOp());
}

/// Whether the op sums up products of rows, or rows.
static bool isSum(Operation *op) {
  return isa<OuterSumOp, TypedOuterSumOp, SumRowsOp, LookupSumOp>(op) ||
         isSumByType(op);
}

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
           if (isa<LinearOp, TypedLinearOp>(user) || isSum(user))
             return !gather || !canFuseGather(user, gather);
           return isa<ConcatTypesOp, SliceTypeOp>(user);
         });
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
  return options.fuse && producer.kind == Kind::Traversal &&
         producer.nest == nest && read.isWithin(nest);
}

const OpPlan *KernelPlan::getProducer(Value value) const {
  const OpPlan *plan = get(value);
  auto gather = value.getDefiningOp<GatherOp>();
  return plan && plan->kind == Kind::Load && gather
             ? getProducer(gather.getRows())
             : plan;
}

bool KernelPlan::isTraversed(Value value) const {
  const OpPlan *plan = get(value);
  return plan && plan->kind == Kind::Traversal;
}

bool KernelPlan::isInSameKernel(Operation *user, const OpPlan &producer,
                                const Read &read) const {
  auto it = plans.find(user);
  return it != plans.end() && it->second.kind == Kind::Traversal &&
         it->second.phase == producer.phase &&
         isFusable(read, producer, it->second.nest);
}

bool KernelPlan::isStored(Value value) const {
  const OpPlan *producer = get(value);
  if (!producer || producer->kind != Kind::Traversal)
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
    if (get(op).kind != Kind::Traversal)
      continue;
    const Nest &nest = get(op).nest;
    auto *group = llvm::find_if(
        groups, [&](TraversalGroup &group) { return group.nest == nest; });
    if (group == groups.end() || !options.fuse)
      group = &groups.emplace_back(TraversalGroup{nest, {}});
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

/// The nest of the last kernel that makes an operand, if `op` can be computed
/// there too: for the inner edges, or for the outer rows.
std::optional<Nest> KernelPlan::getOperandNest(Operation &op) const {
  RowsAttr rows = getRows(op.getResult(0).getType());
  const OpPlan *last = nullptr;
  for (const Read &read : getReads(op)) {
    const OpPlan *producer = get(read.source);
    if (!producer || !isFusable(read, *producer, producer->nest))
      continue;
    const Nest &nest = producer->nest;
    bool fits = rows.getDomain() == Domain::Edge
                    ? nest.hasInner(rows)
                    : nest.outer == rows.getDomain() &&
                          nest.nodeType == rows.getType() && !read.gather;
    if (fits && (!last || producer->phase > last->phase))
      last = producer;
  }
  return last ? std::optional(last->nest) : std::nullopt;
}

/// An edge value is computed where a reduction that uses it runs, rather by one
/// whose edges follow each other. One that no reduction uses, and none makes,
/// needs no nodes around it.
Nest KernelPlan::getEdgeNest(Operation &op, Value graph) const {
  std::optional<Nest> ofReduction;
  Nest ofEdges;
  ofEdges.graph = graph;
  SmallVector<Operation *> worklist{&op};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    ofEdges.inCallersOrder |= isGivenToCaller(next->getResult(0));
    for (Operation *user : next->getUsers()) {
      if (isa<GroupSoftmaxOp, ReduceOp>(user)) {
        Path path = user->getAttrOfType<PathAttr>("path").getValue();
        if (!ofReduction || path == Path::Dst || path == Path::DstPair)
          ofReduction = Nest::ofGroups(Domain::Edge, path, graph);
        if (options.adjacency != Adjacency::COO &&
            (path == Path::Dst || path == Path::DstPair))
          return *ofReduction;
      } else if (isa<RowOpInterface>(user) && seen.insert(user).second) {
        worklist.push_back(user);
      }
    }
  }
  if (options.adjacency == Adjacency::COO)
    return ofEdges;
  if (ofReduction)
    return *ofReduction;
  return getOperandNest(op).value_or(
      options.adjacency == Adjacency::CSC
          ? Nest::ofGroups(Domain::Edge, Path::Dst, graph)
          : ofEdges);
}

/// Whether rows of the result are narrower than those among `reads`, together.
static bool isNarrower(Operation &op, ArrayRef<Read> reads) {
  int64_t width = 0;
  for (const Read &read : reads)
    if (getRows(read.source.getType()))
      width += getRowWidth(read.source.getType());
  return getRowWidth(op.getResult(0).getType()) < width;
}

/// Notes the nest of the reduction of pairs that alone reads a result, through
/// other row ops or at once: its rows need not be stored.
void KernelPlan::findReductionNests(Block &block) {
  auto find = [&](Operation &op) -> std::optional<Nest> {
    std::optional<Nest> nest;
    Domain domain = getRows(op.getResult(0).getType()).getDomain();
    for (Operation *user : op.getUsers()) {
      auto reduce = dyn_cast<ReduceOp>(user);
      std::optional<Nest> ofUser;
      if (!reduce)
        ofUser = reductionNests.lookup(user);
      else if (!isSumByType(user))
        ofUser = Nest::ofGroups(domain, reduce.getPath(), reduce.getGraph());
      if (!ofUser || (nest && !(*nest == *ofUser)))
        return std::nullopt;
      nest = ofUser;
    }
    return nest;
  };
  for (Operation &op : llvm::reverse(block)) {
    if (!isa<RowOpInterface>(op))
      continue;
    RowsAttr rows = getRows(op.getResult(0).getType());
    if (rows && (rows.getDomain() == Domain::SrcPair ||
                 rows.getDomain() == Domain::DstPair))
      reductionNests[&op] = find(op);
  }
}

LogicalResult KernelPlan::planTraversal(Operation &op, OpPlan &result) {
  result.kind = Kind::Traversal;
  RowsAttr rows = getRows(op.getResult(0).getType());
  FailureOr<Value> graph = findGraph(&op, rows);
  if (failed(graph))
    return failure();
  if (isa<ReduceOp, GroupSoftmaxOp>(op)) {
    Path path = op.getAttrOfType<PathAttr>("path").getValue();
    result.nest =
        Nest::ofGroups(getRows(op.getOperand(0).getType()).getDomain(), path,
                       op.getOperand(1)); // of a part, perhaps
  } else if (rows.getDomain() == Domain::Edge) {
    result.nest = getEdgeNest(op, *graph);
  } else {
    std::optional<Nest> nest = getOperandNest(op);
    std::optional<Nest> ofReduction = reductionNests.lookup(&op);
    // Where rows are made of wider ones of a kernel, that is theirs.
    SmallVector<Read> made = getReads(op);
    llvm::erase_if(made, [&](const Read &read) {
      const OpPlan *producer = get(read.source);
      return !nest || !producer || !isFusable(read, *producer, *nest);
    });
    if (ofReduction && !isNarrower(op, made))
      nest = ofReduction;
    result.nest = nest.value_or(Nest::over(rows, *graph));
  }

  // The phase: after all that is not in the same kernel.
  SmallVector<Read> reads = getReads(op);
  for (const Read &read : reads)
    if (const OpPlan *producer = get(read.source))
      result.phase = std::max(result.phase,
                              producer->phase +
                                  (producer->kind == Kind::Traversal &&
                                   !isFusable(read, *producer, result.nest)));
  return success();
}

/// Row ops on edges, and reductions of edges, that only later kernels over
/// their nest read, and that read nothing of their own kernel but each other,
/// are computed in the first of those, so that their rows need not be stored in
/// between. Other rows only where they are no narrower than what they are
/// computed of.
void KernelPlan::sinkRows() {
  llvm::SetVector<Operation *> sunk;
  auto canSink = [&](Operation *op) {
    if (isa<ReduceOp>(op))
      return true;
    return isa<RowOpInterface>(op) &&
           (getRows(op->getResult(0).getType()).getDomain() == Domain::Edge ||
            !isNarrower(*op, getReads(*op)));
  };
  for (auto &[op, plan] : plans)
    if (plan.kind == Kind::Traversal && !op->use_empty() && canSink(op))
      sunk.insert(op);
  auto stays = [&](Operation *op) {
    const OpPlan &plan = get(op);
    auto isFixed = [&](const Read &read) {
      const OpPlan *producer = get(read.source);
      return producer && producer->kind == Kind::Traversal &&
             producer->phase == plan.phase &&
             !sunk.contains(read.source.getDefiningOp());
    };
    return llvm::any_of(getReads(*op), isFixed) ||
           llvm::any_of(op->getUsers(), [&](Operation *user) {
             const OpPlan &reader = get(user);
             return reader.kind != Kind::Traversal || isLoad(user) ||
                    !(reader.nest == plan.nest) ||
                    (reader.phase == plan.phase && !sunk.contains(user));
           });
  };
  while (sunk.remove_if(stays))
    ;
  for (Operation *op : llvm::reverse(sunk)) {
    int64_t first = numPhases;
    for (Operation *user : op->getUsers())
      first = std::min(first, get(user).phase);
    plans[op].phase = first;
  }
}

/// After the loops of the same kernel that an op waits for.
void KernelPlan::computeStages() {
  for (auto &[op, plan] : plans) {
    if (plan.kind == Kind::Traversal) {
      for (const Read &read : getReads(*op)) {
        const OpPlan *producer = get(read.source);
        if (producer && producer->phase == plan.phase &&
            isFusable(read, *producer, plan.nest))
          plan.stage = std::max(plan.stage, producer->stage);
      }
      if (isa<ReduceOp>(op))
        plan.stage += 1;
      if (isa<GroupSoftmaxOp>(op))
        plan.stage += 2;
    }
    LDBG() << op->getName() << ": " << plan;
  }
}

LogicalResult KernelPlan::plan(Operation &op) {
  OpPlan result;
  auto hasRows = [](Type type) { return getRows(type) != nullptr; };
  auto afterOperands = [&](ValueRange operands) {
    for (Value operand : operands)
      if (const OpPlan *producer = getProducer(operand))
        result.phase =
            std::max(result.phase,
                     producer->phase + (producer->kind == Kind::Traversal));
  };
  if (isa<func::CallOp>(op) && llvm::any_of(op.getOperandTypes(), hasRows))
    return op.emitOpError("cannot be lowered: expected a call with graphs or "
                          "tensors without rows");
  if (!isa_and_nonnull<RGNNDialect>(op.getDialect()) ||
      isa<COOGraphOp, ConstantGraphOp, SplitGraphOp, PlaceOp, UnplaceOp>(op)) {
    result.kind = Kind::Boundary;
    afterOperands(op.getOperands());
  } else if (isa<TorchOp>(op)) {
    return op.emitOpError("cannot be lowered: it runs in PyTorch");
  } else if (failed(verifyNodeTypes(op))) {
    return failure();
  } else if (isLoad(&op) && !needsTensor(&op)) {
    result.kind = Kind::Load;
  } else if (!getRows(op.getResult(0).getType()) &&
             llvm::none_of(op.getOperandTypes(), hasRows) &&
             !isa<LookupOp>(op)) {
    result.kind = Kind::Plain;
    afterOperands(op.getOperands());
  } else if (op.getResult(0).hasOneUse() &&
             getInnerProduct(*op.getResult(0).user_begin()) == &op) {
    result.kind = Kind::Load;
  } else if (Operation *product = getInnerProduct(&op)) {
    result.kind = Kind::Gemm;
    afterOperands(product->getOperands());
    if (std::optional<BiasedProduct> biased = getBiasedProduct(&op))
      afterOperands(biased->bias);
    FailureOr<Value> graph =
        findGraph(&op, getRows(product->getResult(0).getType()));
    if (failed(graph))
      return failure();
    result.nest.graph = *graph;
  } else if (isa<LinearOp, TypedLinearOp>(op) || isSum(&op)) {
    result.kind = isSum(&op) ? Kind::OuterSum : Kind::Gemm;
    afterOperands(op.getOperands());
    FailureOr<Value> graph =
        findGraph(&op, getRows(op.getOperand(0).getType()));
    if (failed(graph))
      return failure();
    result.nest.graph = *graph;
  } else if (isa<ConcatTypesOp, SliceTypeOp>(op) ||
             (isView(op) && !isTraversed(op.getOperand(0)) &&
              !isLoad(op.getOperand(0).getDefiningOp()))) {
    result.kind = Kind::View;
    afterOperands(op.getOperands());
  } else if (isLoad(&op) ||
             isa<RowOpInterface, LookupOp, ReduceOp, GroupSoftmaxOp>(op)) {
    if (failed(planTraversal(op, result)))
      return failure();
  } else {
    return op.emitOpError("cannot be lowered: no kernel computes it");
  }
  numPhases = std::max(numPhases, result.phase + 1);
  plans[&op] = result;
  return success();
}

FailureOr<KernelPlan> KernelPlan::compute(func::FuncOp function,
                                          PlanOptions options) {
  KernelPlan result;
  result.options = options;
  result.findReductionNests(function.getBody().front());
  for (Operation &op : function.getBody().front())
    if (failed(result.plan(op)))
      return failure();
  if (options.fuse)
    result.sinkRows();
  result.computeStages();
  return result;
}
