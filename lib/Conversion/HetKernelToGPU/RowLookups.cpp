//===- RowLookups.cpp - lists that are read a step ahead ------------------===//
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

#include "RowCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Whether all that `op` computes are integers, of the lists of a graph.
static bool isLookup(Operation &op) {
  if (op.getNumRegions() != 0 || op.getNumResults() != 1 ||
      !op.getResult(0).getType().isIntOrIndex())
    return false;
  return isa<memref::LoadOp>(op) || isa<arith::ArithDialect>(op.getDialect());
}

Lookups hetkernel::findLookups(scf::ForOp loop) {
  // What the lists are asked for, and what that takes.
  llvm::SetVector<Operation *> ops;
  Block *body = loop.getBody();
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    auto isNeeded = [&](Operation *user) { return ops.contains(user); };
    if (!isLookup(op) ||
        (!isa<memref::LoadOp>(op) && llvm::none_of(op.getUsers(), isNeeded)))
      continue;
    bool isKnown = llvm::all_of(op.getOperands(), [&](Value operand) {
      if (operand == loop.getInductionVar())
        return true;
      Operation *source = operand.getDefiningOp();
      return operand.getParentBlock() != body || (source && isLookup(*source));
    });
    if (isKnown)
      ops.insert(&op);
  }
  Lookups lookups;
  for (Operation &op : *body) {
    // Lookups of lookups that cannot be made early cannot either.
    bool isKnown = llvm::all_of(op.getOperands(), [&](Value operand) {
      return operand == loop.getInductionVar() ||
             operand.getParentBlock() != body ||
             lookups.ops.contains(operand.getDefiningOp());
    });
    if (ops.contains(&op) && isKnown)
      lookups.ops.insert(&op);
  }
  for (Operation *op : lookups.ops)
    if (!llvm::all_of(op->getUsers(), [&](Operation *user) {
          return lookups.ops.contains(user);
        }))
      lookups.results.push_back(op->getResult(0));
  return lookups;
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
