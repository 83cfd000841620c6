//===- Traversal.cpp - the loops of a traversal kernel --------------------===//

#include "TraversalEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

/// Whether a value is only another view of one that is loaded: cheaper to make
/// again than to keep.
static bool isReshapedLoad(Value value) {
  while (isa_and_nonnull<ReshapeOp, SliceOp, PermuteOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return !isa_and_nonnull<RowOpInterface, GroupSoftmaxOp, rgnn::LookupOp>(
      value.getDefiningOp());
}

/// Whether loop `stage`, which computes `value`, has to keep it for a later
/// loop.
bool TraversalEmitter::isReadLater(Value value, int64_t stage) {
  if (isReshapedLoad(value))
    return false;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (!llvm::is_contained(group.ops, user))
      return false;
    int64_t read = getStage(user);
    if (isa<ReduceOp>(user))
      read -= 1;
    if (isa<GroupSoftmaxOp>(user))
      read -= 1; // the loop that sums exponentials reads it again
    return read > stage;
  });
}

/// A type may have all edges of a graph, and sums of gradients cancel: in f32
/// one after another, they would lose what is left.
Type TraversalEmitter::getSumType(const Accumulator &accumulator) {
  Type row = getRowType(accumulator.op->getOperand(0));
  bool isByType = nest.outer == Domain::EType || nest.outer == Domain::NType;
  bool isSum =
      accumulator.kind == Reduction::Sum || accumulator.kind == Reduction::Mean;
  if (!isByType || !isSum)
    return row;
  Type element = builder.getF64Type();
  if (auto vector = dyn_cast<VectorType>(row))
    return vector.clone(element);
  return element;
}

void TraversalEmitter::finish(const Accumulator &accumulator, Value result) {
  Type type = getRowType(accumulator.op->getOperand(0));
  result = emitRounded(result, type);
  if (isa<GroupSoftmaxOp>(accumulator.op)) {
    if (accumulator.kind == Reduction::Max) {
      maxima[accumulator.op] = result;
      return;
    }
    Value epsilon = createSplat(builder, loc, type, 1e-16);
    Value one = createSplat(builder, loc, type, 1.0);
    Value sum = arith::AddFOp::create(builder, loc, result, epsilon);
    reciprocals[accumulator.op] = arith::DivFOp::create(builder, loc, one, sum);
    return;
  }
  if (accumulator.kind != Reduction::Sum) {
    Type element = getElementTypeOrSelf(type);
    Value count = emitCount(nest.graph, views.offsets, outer, element);
    Value zero = createSplat(builder, loc, element, 0.0);
    if (accumulator.kind == Reduction::Mean) {
      Value one = createSplat(builder, loc, element, 1.0);
      Value divisor = arith::MaximumFOp::create(builder, loc, count, one);
      result = arith::DivFOp::create(builder, loc, result,
                                     broadcast(builder, loc, divisor, type));
    } else {
      Value any = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT,
                                        count, zero);
      result = arith::SelectOp::create(builder, loc, any, result,
                                       createSplat(builder, loc, type, 0.0));
    }
  }
  outerValues[accumulator.op->getResult(0)] = result;
}

/// The next value of an accumulator.
Value TraversalEmitter::emitStep(const Accumulator &accumulator, Value previous,
                                 Value value) {
  switch (accumulator.kind) {
  case Reduction::Sum:
  case Reduction::Mean:
    return arith::AddFOp::create(builder, loc, previous, value);
  case Reduction::Max:
    return arith::MaximumFOp::create(builder, loc, previous, value);
  case Reduction::Min:
    return arith::MinimumFOp::create(builder, loc, previous, value);
  case Reduction::Mul:
    return arith::MulFOp::create(builder, loc, previous, value);
  }
  llvm_unreachable("an unknown reduction");
}

void TraversalEmitter::emitLoop(int64_t stage,
                                ArrayRef<Accumulator> accumulators,
                                ArrayRef<Kept> kept) {
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (const Accumulator &accumulator : accumulators) {
    Type type = getSumType(accumulator);
    inits.push_back(
        createSplat(builder, loc, type, getNeutral(accumulator.kind)));
    types.push_back(type);
  }
  // A softmax keeps its exponentials; they take the place of its logits.
  SmallVector<Kept> allKept(kept);
  for (const Accumulator &accumulator : accumulators)
    if (isa<GroupSoftmaxOp>(accumulator.op) &&
        accumulator.kind == Reduction::Sum) {
      Value softmax = accumulator.op->getResult(0);
      allKept.push_back({softmax, getRowType(softmax)});
    }
  for (auto [value, type] : allKept)
    types.push_back(SegmentType::get(builder.getContext(), type));

  loop = hetkernel::ForEachOp::create(builder, loc, types, outer, inits);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&loop.getBody());
  slot = body->addArgument(builder.getIndexType(), loc);
  inner = views.rows ? lookUp(nest.graph, *views.rows, slot) : slot;
  innerValues.clear();
  SmallVector<Value> yields, powers;
  for (auto [accumulator, init] : llvm::zip(accumulators, inits)) {
    Value previous = body->addArgument(init.getType(), loc);
    Value value = emitInner(accumulator.op->getOperand(0));
    if (isa<GroupSoftmaxOp>(accumulator.op) &&
        accumulator.kind == Reduction::Sum) {
      Value shifted =
          arith::SubFOp::create(builder, loc, value, maxima[accumulator.op]);
      value = math::ExpOp::create(builder, loc, shifted);
      powers.push_back(value);
    }
    if (value.getType() != init.getType())
      value = arith::ExtFOp::create(builder, loc, init.getType(), value);
    yields.push_back(emitStep(accumulator, previous, value));
  }
  for (auto [value, type] : kept)
    yields.push_back(emitRounded(emitInner(value), type));
  llvm::append_range(yields, powers);
  hetkernel::YieldOp::create(builder, loc, yields);

  builder.setInsertionPointAfter(loop);
  hetkernel::ForEachOp done = std::exchange(loop, hetkernel::ForEachOp());
  for (auto [accumulator, result] : llvm::zip(accumulators, done.getResults()))
    finish(accumulator, result);
  for (auto [kept, segment] :
       llvm::zip(allKept, done.getResults().drop_front(accumulators.size()))) {
    auto softmax = kept.first.getDefiningOp<GroupSoftmaxOp>();
    if (softmax && getStage(softmax) == stage + 1)
      exponentials[softmax] = segment;
    else
      segments[kept] = segment;
  }
}

