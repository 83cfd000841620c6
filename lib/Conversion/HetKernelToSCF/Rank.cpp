//===- Rank.cpp - hetkernel.rank as sorts, sums and searches --------------===//
//
// For each segment and column: a merge sort of the numbers `y` with those of
// their rows; sums of what is before each in that order; and for each `x`, a
// binary search for what is below it, which a number that is `x` and `y` alike
// does not need. Differences of neighbours are added up, so that the excess
// over many close numbers loses nothing to cancellation.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "RGNN/Conversion/HetKernelToSCF/HetKernelToSCF.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace mlir::hetkernel;

/// Inner rows and segments of a task.
static constexpr int64_t taskRows = 256;
/// Of a number: steps of sorting and searching, for `serialBelow`.
static constexpr int64_t stepsOfNumber = 32;

namespace {

/// Buffers of all segments: numbers in their order, with those of their rows,
/// in two planes that a sort moves them between; sums at each.
struct RankBuffers {
  Value keys, rows, sums;
};

/// The code of one segment and column.
class RankCode {
public:
  RankCode(ImplicitLocOpBuilder &builder, RankOp rank, RankBuffers buffers)
      : builder(builder), rank(rank), buffers(buffers),
        compute(cast<MemRefType>(buffers.keys.getType()).getElementType()) {}

  void emit(Value segment, Value column);

private:
  Value index(int64_t value) { return createIndex(builder, value); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, a, b); }
  Value sub(Value a, Value b) { return arith::SubIOp::create(builder, a, b); }
  Value min(Value a, Value b) { return arith::MinUIOp::create(builder, a, b); }
  Value addf(Value a, Value b) { return arith::AddFOp::create(builder, a, b); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, predicate, a, b);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, predicate, a, b);
  }
  Value select(Value which, Value a, Value b) {
    return arith::SelectOp::create(builder, which, a, b);
  }
  Value number(double value) {
    return arith::ConstantOp::create(builder,
                                     builder.getFloatAttr(compute, value));
  }
  /// `gap` times a number of rows.
  Value times(Value count, Value gap);

  Value load(Value rows, Value row);
  void store(Value number, Value row);
  /// Entries of the buffers at a place of the segment.
  Value getKey(Value plane, Value place);
  Value getRow(Value plane, Value place);
  void set(Value plane, Value place, Value key, Value row);

  /// Fills plane 0. Returns whether some `y` is no number.
  Value fill();
  /// Returns the plane that is in order.
  Value sort();
  void merge(Value plane, Value begin, Value middle, Value end);
  void sumUp(Value plane, Value isNone);
  void lookUp(Value plane, Value isNone);

  ImplicitLocOpBuilder &builder;
  RankOp rank;
  RankBuffers buffers;
  Type compute;
  Value column, first, count;
};

} // namespace

Value RankCode::times(Value count, Value gap) {
  Value number = arith::UIToFPOp::create(
      builder, compute,
      arith::IndexCastUIOp::create(builder, builder.getI32Type(), count));
  return arith::MulFOp::create(builder, number, gap);
}

Value RankCode::load(Value rows, Value row) {
  Value number = memref::LoadOp::create(builder, rows, ValueRange{row, column});
  return number.getType() == compute
             ? number
             : arith::ExtFOp::create(builder, compute, number);
}

void RankCode::store(Value number, Value row) {
  Type stored = cast<MemRefType>(rank.getOut().getType()).getElementType();
  if (stored != compute)
    number = arith::TruncFOp::create(builder, stored, number);
  memref::StoreOp::create(builder, number, rank.getOut(),
                          ValueRange{row, column});
}

Value RankCode::getKey(Value plane, Value place) {
  return memref::LoadOp::create(builder, buffers.keys,
                                ValueRange{plane, add(first, place), column});
}

Value RankCode::getRow(Value plane, Value place) {
  return loadIndex(builder, buffers.rows, {plane, add(first, place), column});
}

void RankCode::set(Value plane, Value place, Value key, Value row) {
  SmallVector<Value> at{plane, add(first, place), column};
  memref::StoreOp::create(builder, key, buffers.keys, at);
  Value entry =
      arith::IndexCastUIOp::create(builder, builder.getI32Type(), row);
  memref::StoreOp::create(builder, entry, buffers.rows, at);
}

/// What is no number is infinite: it is below nothing, and the excess over it
/// is none.
Value RankCode::fill() {
  Value isNone = arith::ConstantOp::create(builder, builder.getBoolAttr(false));
  auto loop = scf::ForOp::create(builder, index(0), count, index(1),
                                 ValueRange{isNone});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value place = loop.getInductionVar(), row = add(first, place);
  if (rank.getList())
    row = loadIndex(builder, rank.getList(), row);
  Value key = load(rank.getY(), row);
  Value isOwn = compare(arith::CmpFPredicate::UNO, key, key);
  Value infinity = number(std::numeric_limits<double>::infinity());
  set(index(0), place, select(isOwn, infinity, key), row);
  isNone = arith::OrIOp::create(builder, loop.getRegionIterArg(0), isOwn);
  scf::YieldOp::create(builder, isNone);
  return loop.getResult(0);
}

