//===- RowLoops.cpp - loops over the inner rows of an outer row -----------===//
//
// for e in segment:          for e in segment, from member m on, 4 members on:
//   acc = acc + x[list[e]]     v0, v1, v2, v3 = list[e], list[e + members], ..
//                       ==>    r0, r1, r2, r3 = x[v0], x[v1], x[v2], x[v3]
//                              acc = acc + r0;  if there: acc = acc + r1; ..
//                            acc = sum of acc over members
//
// A thread has asked for all rows of a step before it waits for the first.
// Behind the last inner row a step computes its own first one again.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/HetKernel/Utils/Loops.h"
#include "RowCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::hetkernel;

int64_t hetkernel::getWidth(Operation *op) {
  int64_t width = 0;
  auto count = [&](TypeRange types) {
    for (Type type : types)
      if (auto vector = dyn_cast<VectorType>(type))
        width = std::max(width, vector.getNumElements());
  };
  op->walk([&](Operation *inner) {
    count(inner->getOperandTypes());
    count(inner->getResultTypes());
  });
  return width;
}

/// The kind of `op`, if it combines `accumulator` with something else.
static std::optional<vector::CombiningKind> getKind(Operation *op,
                                                    Value accumulator) {
  if (isa<arith::AddFOp>(op))
    return vector::CombiningKind::ADD;
  if (isa<arith::MulFOp>(op))
    return vector::CombiningKind::MUL;
  if (isa<arith::MaximumFOp>(op))
    return vector::CombiningKind::MAXIMUMF;
  if (isa<arith::MinimumFOp>(op))
    return vector::CombiningKind::MINIMUMF;
  if (isa<math::FmaOp, vector::FMAOp>(op) && op->getOperand(2) == accumulator)
    return vector::CombiningKind::ADD;
  return std::nullopt;
}

std::optional<Combiners> hetkernel::matchCombiners(scf::ForOp loop) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (op.getNumRegions() != 0)
      return std::nullopt;
  Combiners combiners;
  for (auto [accumulator, yielded] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    Operation *op = yielded.getDefiningOp();
    if (!op || !accumulator.hasOneUse() || !yielded.hasOneUse() ||
        *accumulator.user_begin() != op)
      return std::nullopt;
    std::optional<vector::CombiningKind> kind = getKind(op, accumulator);
    if (!kind)
      return std::nullopt;
    combiners.push_back({op, *kind});
  }
  return combiners;
}

void RowCode::cloneLoop(scf::ForOp loop) {
  std::optional<Combiners> combiners;
  if (team || unroll > 1)
    combiners = matchCombiners(loop);
  if (combiners)
    cloneUnrolled(loop, *combiners);
  else
    cloneInOrder(loop);
}

//===----------------------------------------------------------------------===//
// One inner row after another
//===----------------------------------------------------------------------===//

static SmallVector<Value> flatten(ArrayRef<Share> shares) {
  SmallVector<Value> values;
  for (const Share &share : shares)
    llvm::append_range(values, share);
  return values;
}

/// Shares as large as `like` of `values`.
static SmallVector<Share> split(ValueRange values, ArrayRef<Share> like) {
  SmallVector<Share> shares;
  for (const Share &share : like) {
    shares.emplace_back(values.take_front(share.size()));
    values = values.drop_front(share.size());
  }
  return shares;
}

void RowCode::cloneInOrder(scf::ForOp loop) {
  assert(!team && "expected a loop whose rows members can share out");
  SmallVector<Share> inits;
  for (Value init : loop.getInitArgs())
    inits.push_back(getShare(init));
  auto lowered = scf::ForOp::create(
      builder, state.scalars.lookupOrDefault(loop.getLowerBound()),
      state.scalars.lookupOrDefault(loop.getUpperBound()),
      state.scalars.lookupOrDefault(loop.getStep()), flatten(inits));
  for (auto [argument, share] : llvm::zip(
           loop.getRegionIterArgs(), split(lowered.getRegionIterArgs(), inits)))
    setShare(argument, share);
  state.scalars.map(loop.getInductionVar(), lowered.getInductionVar());
  {
    OpBuilder::InsertionGuard guard(builder);
    if (inits.empty())
      builder.setInsertionPoint(lowered.getBody()->getTerminator());
    else
      builder.setInsertionPointToEnd(lowered.getBody());
    for (Operation &op : loop.getBody()->without_terminator())
      clone(op);
    SmallVector<Share> next;
    for (Value value : loop.getYieldedValues())
      next.push_back(getShare(value));
    if (!inits.empty())
      scf::YieldOp::create(builder, flatten(next));
  }
  for (auto [result, share] :
       llvm::zip(loop.getResults(), split(lowered.getResults(), inits)))
    setShare(result, share);
}

//===----------------------------------------------------------------------===//
// Several at a time, by several members
//===----------------------------------------------------------------------===//

