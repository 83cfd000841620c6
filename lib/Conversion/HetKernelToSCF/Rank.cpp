//===- Rank.cpp - hetkernel.rank as sorts, sums and searches --------------===//
//
// For each segment and column: a heap sort of row numbers by `y`, which needs
// no more memory than the numbers; sums of what is before each in that order;
// and for each `x`, a binary search for what is below it. Differences of
// neighbours are added up, so that the excess over many close numbers loses
// nothing to cancellation.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "RGNN/Conversion/HetKernelToSCF/HetKernelToSCF.h"
#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::hetkernel;

/// Inner rows and segments of a task.
static constexpr int64_t taskRows = 256;
/// Of a number: steps of sorting and searching, for `serialBelow`.
static constexpr int64_t stepsOfNumber = 32;

namespace {

/// The code of one segment and column.
class RankCode {
public:
  RankCode(ImplicitLocOpBuilder &builder, RankOp rank, Value order, Value sums)
      : builder(builder), rank(rank), order(order), sums(sums),
        compute(cast<MemRefType>(sums.getType()).getElementType()) {}

  void emit(Value segment, Value column);

private:
  Value index(int64_t value) { return createIndex(builder, value); }
  Value add(Value a, Value b) { return arith::AddIOp::create(builder, a, b); }
  Value sub(Value a, Value b) { return arith::SubIOp::create(builder, a, b); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, predicate, a, b);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, predicate, a, b);
  }
  Value select(Value which, Value a, Value b) {
    return arith::SelectOp::create(builder, which, a, b);
  }
  Value zero() {
    return arith::ConstantOp::create(builder, builder.getZeroAttr(compute));
  }

  /// The number of the row at place `i` of the segment.
  Value getRow(Value i);
  /// Numbers of rows in their order, from the first of the segment on.
  Value getSorted(Value place);
  void setSorted(Value place, Value row);
  Value load(Value rows, Value row);
  /// Whether `a` comes before `b`: what is no number comes last.
  Value isBefore(Value a, Value b);

  void sort();
  void sift(Value root, Value size);
  void sumUp();
  void lookUp();

  ImplicitLocOpBuilder &builder;
  RankOp rank;
  Value order, sums;
  Type compute;
  Value column, first, count;
};

} // namespace

Value RankCode::getRow(Value i) {
  Value place = add(first, i);
  return rank.getList() ? loadIndex(builder, rank.getList(), place) : place;
}

Value RankCode::getSorted(Value place) {
  return loadIndex(builder, order, {add(first, place), column});
}

void RankCode::setSorted(Value place, Value row) {
  Value number =
      arith::IndexCastUIOp::create(builder, builder.getI32Type(), row);
  memref::StoreOp::create(builder, number, order,
                          ValueRange{add(first, place), column});
}

Value RankCode::load(Value rows, Value row) {
  Value number = memref::LoadOp::create(builder, rows, ValueRange{row, column});
  return number.getType() == compute
             ? number
             : arith::ExtFOp::create(builder, compute, number);
}

Value RankCode::isBefore(Value a, Value b) {
  Value isLess = compare(arith::CmpFPredicate::OLT, a, b),
        isNumber = compare(arith::CmpFPredicate::ORD, a, a),
        isNone = compare(arith::CmpFPredicate::UNO, b, b);
  return arith::OrIOp::create(builder, isLess,
                              arith::AndIOp::create(builder, isNumber, isNone));
}

/// Moves the row at place `root` down a heap of `size` rows, whose greatest is
/// at place 0.
void RankCode::sift(Value root, Value size) {
  Value row = getSorted(root), key = load(rank.getY(), row);
  Type indexType = builder.getIndexType();
  auto loop = scf::WhileOp::create(
      builder, TypeRange{indexType, indexType, indexType}, root,
      [&](OpBuilder &, Location loc, ValueRange hole) {
        Value left = add(add(hole[0], hole[0]), index(1));
        auto child = scf::IfOp::create(
            builder, TypeRange{builder.getI1Type(), indexType, indexType},
            compare(arith::CmpIPredicate::ult, left, size),
            /*withElseRegion=*/true);
        {
          OpBuilder::InsertionGuard guard(builder);
          builder.setInsertionPointToStart(child.thenBlock());
          Value right = add(left, index(1)),
                hasRight = compare(arith::CmpIPredicate::ult, right, size);
          // The left one again where there is no right one.
          Value place = select(hasRight, right, left);
          Value leftRow = getSorted(left), rightRow = getSorted(place);
          Value leftKey = load(rank.getY(), leftRow),
                rightKey = load(rank.getY(), rightRow);
          Value isRight = isBefore(leftKey, rightKey);
          Value greater = select(isRight, rightKey, leftKey);
          scf::YieldOp::create(builder,
                               ValueRange{isBefore(key, greater),
                                          select(isRight, place, left),
                                          select(isRight, rightRow, leftRow)});
          builder.setInsertionPointToStart(child.elseBlock());
          Value isGreater =
              arith::ConstantOp::create(builder, builder.getBoolAttr(false));
          scf::YieldOp::create(builder, ValueRange{isGreater, hole[0], row});
        }
        scf::ConditionOp::create(
            builder, child.getResult(0),
            ValueRange{hole[0], child.getResult(1), child.getResult(2)});
      },
      [&](OpBuilder &, Location loc, ValueRange values) {
        setSorted(values[0], values[2]);
        scf::YieldOp::create(builder, values[1]);
      });
  builder.setInsertionPointAfter(loop);
  setSorted(loop.getResult(0), row);
}

