//===- RowSteps.cpp - inner rows that are computed in one step ------------===//
//
// As many as there are registers for. Lists are read a step ahead:
//
// v = list[first]             for e in first .. end, 4 at a time:
// for e in first .. end:        next = list[e + 4]
//   acc = acc + x[list[e]] ==>  acc = acc + x[v]
//                               v = next
//
// Where a row has many inner rows, a thread has asked for the numbers of those
// of the next step before it waits for what this step reads with its own.
//
//===----------------------------------------------------------------------===//

#include "RGNN/Dialect/HetKernel/Utils/Loops.h"
#include "RowCode.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Loads and stores of a step: more take registers of other warps. For the end
/// of a row that a block has, all others wait.
constexpr int64_t maxAccesses = 12, maxTeamAccesses = 50;
/// The same with lookups of the next step, without those of its own; and where
/// registers hold what the loop takes from outside.
constexpr int64_t maxAheadAccesses = 40, maxAheadWithOthers = 35;

/// Whether other ops than `known` use `number`, or what these compute of it.
static bool isUsedOtherwise(Value number,
                            const llvm::SetVector<Operation *> &known) {
  return llvm::any_of(number.getUsers(), [&](Operation *user) {
    if (!known.contains(user))
      return true;
    return !isa<memref::LoadOp>(user) &&
           isUsedOtherwise(user->getResult(0), known);
  });
}

/// Only integers: no kernel writes to lists, so that it does not matter when
/// they are read, and by which lane.
Lookups hetkernel::findLookups(scf::ForOp loop) {
  Block *body = loop.getBody();
  llvm::SetVector<Operation *> known;
  auto isOfRow = [&](Value value) {
    return value == loop.getInductionVar() ||
           known.contains(value.getDefiningOp());
  };
  auto isKnown = [&](Value value) {
    return value.getParentBlock() != body || isOfRow(value);
  };
  for (Operation &op : *body)
    if ((isa<memref::LoadOp>(op) ||
         isa<arith::ArithDialect>(op.getDialect())) &&
        op.getNumResults() == 1 && op.getResult(0).getType().isIntOrIndex() &&
        llvm::all_of(op.getOperands(), isKnown) &&
        llvm::any_of(op.getOperands(), isOfRow))
      known.insert(&op);
  Lookups lookups;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return known.contains(op); };
  for (Operation *op : known)
    if (isa<memref::LoadOp>(op) && isUsedOtherwise(op->getResult(0), known)) {
      (void)getBackwardSlice(op, &lookups.ops, options);
      lookups.results.push_back(op->getResult(0));
    }
  return lookups;
}

/// Whether `loop` reads numbers from outside, other than constants.
static bool takesNumbers(scf::ForOp loop) {
  auto isTaken = [&](Value value) {
    return value.getParentBlock() != loop.getBody() &&
           !isa<MemRefType>(value.getType()) &&
           !value.getDefiningOp<arith::ConstantOp>();
  };
  return llvm::any_of(*loop.getBody(), [&](Operation &op) {
    return llvm::any_of(op.getOperands(), isTaken);
  });
}

/// Numbers that `op` loads or stores in a lane.
int64_t RowCode::countAccesses(Operation *op) {
  if (isa<memref::LoadOp, vector::LoadOp>(op))
    return code->getShareSize(op->getResult(0).getType());
  if (isa<memref::StoreOp, vector::StoreOp>(op))
    return code->getShareSize(op->getOperand(0).getType());
  return 0;
}

int64_t RowCode::chooseUnroll(scf::ForOp loop, Lookups &lookups) {
  int64_t accesses = 0, others = lookups.results.size();
  for (Operation &op : *loop.getBody()) {
    accesses += countAccesses(&op);
    if (!lookups.ops.contains(&op))
      others += countAccesses(&op);
  }
  // A block's warps are fewer than its threads, and have more to ask for.
  const bool byWarp = team && !code->isThread();
  auto choose = [&](int64_t each, int64_t most) {
    int64_t count = byWarp ? 2 * unroll : unroll;
    while (count > 1 && count * each > most)
      --count;
    return count;
  };
  int64_t count = choose(accesses, byWarp ? maxTeamAccesses : maxAccesses);
  if (lookups.results.empty())
    return count;
  int64_t ahead = choose(others, !byWarp              ? maxAccesses
                                 : takesNumbers(loop) ? maxAheadWithOthers
                                                      : maxAheadAccesses);
  if (2 * ahead >= count && ahead > 1)
    return ahead;
  lookups = {};
  return count;
}

/// Whether `number` had 32 bits, as those of lists have.
static bool isWidened(Value number) {
  auto cast = number.getDefiningOp<arith::IndexCastUIOp>();
  return cast && cast.getIn().getType().isInteger(32);
}

/// Behind the last inner row, the first of the step again. Numbers up to an
/// `end` of 32 bits take one register each, and two otherwise: they are below
/// 2^31, and what a step goes beyond `end` is few.
RowCode::Step RowCode::getStep(Value first, Value stride, Value end,
                               int64_t count) {
  Step step = {{first}, {Value()}};
  if (count == 1)
    return step;
  const bool isNarrow = isWidened(end);
  auto narrow = [&](Value number) -> Value {
    return isNarrow ? arith::IndexCastUIOp::create(builder,
                                                   builder.getI32Type(), number)
                    : number;
  };
  Value begin = narrow(first), by = narrow(stride), limit = narrow(end),
        inner = begin;
  while (static_cast<int64_t>(step.inner.size()) < count) {
    inner = arith::AddIOp::create(builder, inner, by);
    Value exists =
        arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, inner, limit);
    Value number = arith::SelectOp::create(builder, exists, inner, begin);
    if (isNarrow)
      number =
          arith::IndexCastUIOp::create(builder, builder.getIndexType(), number);
    step.inner.push_back(number);
    step.exists.push_back(exists);
  }
  return step;
}

SmallVector<Value> RowCode::cloneLookups(scf::ForOp loop,
                                         const Lookups &lookups,
                                         const Step &step) {
  SmallVector<Value> values;
  State before = state;
  for (Value row : step.inner) {
    state.scalars.map(loop.getInductionVar(), row);
    for (Operation *op : lookups.ops)
      builder.clone(*op, state.scalars);
    for (Value result : lookups.results)
      values.push_back(state.scalars.lookup(result));
    state = before;
  }
  return values;
}

/// Behind a branch: of a load that every way to its use makes, LLVM would make
/// one at its use.
SmallVector<Value> RowCode::lookAhead(scf::ForOp loop, const Lookups &lookups,
                                      Value first, Value stride, Value end,
                                      int64_t count) {
  if (lookups.results.empty())
    return {};
  SmallVector<Type> types;
  for (int64_t number = 0; number < count; ++number)
    llvm::append_range(types, ValueRange(lookups.results).getTypes());
  Value exists =
      arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, first, end);
  auto made =
      scf::IfOp::create(builder, types, exists, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(made.thenBlock());
  scf::YieldOp::create(
      builder, cloneLookups(loop, lookups, getStep(first, stride, end, count)));
  builder.setInsertionPointToStart(made.elseBlock());
  SmallVector<Value> none;
  for (Type type : types)
    none.push_back(
        arith::ConstantOp::create(builder, builder.getZeroAttr(type)));
  scf::YieldOp::create(builder, none);
  return made.getResults();
}
