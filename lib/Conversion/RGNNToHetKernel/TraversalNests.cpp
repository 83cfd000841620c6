//===- TraversalNests.cpp - in which nest each traversed op runs ----------===//
//
// The nests of a plan, and in which of its kernels ops run that could run in
// several.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Conversion/RGNNToHetKernel/KernelPlan.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::rgnn;

/// Along which path an op combines rows; nothing where it does not.
static std::optional<Path> getGroupPath(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getPath();
  if (auto softmax = dyn_cast<GroupSoftmaxOp>(op))
    return softmax.getPath();
  return std::nullopt;
}

/// Whether rows of the result are narrower than those among `reads`, together.
static bool isNarrower(Operation &op, ArrayRef<Read> reads) {
  int64_t width = 0;
  for (const Read &read : reads)
    if (getRows(read.source.getType()))
      width += getRowWidth(read.source.getType());
  return getRowWidth(op.getResult(0).getType()) < width;
}

/// The nest of the last kernel that makes an operand, if `op` can be computed
/// there too: for the inner edges, or for the outer rows.
std::optional<Nest> KernelPlan::getOperandNest(Operation &op) const {
  RowsAttr rows = getRows(op.getResult(0).getType());
  const OpPlan *last = nullptr;
  for (const Read &read : getReads(op)) {
    const OpPlan *producer = get(read.source);
    if (!producer || !producer->getNest() ||
        !isFusable(read, *producer, *producer->getNest()))
      continue;
    const Nest &nest = *producer->getNest();
    bool fits = rows.getDomain() == Domain::Edge
                    ? nest.hasInner(rows)
                    : nest.outer == rows.getDomain() &&
                          nest.nodeType == rows.getType() && !read.gather;
    if (fits && (!last || producer->phase > last->phase))
      last = producer;
  }
  return last ? std::optional(*last->getNest()) : std::nullopt;
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
      if (std::optional<Path> path = getGroupPath(user)) {
        if (!ofReduction || path == Path::Dst || path == Path::DstPair)
          ofReduction = Nest::ofGroups(Domain::Edge, *path, graph);
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
      else if (reduce.getKernelForm() != KernelForm::Sum)
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

FailureOr<Nest> KernelPlan::chooseNest(Operation &op) const {
  RowsAttr rows = getRows(op.getResult(0).getType());
  FailureOr<Value> graph = findGraph(&op, rows);
  if (failed(graph))
    return failure();
  if (std::optional<Path> path = getGroupPath(&op))
    return Nest::ofGroups(getRows(op.getOperand(0).getType()).getDomain(),
                          *path, op.getOperand(1)); // of a part, perhaps
  if (rows.getDomain() == Domain::Edge)
    return getEdgeNest(op, *graph);
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
  return nest.value_or(Nest::over(rows, *graph));
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
    if (plan.getNest() && !op->use_empty() && canSink(op))
      sunk.insert(op);
  auto stays = [&](Operation *op) {
    const OpPlan &plan = get(op);
    auto isFixed = [&](const Read &read) {
      const OpPlan *producer = get(read.source);
      return producer && producer->getNest() && producer->phase == plan.phase &&
             !sunk.contains(read.source.getDefiningOp());
    };
    return llvm::any_of(getReads(*op), isFixed) ||
           llvm::any_of(op->getUsers(), [&](Operation *user) {
             const OpPlan &reader = get(user);
             return !reader.getNest() || isLoad(user) ||
                    !(*reader.getNest() == *plan.getNest()) ||
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
    auto *traversal = std::get_if<TraversalPlan>(&plan.computation);
    if (!traversal)
      continue;
    for (const Read &read : getReads(*op)) {
      const OpPlan *producer = get(read.source);
      if (producer && producer->phase == plan.phase &&
          isFusable(read, *producer, traversal->nest))
        traversal->stage =
            std::max(traversal->stage, producer->getIf<TraversalPlan>()->stage);
    }
    if (isa<ReduceOp>(op))
      traversal->stage += 1;
    if (isa<GroupSoftmaxOp>(op))
      traversal->stage += 2;
  }
}
