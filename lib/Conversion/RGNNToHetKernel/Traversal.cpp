//===- Traversal.cpp - one traversal kernel of several ops ----------------===//
//
// A kernel alternates between values of the outer row and loops over its
// edges. Loop `s` computes the edge values of stage `s`; values of the outer
// row of stage `s` are ready before it. An edge value that a later loop needs
// is kept in a segment, unless it only has to be loaded again.
//
//===----------------------------------------------------------------------===//

#include "Converter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::rgnn;
using namespace mlir::hetkernel;

namespace {

/// A splat of `value` of a row's type.
Value createSplat(OpBuilder &builder, Location loc, Type type, double value) {
  TypedAttr attribute = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, attribute);
  return arith::ConstantOp::create(builder, loc, attribute);
}

/// A scalar repeated to a row's type.
Value broadcast(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return vector::BroadcastOp::create(builder, loc, type, value);
}

Type getRowType(Value value) {
  return getRowValueType(getRowShape(value.getType()),
                         getElementTypeOrSelf(value.getType()));
}

double getNeutral(Reduction kind) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return kind == Reduction::Max   ? -infinity
         : kind == Reduction::Min ? infinity
                                  : 0.0;
}

/// An accumulator of one loop: a reduction, or the maximum or sum of a softmax.
struct Accumulator {
  Operation *op;
  Reduction kind;
};

class TraversalEmitter {
public:
  TraversalEmitter(Converter &converter, const TraversalGroup &group)
      : converter(converter), builder(converter.builder), group(group) {}

  LogicalResult emit();

private:
  const KernelPlan &plan() { return converter.plan; }
  bool isInside(Value value) {
    return llvm::is_contained(group.ops, value.getDefiningOp());
  }
  bool isEdge(Value value) {
    RowsAttr rows = getRows(value.getType());
    return rows && rows.getDomain() == Domain::Edge;
  }
  int64_t getStage(Value value) {
    return plan().get(value.getDefiningOp()).stage;
  }
  Value getView(ViewKind kind) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(traverse);
    return converter.getView(loc, group.nest.graph, kind);
  }
  Value lookUp(ViewKind kind, Value index) {
    Value view = getView(kind);
    return hetkernel::LookupOp::create(builder, loc, builder.getIndexType(),
                                       view, index);
  }
  Value loadRow(Value value, ValueRange indices) {
    Value tensor = converter.getTensor(value);
    auto type = cast<RankedTensorType>(tensor.getType());
    Type row = getRowValueType(type.getShape().drop_front(indices.size()),
                               type.getElementType());
    return RowOp::create(builder, loc, row, tensor, indices);
  }

  FailureOr<Value> emitShared(Value value);
  FailureOr<Value> emitOuter(Value value);
  FailureOr<Value> emitEdge(Value value, int64_t stage);
  FailureOr<Value> emitGather(GatherOp gather);
  FailureOr<Value> emitLookup(rgnn::LookupOp lookup);
  Value emitDegree(Path path, Value index, Type type);
  FailureOr<Value> emitRowOp(RowOpInterface op,
                             function_ref<FailureOr<Value>(Value)> operand);
  LogicalResult emitStage(int64_t stage);
  LogicalResult emitLoop(int64_t stage, ArrayRef<Accumulator> accumulators,
                         ArrayRef<Value> kept);
  void finish(const Accumulator &accumulator, Value result);
  bool isKept(Value value, int64_t stage);

  Converter &converter;
  OpBuilder &builder;
  const TraversalGroup &group;
  Location loc = UnknownLoc::get(builder.getContext());
  TraverseOp traverse;
  Value outer, edge;
  hetkernel::ForEachOp loop; ///< the loop being emitted, if any
  llvm::DenseMap<Value, Value> outerValues, edgeValues, segments;
  /// Maximum and reciprocal of the denominator of each softmax.
  llvm::DenseMap<Operation *, Value> maxima, reciprocals;
  /// The exponentials of each softmax, one an edge.
  llvm::DenseMap<Operation *, Value> exponentials;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values of a row
//===----------------------------------------------------------------------===//

FailureOr<Value> TraversalEmitter::emitShared(Value value) {
  Value &row = outerValues[value];
  if (row)
    return row;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&traverse.getBody().front());
  return outerValues[value] = loadRow(value, {});
}