/// One loop makes a heap, from its last parents to its root, and then takes the
/// greatest of what is left to the end, again and again.
void RankCode::sort() {
  OpBuilder::InsertionGuard guard(builder);
  Value parents = arith::DivUIOp::create(builder, count, index(2));
  Value steps = sub(add(parents, count), index(1));
  Value step = enterLoop(builder, index(0), steps, 1);
  Value isHeaped = compare(arith::CmpIPredicate::uge, step, parents);
  Value taken = sub(step, parents), last = sub(sub(count, index(1)), taken);
  auto take = scf::IfOp::create(builder, isHeaped, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard inner(builder);
    builder.setInsertionPointToStart(take.thenBlock());
    Value greatest = getSorted(index(0)), other = getSorted(last);
    setSorted(index(0), other);
    setSorted(last, greatest);
  }
  Value parent = sub(sub(parents, index(1)), step);
  sift(select(isHeaped, index(0), parent), select(isHeaped, last, count));
}

/// At each place: the excess over all before it, or the sum of the values up to
/// it.
void RankCode::sumUp() {
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(builder, index(0), count, index(1),
                                 ValueRange{zero(), zero()});
  builder.setInsertionPointToStart(loop.getBody());
  Value place = loop.getInductionVar(), sum = loop.getRegionIterArg(0),
        before = loop.getRegionIterArg(1);
  Value row = getSorted(place), key = load(rank.getY(), row);
  if (Value values = rank.getValues()) {
    sum = arith::AddFOp::create(builder, sum, load(values, row));
  } else {
    Value isFirst = compare(arith::CmpIPredicate::eq, place, index(0)),
          isEqual = compare(arith::CmpFPredicate::OEQ, key, before);
    // Infinities have no difference.
    Value gap = select(arith::OrIOp::create(builder, isFirst, isEqual), zero(),
                       arith::SubFOp::create(builder, key, before));
    Value number = arith::UIToFPOp::create(
        builder, compute,
        arith::IndexCastUIOp::create(builder, builder.getI32Type(), place));
    sum = arith::AddFOp::create(builder, sum,
                                arith::MulFOp::create(builder, number, gap));
  }
  memref::StoreOp::create(builder, sum, sums,
                          ValueRange{add(first, place), column});
  scf::YieldOp::create(builder, ValueRange{sum, key});
}

/// What is below each `x`, at whose end there is a sum.
void RankCode::lookUp() {
  OpBuilder::InsertionGuard guard(builder);
  Value place = enterLoop(builder, index(0), count, 1);
  Value row = getRow(place), x = load(rank.getX(), row);
  auto getKey = [&](Value at) { return load(rank.getY(), getSorted(at)); };
  Value below = findFirst(
      builder, count, [&](ImplicitLocOpBuilder &inner, Value at) -> Value {
        OpBuilder::InsertionGuard within(builder);
        builder.setInsertionPoint(inner.getInsertionBlock(),
                                  inner.getInsertionPoint());
        return compare(arith::CmpFPredicate::OLT, getKey(at), x);
      });
  Value isAny = compare(arith::CmpIPredicate::ne, below, index(0));
  Value nearest = select(isAny, sub(below, index(1)), index(0));
  Value sum = memref::LoadOp::create(builder, sums,
                                     ValueRange{add(first, nearest), column});
  if (!rank.getValues()) {
    Value number = arith::UIToFPOp::create(
        builder, compute,
        arith::IndexCastUIOp::create(builder, builder.getI32Type(), below));
    Value gap = arith::SubFOp::create(builder, x, getKey(nearest));
    sum = arith::AddFOp::create(builder, sum,
                                arith::MulFOp::create(builder, number, gap));
  }
  sum = select(isAny, sum, zero());
  if (!rank.getValues()) {
    // An infinity less itself, and what is less than no number, is none.
    Value end = sub(count, index(1));
    Value next = arith::MinUIOp::create(builder, below, end);
    Value key = getKey(next), greatest = getKey(end);
    Value isEqual = compare(arith::CmpFPredicate::OEQ, key, x);
    Value own = arith::SubFOp::create(builder, x, key);
    sum = arith::AddFOp::create(builder, sum, select(isEqual, own, zero()));
    Value isNone = compare(arith::CmpFPredicate::UNO, x, greatest);
    sum = select(isNone, arith::AddFOp::create(builder, x, greatest), sum);
  }
  Type stored = cast<MemRefType>(rank.getOut().getType()).getElementType();
  if (stored != compute)
    sum = arith::TruncFOp::create(builder, stored, sum);
  memref::StoreOp::create(builder, sum, rank.getOut(), ValueRange{row, column});
}

void RankCode::emit(Value segment, Value ofColumn) {
  column = ofColumn;
  first = loadIndex(builder, rank.getSegments(), segment);
  count = sub(loadIndex(builder, rank.getSegments(), add(segment, index(1))),
              first);
  {
    OpBuilder::InsertionGuard guard(builder);
    Value place = enterLoop(builder, index(0), count, 1);
    setSorted(place, getRow(place));
  }
  sort();
  sumUp();
  lookUp();
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
  auto allocate = [&](Type element) -> Value {
    numTemporaries += 1;
    SmallVector<Value> sizes;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        sizes.push_back(dim == 0 ? rows : columns);
    return memref::AllocOp::create(builder,
                                   MemRefType::get(type.getShape(), element),
                                   sizes, builder.getI64IntegerAttr(64));
  };
  Value order = allocate(builder.getI32Type()), sums = allocate(compute);
  Value segments = arith::SubIOp::create(
      builder, memref::DimOp::create(builder, rank.getSegments(), zero), one);
  RankCode code(builder, rank, order, sums);
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
  memref::DeallocOp::create(builder, order);
  memref::DeallocOp::create(builder, sums);
  rank.erase();
  return success();
}