/// Two runs that follow each other as one, in the other plane.
void RankCode::merge(Value plane, Value begin, Value middle, Value end) {
  OpBuilder::InsertionGuard guard(builder);
  Value other = sub(index(1), plane), one = index(1);
  auto loop =
      scf::ForOp::create(builder, begin, end, one, ValueRange{begin, middle});
  builder.setInsertionPointToStart(loop.getBody());
  Value left = loop.getRegionIterArg(0), right = loop.getRegionIterArg(1);
  Value hasLeft = compare(arith::CmpIPredicate::ult, left, middle),
        hasRight = compare(arith::CmpIPredicate::ult, right, end);
  // Where a run has ended, what is read of it is not taken.
  Value atRight = select(hasRight, right, left);
  Value leftKey = getKey(plane, left), rightKey = getKey(plane, atRight);
  Value isLess = compare(arith::CmpFPredicate::OLT, rightKey, leftKey);
  Value hasNone = arith::XOrIOp::create(
      builder, hasLeft,
      arith::ConstantOp::create(builder, builder.getBoolAttr(true)));
  Value isRight = arith::AndIOp::create(
      builder, hasRight, arith::OrIOp::create(builder, hasNone, isLess));
  set(other, loop.getInductionVar(), select(isRight, rightKey, leftKey),
      getRow(plane, select(isRight, right, left)));
  scf::YieldOp::create(builder,
                       ValueRange{select(isRight, left, add(left, one)),
                                  select(isRight, add(right, one), right)});
}

Value RankCode::sort() {
  Type indexType = builder.getIndexType();
  auto loop = scf::WhileOp::create(
      builder, TypeRange{indexType, indexType}, ValueRange{index(1), index(0)},
      [&](OpBuilder &, Location, ValueRange state) {
        scf::ConditionOp::create(
            builder, compare(arith::CmpIPredicate::ult, state[0], count),
            state);
      },
      [&](OpBuilder &, Location, ValueRange state) {
        Value width = state[0], plane = state[1], both = add(width, width);
        {
          OpBuilder::InsertionGuard guard(builder);
          auto runs = scf::ForOp::create(builder, index(0), count, both);
          builder.setInsertionPointToStart(runs.getBody());
          Value begin = runs.getInductionVar();
          merge(plane, begin, min(add(begin, width), count),
                min(add(begin, both), count));
        }
        scf::YieldOp::create(builder, ValueRange{both, sub(index(1), plane)});
      });
  return loop.getResult(1);
}

/// At each place: the excess over all before it, or the sum of the values up to
/// it. Where `x` is `y`, what is asked for: of equal numbers, of the first.
void RankCode::sumUp(Value plane, Value isNone) {
  OpBuilder::InsertionGuard guard(builder);
  bool isAsked = rank.getX() == rank.getY();
  Value none = number(0);
  // The sum, the number before, the sum before all that are equal to it.
  auto loop = scf::ForOp::create(builder, index(0), count, index(1),
                                 ValueRange{none, none, none});
  builder.setInsertionPointToStart(loop.getBody());
  Value place = loop.getInductionVar(), sum = loop.getRegionIterArg(0),
        before = loop.getRegionIterArg(1), below = loop.getRegionIterArg(2);
  Value row = getRow(plane, place), key = getKey(plane, place);
  Value isFirst = compare(arith::CmpIPredicate::eq, place, index(0)),
        isEqual = arith::OrIOp::create(
            builder, isFirst, compare(arith::CmpFPredicate::OEQ, key, before));
  below = select(isEqual, below, sum);
  Value asked = below;
  if (Value values = rank.getValues()) {
    sum = addf(sum, load(values, row));
    // Below what is no number there is nothing.
    if (isAsked) {
      Value own = load(rank.getX(), row);
      asked = select(compare(arith::CmpFPredicate::UNO, own, own), none, below);
    }
  } else {
    // Infinities have no difference.
    Value gap =
        select(isEqual, none, arith::SubFOp::create(builder, key, before));
    sum = addf(sum, times(place, gap));
    if (isAsked) {
      Value own = addf(sum, arith::SubFOp::create(builder, key, key));
      asked =
          select(isNone, number(std::numeric_limits<double>::quiet_NaN()), own);
    }
  }
  if (isAsked)
    store(asked, row);
  else
    memref::StoreOp::create(builder, sum, buffers.sums,
                            ValueRange{add(first, place), column});
  scf::YieldOp::create(builder, ValueRange{sum, key, below});
}