FailureOr<Value>
TraversalEmitter::emitRowOp(RowOpInterface op,
                            function_ref<FailureOr<Value>(Value)> operand) {
  SmallVector<Value> rows;
  for (Value input : op->getOperands()) {
    FailureOr<Value> row =
        getRows(input.getType()) ? operand(input) : emitShared(input);
    if (failed(row))
      return failure();
    rows.push_back(*row);
  }
  return op.emitRow(builder, rows);
}

FailureOr<Value> TraversalEmitter::emitOuter(Value value) {
  if (Value known = outerValues.lookup(value))
    return known;
  // What an edge reads of its outer row is read once, before the loop.
  OpBuilder::InsertionGuard guard(builder);
  if (loop)
    builder.setInsertionPoint(loop);
  FailureOr<Value> row = failure();
  Operation *op = value.getDefiningOp();
  if (auto degree = dyn_cast_or_null<DegreeOp>(op))
    row = emitDegree(degree.getPath(), outer, getRowType(value));
  else if (!isInside(value) && !isLoad(op))
    row = loadRow(value, outer);
  else if (auto rowOp = dyn_cast_or_null<RowOpInterface>(op))
    row = emitRowOp(rowOp, [&](Value input) { return emitOuter(input); });
  if (failed(row))
    return op->emitOpError("cannot be lowered: no kernel reads it for rows of ")
           << stringifyDomain(group.nest.outer);
  outerValues[value] = *row;
  return row;
}

Value TraversalEmitter::emitDegree(Path path, Value index, Type type) {
  ViewKind kind =
      path == Path::DstPair ? ViewKind::DstPairOffsets : ViewKind::DstOffsets;
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value next = arith::AddIOp::create(builder, loc, index, one);
  Value count = arith::SubIOp::create(builder, loc, lookUp(kind, next),
                                      lookUp(kind, index));
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI64Type(), count);
  return arith::SIToFPOp::create(builder, loc, type, integer);
}

FailureOr<Value> TraversalEmitter::emitGather(GatherOp gather) {
  Value source = gather.getRows();
  Path path = gather.getPath();
  if (gather.getTo() != Domain::Edge)
    return gather.emitOpError("cannot be lowered: no kernel loads rows of ")
           << stringifyDomain(gather.getTo());
  if (path == group.nest.path())
    return emitOuter(source);
  if (path == Path::SrcPair)
    return gather.emitOpError("cannot be lowered: no kernel follows src_pair");
  ViewKind kind = path == Path::Src       ? ViewKind::SrcOfEdge
                  : path == Path::Dst     ? ViewKind::DstOfEdge
                  : path == Path::DstPair ? ViewKind::DstPairOfEdge
                                          : ViewKind::ETypeOfEdge;
  Value index = lookUp(kind, edge);
  if (auto degree = source.getDefiningOp<DegreeOp>()) {
    if (degree.getPath() != Path::Dst && degree.getPath() != Path::DstPair)
      return degree.emitOpError("cannot be lowered: no view counts along path ")
             << stringifyPath(degree.getPath());
    return emitDegree(degree.getPath(), index, getRowType(source));
  }
  if (isLoad(source.getDefiningOp()))
    return gather.emitOpError("cannot be lowered: gathers in a row");
  return loadRow(source, index);
}

FailureOr<Value> TraversalEmitter::emitLookup(rgnn::LookupOp lookup) {
  Value type = lookUp(ViewKind::ETypeOfEdge, edge);
  Value node = lookup.getPath() == Path::Dst && group.nest.path() == Path::Dst
                   ? outer
                   : lookUp(lookup.getPath() == Path::Src ? ViewKind::SrcOfEdge
                                                          : ViewKind::DstOfEdge,
                            edge);
  if (!lookup.getComp())
    return loadRow(lookup.getTable(), {type, node});
  // The weights of the bases, then one scaled row of each basis.
  Type row = getRowType(lookup.getResult());
  Value sum = createSplat(builder, loc, row, 0.0);
  int64_t bases =
      cast<RankedTensorType>(lookup.getTable().getType()).getDimSize(0);
  for (int64_t basis = 0; basis < bases; ++basis) {
    Value index = arith::ConstantIndexOp::create(builder, loc, basis);
    Value weight = loadRow(lookup.getComp(), {type, index});
    Value scaled = arith::MulFOp::create(
        builder, loc, broadcast(builder, loc, weight, row),
        loadRow(lookup.getTable(), {index, node}));
    sum = arith::AddFOp::create(builder, loc, sum, scaled);
  }
  return sum;
}

