//===- Loops.cpp - loops over tasks, rows and dimensions ------------------===//

#include "RGNN/Dialect/HetKernel/Utils/Loops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

Value hetkernel::createIndex(ImplicitLocOpBuilder &builder, int64_t value) {
  return arith::ConstantIndexOp::create(builder, value);
}

Value hetkernel::loadIndex(ImplicitLocOpBuilder &builder, Value list,
                           ValueRange indices) {
  Value entry = memref::LoadOp::create(builder, list, indices);
  return arith::IndexCastUIOp::create(builder, builder.getIndexType(), entry);
}

Value hetkernel::isBelow(ImplicitLocOpBuilder &builder, Value work,
                         int64_t limit) {
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, work,
                               createIndex(builder, limit));
}

hetkernel::TaskRange hetkernel::enterTasks(ImplicitLocOpBuilder &builder,
                                           Value rows, Value taskRows,
                                           Value isSerial) {
  Value step = taskRows;
  if (isSerial)
    step = arith::SelectOp::create(
        builder, isSerial, arith::MaxUIOp::create(builder, rows, step), step);
  Value tasks = arith::CeilDivUIOp::create(builder, rows, step);
  auto forall =
      scf::ForallOp::create(builder, ArrayRef<OpFoldResult>{tasks},
                            /*outputs=*/ValueRange(), /*mapping=*/std::nullopt);
  builder.setInsertionPointToStart(forall.getBody());
  Value begin = arith::MulIOp::create(builder, forall.getInductionVar(0), step);
  Value end = arith::MinUIOp::create(
      builder, arith::AddIOp::create(builder, begin, step), rows);
  return {begin, end};
}

Value hetkernel::findFirst(
    ImplicitLocOpBuilder &builder, Value count,
    function_ref<Value(ImplicitLocOpBuilder &, Value)> isBefore,
    int64_t numProbes) {
  Type index = builder.getIndexType();
  auto search = scf::WhileOp::create(
      builder, TypeRange{index, index},
      ValueRange{createIndex(builder, 0), count},
      [&](OpBuilder &inner, Location loc, ValueRange bounds) {
        Value open = arith::CmpIOp::create(
            inner, loc, arith::CmpIPredicate::ult, bounds[0], bounds[1]);
        scf::ConditionOp::create(inner, loc, open, bounds);
      },
      [&](OpBuilder &inner, Location loc, ValueRange bounds) {
        ImplicitLocOpBuilder body(loc, inner);
        Value begin = bounds[0], end = bounds[1], one = createIndex(body, 1);
        Value size = arith::CeilDivUIOp::create(
            body, arith::SubIOp::create(body, end, begin),
            createIndex(body, numProbes + 1));
        // Parts of what is left. Looks at the last number of each part but the
        // last one: the result lies behind every part whose last number is
        // before it.
        Value low = begin, next = begin, isBehind;
        for (int64_t number = 0; number < numProbes; ++number) {
          next = arith::AddIOp::create(body, next, size);
          Value last = arith::SubIOp::create(body, next, one), exists;
          if (number > 0) { // There is a first part.
            exists = arith::CmpIOp::create(body, arith::CmpIPredicate::ult,
                                           last, end);
            last = arith::SelectOp::create(body, exists, last, begin);
          }
          isBehind = isBefore(body, last);
          if (exists)
            isBehind = arith::AndIOp::create(body, exists, isBehind);
          low = arith::SelectOp::create(body, isBehind, next, low);
        }
        Value high = arith::SubIOp::create(
            body, arith::AddIOp::create(body, low, size), one);
        high = arith::MinUIOp::create(body, high, end);
        // Nobody looked at the last part.
        high = arith::SelectOp::create(body, isBehind, end, high);
        scf::YieldOp::create(body, ValueRange{low, high});
      });
  return search.getResult(0);
}

/// The first row that, counted with all inner rows before it, is at `place` or
/// behind it; `rows` where there is none.
static Value findRow(ImplicitLocOpBuilder &builder, Value place, Value rows,
                     Value segments) {
  return hetkernel::findFirst(
      builder, rows, [&](ImplicitLocOpBuilder &body, Value row) -> Value {
        Value count = arith::AddIOp::create(
            body, row, hetkernel::loadIndex(body, segments, row));
        return arith::CmpIOp::create(body, arith::CmpIPredicate::ult, count,
                                     place);
      });
}

hetkernel::TaskRange hetkernel::enterTasks(ImplicitLocOpBuilder &builder,
                                           Value rows, int64_t taskRows,
                                           Value isSerial) {
  return enterTasks(builder, rows, createIndex(builder, taskRows), isSerial);
}

hetkernel::TaskRange
hetkernel::enterBalancedTasks(ImplicitLocOpBuilder &builder, Value rows,
                              Value segments, Value innerRows, int64_t taskRows,
                              Value isSerial) {
  Value all = arith::AddIOp::create(builder, rows, innerRows);
  TaskRange range = enterTasks(builder, all, taskRows, isSerial);
  return {findRow(builder, range.begin, rows, segments),
          findRow(builder, range.end, rows, segments)};
}

Value hetkernel::enterLoop(ImplicitLocOpBuilder &builder, Value begin,
                           Value end, int64_t step) {
  auto loop =
      scf::ForOp::create(builder, begin, end, createIndex(builder, step));
  builder.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

SmallVector<Value> hetkernel::enterDims(ImplicitLocOpBuilder &builder,
                                        Value buffer, int64_t first,
                                        int64_t last) {
  SmallVector<Value> counters;
  for (int64_t dim = first; dim < last; ++dim) {
    Value size = memref::DimOp::create(builder, buffer, dim);
    counters.push_back(enterLoop(builder, createIndex(builder, 0), size, 1));
  }
  return counters;
}