Share RowCode::getNeutralShare(Type type, vector::CombiningKind kind) {
  Value neutral = arith::ConstantOp::create(
      builder, *getNeutral(kind, getElementTypeOrSelf(type)));
  return Share(code->getShareSize(type), neutral);
}

DenseMap<Value, Share> RowCode::getWholeVectors(scf::ForOp loop) {
  DenseMap<Value, Share> whole;
  loop.getBody()->walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<VectorType>(operand.getType());
      if (!type || whole.contains(operand) ||
          loop.getRegion().isAncestor(operand.getParentRegion()) ||
          operand.getDefiningOp<arith::ConstantOp>())
        continue;
      Share share = getShare(operand), all;
      for (auto element : llvm::seq(type.getNumElements()))
        all.push_back(
            lanes.broadcast(share[element / warpSize], element % warpSize));
      whole[operand] = all;
    }
  });
  return whole;
}

SmallVector<Share> RowCode::cloneStep(scf::ForOp loop,
                                      const Combiners &combiners,
                                      const Step &step,
                                      ArrayRef<Share> accumulators,
                                      const Lookups &lookups, ValueRange made) {
  SmallVector<Share> running(accumulators);
  SmallVector<State> states(step.inner.size(), state);
  for (auto [own, row] : llvm::zip(states, step.inner)) {
    own.scalars.map(loop.getInductionVar(), row);
    if (made.empty())
      continue;
    own.scalars.map(lookups.results, made.take_front(lookups.results.size()));
    made = made.drop_front(lookups.results.size());
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    // Its result is known; others may need what led to it.
    if (op.getNumResults() == 1 &&
        llvm::is_contained(lookups.results, op.getResult(0)))
      continue;
    const auto *combiner = llvm::find_if(
        combiners, [&](const auto &entry) { return entry.first == &op; });
    for (auto [own, exists] : llvm::zip(states, step.exists)) {
      std::swap(state, own);
      if (combiner == combiners.end()) {
        clone(op);
      } else {
        size_t place = combiner - combiners.begin();
        Share &sum = running[place];
        setShare(loop.getRegionIterArg(place), sum);
        clone(op);
        Share next = getShare(op.getResult(0));
        for (auto [value, before] : llvm::zip(next, sum))
          if (exists)
            value = arith::SelectOp::create(builder, exists, value, before);
        sum = next;
      }
      std::swap(state, own);
    }
  }
  return running;
}

void RowCode::cloneUnrolled(scf::ForOp loop, const Combiners &combiners) {
  const bool byThread = team && getWidth(loop) < minLaneElements;
  Value begin = state.scalars.lookupOrDefault(loop.getLowerBound()),
        end = state.scalars.lookupOrDefault(loop.getUpperBound()),
        stride = createIndex(builder, 1);
  State outside = state;
  WarpCode *sharing = code;
  if (team) {
    begin = arith::AddIOp::create(builder, begin,
                                  byThread ? team->thread : team->warp);
    stride =
        createIndex(builder, byThread ? team->numThreads : team->getNumWarps());
    if (byThread && !code->isThread()) {
      state.shares = getWholeVectors(loop);
      code = &thread;
    }
  }
  SmallVector<Share> inits;
  for (auto [init, combiner] : llvm::zip(loop.getInitArgs(), combiners))
    inits.push_back(team ? getNeutralShare(init.getType(), combiner.second)
                         : getShare(init));
  Lookups lookups;
  if (team)
    lookups = findLookups(loop);
  const int64_t count = chooseUnroll(loop, lookups);
  Value step =
      builder.createOrFold<arith::MulIOp>(stride, createIndex(builder, count));
  SmallVector<Value> carried = flatten(inits);
  llvm::append_range(carried,
                     lookAhead(loop, lookups, begin, stride, end, count));
  auto lowered = scf::ForOp::create(builder, begin, end, step, carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    if (carried.empty())
      builder.setInsertionPoint(lowered.getBody()->getTerminator());
    else
      builder.setInsertionPointToEnd(lowered.getBody());
    isInLoop = true;
    Value first = lowered.getInductionVar();
    SmallVector<Value> made =
        lookAhead(loop, lookups, arith::AddIOp::create(builder, first, step),
                  stride, end, count);
    ValueRange values = lowered.getRegionIterArgs();
    carried = flatten(cloneStep(
        loop, combiners, getStep(first, stride, end, count),
        split(values, inits), lookups, values.take_back(made.size())));
    llvm::append_range(carried, made);
    isInLoop = false;
    if (!carried.empty())
      scf::YieldOp::create(builder, carried);
  }
  SmallVector<Share> results = split(lowered.getResults(), inits);
  if (team)
    writeParts(loop, combiners, results);
  state = std::move(outside);
  code = sharing;
  if (team)
    results = addParts(loop, combiners);
  for (auto [result, share] : llvm::zip(loop.getResults(), results))
    setShare(result, share);
}