FailureOr<Value> TraversalEmitter::emitEdge(Value value, int64_t stage) {
  if (Value known = edgeValues.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  FailureOr<Value> row = failure();
  if (auto gather = dyn_cast_or_null<GatherOp>(op)) {
    row = emitGather(gather);
  } else if (!isInside(value)) {
    bool list = converter.getOrder(value) == EdgeOrder::List;
    row = loadRow(value, list ? lookUp(ViewKind::EdgeId, edge) : edge);
  } else if (Value segment = segments.lookup(value)) {
    row = ElementOp::create(builder, loc, segment, edge).getResult();
  } else if (isa<GroupSoftmaxOp>(op)) {
    Value exponential = ElementOp::create(builder, loc, exponentials[op], edge);
    row = arith::MulFOp::create(builder, loc, exponential, reciprocals[op])
              .getResult();
  } else if (auto lookup = dyn_cast<rgnn::LookupOp>(op)) {
    row = emitLookup(lookup);
  } else if (auto rowOp = dyn_cast<RowOpInterface>(op)) {
    row = emitRowOp(rowOp, [&](Value input) { return emitEdge(input, stage); });
  }
  if (failed(row))
    return failure();
  edgeValues[value] = *row;
  return row;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Whether a value is only another view of one that is loaded: cheaper to make
/// again than to keep.
static bool isReshapedLoad(Value value) {
  while (isa_and_nonnull<ReshapeOp, SliceOp, PermuteOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return !isa_and_nonnull<RowOpInterface, GroupSoftmaxOp, rgnn::LookupOp>(
      value.getDefiningOp());
}

/// Whether loop `stage`, which computes `value`, has to keep it: for the
/// kernel's outputs or for a later loop.
bool TraversalEmitter::isKept(Value value, int64_t stage) {
  if (plan().isStored(value))
    return true;
  if (isReshapedLoad(value))
    return false;
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (!llvm::is_contained(group.ops, user))
      return false;
    int64_t read = plan().get(user).stage;
    if (isa<ReduceOp>(user))
      read -= 1;
    if (isa<GroupSoftmaxOp>(user))
      read -= 1; // the loop that sums exponentials reads it again
    return read > stage;
  });
}

void TraversalEmitter::finish(const Accumulator &accumulator, Value result) {
  Type type = result.getType();
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
  auto reduce = cast<ReduceOp>(accumulator.op);
  if (accumulator.kind != Reduction::Sum) {
    Type element = getElementTypeOrSelf(type);
    Value count = emitDegree(reduce.getPath(), outer, element);
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
  outerValues[reduce.getResult()] = result;
}

LogicalResult TraversalEmitter::emitLoop(int64_t stage,
                                         ArrayRef<Accumulator> accumulators,
                                         ArrayRef<Value> kept) {
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (const Accumulator &accumulator : accumulators) {
    Type type = getRowType(accumulator.op->getOperand(0));
    inits.push_back(
        createSplat(builder, loc, type, getNeutral(accumulator.kind)));
    types.push_back(type);
  }
  // A softmax keeps its exponentials; they take the place of its logits.
  SmallVector<Value> keptValues(kept);
  for (const Accumulator &accumulator : accumulators)
    if (isa<GroupSoftmaxOp>(accumulator.op) &&
        accumulator.kind == Reduction::Sum)
      keptValues.push_back(accumulator.op->getResult(0));
  for (Value value : keptValues)
    types.push_back(SegmentType::get(builder.getContext(), getRowType(value)));

  loop = hetkernel::ForEachOp::create(builder, loc, types, outer, inits);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&loop.getBody());
  edge = body->addArgument(builder.getIndexType(), loc);
  edgeValues.clear();
  SmallVector<Value> yields, powers;
  for (auto [accumulator, init] : llvm::zip(accumulators, inits)) {
    Value previous = body->addArgument(init.getType(), loc);
    FailureOr<Value> next = emitEdge(accumulator.op->getOperand(0), stage);
    if (failed(next))
      return failure();
    Value value = *next;
    if (isa<GroupSoftmaxOp>(accumulator.op) &&
        accumulator.kind == Reduction::Sum) {
      Value shifted =
          arith::SubFOp::create(builder, loc, value, maxima[accumulator.op]);
      value = math::ExpOp::create(builder, loc, shifted);
      powers.push_back(value);
    }
    switch (accumulator.kind) {
    case Reduction::Sum:
    case Reduction::Mean:
      yields.push_back(arith::AddFOp::create(builder, loc, previous, value));
      break;
    case Reduction::Max:
      yields.push_back(
          arith::MaximumFOp::create(builder, loc, previous, value));
      break;
    case Reduction::Min:
      yields.push_back(
          arith::MinimumFOp::create(builder, loc, previous, value));
      break;
    }
  }
  for (Value value : kept) {
    FailureOr<Value> row = emitEdge(value, stage);
    if (failed(row))
      return failure();
    yields.push_back(*row);
  }
  llvm::append_range(yields, powers);
  hetkernel::YieldOp::create(builder, loc, yields);

  builder.setInsertionPointAfter(loop);
  hetkernel::ForEachOp done = std::exchange(loop, hetkernel::ForEachOp());
  for (auto [accumulator, result] : llvm::zip(accumulators, done.getResults()))
    finish(accumulator, result);
  for (auto [value, segment] : llvm::zip(
           keptValues, done.getResults().drop_front(accumulators.size()))) {
    auto softmax = value.getDefiningOp<GroupSoftmaxOp>();
    if (softmax && plan().get(softmax.getOperation()).stage == stage + 1)
      exponentials[softmax] = segment;
    else
      segments[value] = segment;
  }
  return success();
}

LogicalResult TraversalEmitter::emitStage(int64_t stage) {
  SmallVector<Accumulator> accumulators;
  SmallVector<Value> kept;
  for (Operation *op : group.ops) {
    int64_t ready = plan().get(op).stage;
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
    if (isEdge(result)) {
      if (isKept(result, stage))
        kept.push_back(result);
    } else if (failed(emitOuter(result))) {
      return failure();
    }
  }
  if (accumulators.empty() && kept.empty())
    return success();
  return emitLoop(stage, accumulators, kept);
}

LogicalResult TraversalEmitter::emit() {
  SmallVector<Location> locations;
  int64_t stages = 0;
  bool loops = false;
  SmallVector<Value> stored, outs;
  for (Operation *op : group.ops) {
    locations.push_back(op->getLoc());
    stages = std::max(stages, plan().get(op).stage);
    loops |= isEdge(op->getResult(0)) || isa<ReduceOp>(op);
    if (plan().isStored(op->getResult(0)))
      stored.push_back(op->getResult(0));
  }
  loc = builder.getFusedLoc(locations);
  Value rows = converter.getSize(loc, group.nest.graph, group.nest.outer,
                                 group.nest.nodeType);
  Value offsets;
  if (loops)
    offsets = converter.getView(loc, group.nest.graph,
                                group.nest.outer == Domain::DstPair
                                    ? ViewKind::DstPairOffsets
                                    : ViewKind::DstOffsets);
  SmallVector<Type> types;
  for (Value value : stored) {
    outs.push_back(
        converter.createEmpty(loc, value.getType(), group.nest.graph));
    types.push_back(outs.back().getType());
  }
  traverse = TraverseOp::create(builder, loc, types, rows, offsets, outs,
                                TraverseScheduleAttr());
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&traverse.getBody());
    outer = body->addArgument(builder.getIndexType(), loc);
    for (int64_t stage = 0; stage <= stages; ++stage)
      if (failed(emitStage(stage)))
        return failure();
    SmallVector<Value> yields;
    for (Value value : stored)
      yields.push_back(isEdge(value) ? segments.lookup(value)
                                     : outerValues.lookup(value));
    hetkernel::YieldOp::create(builder, loc, yields);
  }
  for (auto [value, result] : llvm::zip(stored, traverse.getResults()))
    converter.setTensor(value, result);
  return success();
}

LogicalResult Converter::convertTraversal(const TraversalGroup &group) {
  return TraversalEmitter(*this, group).emit();
}