void TraversalEmitter::emitStage(int64_t stage) {
  SmallVector<Accumulator> accumulators;
  // A value that is read later and stored is kept once, or, where that rounds
  // it, as both.
  llvm::SmallSetVector<Kept, 4> kept;
  for (Operation *op : group.ops) {
    int64_t ready = getStage(op);
    Value result = op->getResult(0);
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (ready - 1 == stage)
        accumulators.push_back({op, reduce.getKind()});
      continue;
    }
    if (isa<GroupSoftmaxOp>(op)) {
      if (ready - 2 == stage)
        accumulators.push_back({op, Reduction::Max});
      else if (ready - 1 == stage)
        accumulators.push_back({op, Reduction::Sum});
    }
    if (ready != stage)
      continue;
    if (!isInner(result)) {
      emitOuter(result);
      continue;
    }
    if (isReadLater(result, stage))
      kept.insert({result, getRowType(result)});
    if (plan().isStored(result))
      kept.insert({result, getStoredType(result)});
  }
  if (!accumulators.empty() || !kept.empty())
    emitLoop(stage, accumulators, kept.getArrayRef());
}

Place TraversalEmitter::getPlace(Value value) {
  bool forCaller =
      isInner(value) ? isGivenToCaller(value) : nest.inCallersOrder;
  return forCaller ? getCallersPlace(getRows(value.getType()).getDomain())
                   : Place();
}

/// Slots are places where rows follow each other, and stay in that order.
Value TraversalEmitter::emitScatter(Value value) {
  Value segment = segments.lookup({value, getStoredType(value)});
  SmallVector<Value> lists;
  for (Place list : {views.rows, getPlace(value)})
    if (list)
      lists.push_back(getView(nest.graph, *list));
  return lists.empty() ? segment
                       : ScatterOp::create(builder, loc, segment.getType(),
                                           segment, lists)
                             .getResult();
}

void TraversalEmitter::emit() {
  SmallVector<Location> locations;
  int64_t stages = 0;
  bool loops = false;
  SmallVector<Value> stored, outs;
  for (Operation *op : group.ops) {
    locations.push_back(op->getLoc());
    stages = std::max(stages, getStage(op));
    loops |= isInner(op->getResult(0)) || isa<ReduceOp>(op);
    if (plan().isStored(op->getResult(0)))
      stored.push_back(op->getResult(0));
  }
  loc = builder.getFusedLoc(locations);
  Value rows =
      converter.getSize(loc, nest.getOuterGraph(), nest.outer, nest.nodeType);
  Value offsets;
  if (loops)
    offsets = converter.getView(loc, nest.graph, views.offsets);
  SmallVector<Type> types;
  for (Value value : stored) {
    Value graph = isInner(value) ? nest.graph : nest.getOuterGraph();
    outs.push_back(converter.createEmpty(loc, value.getType(), graph));
    types.push_back(outs.back().getType());
  }
  traverse = TraverseOp::create(builder, loc, types, rows, offsets, outs,
                                hetkernel::TraverseScheduleInterface());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&traverse.getBody());
    outer = step = body->addArgument(builder.getIndexType(), loc);
    if (nest.inCallersOrder)
      outer = lookUp(nest.graph, *getRowAtCallersPlace(nest.outer), step);
    for (int64_t stage = 0; stage <= stages; ++stage)
      emitStage(stage);
    SmallVector<Value> yields;
    for (Value value : stored)
      yields.push_back(isInner(value) ? emitScatter(value)
                                      : emitRounded(outerValues.lookup(value),
                                                    getStoredType(value)));
    hetkernel::YieldOp::create(builder, loc, yields);
  }
  for (auto [value, result] : llvm::zip(stored, traverse.getResults()))
    converter.setTensor(value, result, getPlace(value));
}

void Converter::convertTraversal(const TraversalGroup &group) {
  TraversalEmitter(*this, group).emit();
}