/// What is below each `x`, at whose end there is a sum.
void RankCode::lookUp(Value plane, Value isNone) {
  OpBuilder::InsertionGuard guard(builder);
  Value place = enterLoop(builder, index(0), count, 1);
  Value row = getRow(plane, place), x = load(rank.getX(), row);
  Value below = findFirst(
      builder, count, [&](ImplicitLocOpBuilder &inner, Value at) -> Value {
        OpBuilder::InsertionGuard within(builder);
        builder.setInsertionPoint(inner.getInsertionBlock(),
                                  inner.getInsertionPoint());
        return compare(arith::CmpFPredicate::OLT, getKey(plane, at), x);
      });
  Value isAny = compare(arith::CmpIPredicate::ne, below, index(0));
  Value nearest = select(isAny, sub(below, index(1)), index(0));
  Value sum = memref::LoadOp::create(builder, buffers.sums,
                                     ValueRange{add(first, nearest), column});
  if (!rank.getValues()) {
    Value gap = arith::SubFOp::create(builder, x, getKey(plane, nearest));
    sum = addf(sum, times(below, gap));
  }
  sum = select(isAny, sum, number(0));
  if (!rank.getValues()) {
    // An infinity less itself, and what is less than no number, is none.
    Value key = getKey(plane, min(below, sub(count, index(1))));
    Value isEqual = compare(arith::CmpFPredicate::OEQ, key, x);
    Value own = arith::SubFOp::create(builder, x, key);
    sum = addf(sum, select(isEqual, own, number(0)));
    isNone = arith::OrIOp::create(builder, isNone,
                                  compare(arith::CmpFPredicate::UNO, x, x));
    sum = select(isNone, number(std::numeric_limits<double>::quiet_NaN()), sum);
  }
  store(sum, row);
}

void RankCode::emit(Value segment, Value ofColumn) {
  column = ofColumn;
  first = loadIndex(builder, rank.getSegments(), segment);
  count = sub(loadIndex(builder, rank.getSegments(), add(segment, index(1))),
              first);
  Value isNone = fill(), plane = sort();
  sumUp(plane, isNone);
  if (rank.getX() != rank.getY())
    lookUp(plane, isNone);
}

LogicalResult hetkernel::lowerRank(RankOp rank, const RankLoops &loops,
                                   int64_t &numTemporaries) {
  for (Value operand : rank->getOperands())
    if (!isa<MemRefType>(operand.getType()))
      return rank.emitOpError("expected buffers, got ") << operand.getType();
  ImplicitLocOpBuilder builder(rank.getLoc(), rank);
  auto type = cast<MemRefType>(rank.getOut().getType());
  Type compute = type.getElementType();
  if (compute.getIntOrFloatBitWidth() < 32)
    compute = builder.getF32Type();
  Value zero = createIndex(builder, 0), one = createIndex(builder, 1);
  Value rows = builder.createOrFold<memref::DimOp>(rank.getOut(), zero),
        columns = builder.createOrFold<memref::DimOp>(rank.getOut(), one);
  auto allocate = [&](Type element, bool hasPlanes) -> Value {
    numTemporaries += 1;
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<Value> sizes;
    for (auto [dim, size] : llvm::enumerate(shape))
      if (ShapedType::isDynamic(size))
        sizes.push_back(dim == 0 ? rows : columns);
    if (hasPlanes)
      shape.insert(shape.begin(), 2);
    return memref::AllocOp::create(builder, MemRefType::get(shape, element),
                                   sizes, builder.getI64IntegerAttr(64));
  };
  RankBuffers buffers{allocate(compute, true),
                      allocate(builder.getI32Type(), true), Value()};
  if (rank.getX() != rank.getY())
    buffers.sums = allocate(compute, false);
  Value segments = arith::SubIOp::create(
      builder, memref::DimOp::create(builder, rank.getSegments(), zero), one);
  RankCode code(builder, rank, buffers);
  if (loops.isByColumn) {
    Value tasks = arith::MulIOp::create(builder, segments, columns);
    Value task = enterTasks(builder, tasks, 1).begin;
    code.emit(arith::DivUIOp::create(builder, task, columns),
              arith::RemUIOp::create(builder, task, columns));
  } else {
    Value isSerial;
    if (loops.serialBelow > 0) {
      Value numbers = arith::MulIOp::create(builder, rows, columns);
      isSerial = isBelow(builder, numbers, loops.serialBelow / stepsOfNumber);
    }
    TaskRange range = enterBalancedTasks(builder, segments, rank.getSegments(),
                                         rows, taskRows, isSerial);
    Value segment = enterLoop(builder, range.begin, range.end, 1);
    Value column = enterLoop(builder, zero, columns, 1);
    code.emit(segment, column);
  }
  builder.setInsertionPoint(rank);
  for (Value buffer : {buffers.keys, buffers.rows, buffers.sums})
    if (buffer)
      memref::DeallocOp::create(builder, buffer);
  rank.erase();
  return success();
}
